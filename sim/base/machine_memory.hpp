#pragma once

#include <string>

#include "sim/base/place.hpp"

namespace motley {

/// Bytes of memory this process may come to use: main memory and swap, or less where a control
/// group or a limit of the process says so.
double machine_memory();

/// "41 GB", "1.5 MB", for amounts that are only roughly known.
std::string shown_bytes(double bytes);

/// InputError when something at this place needs more bytes than there are.
void check_fits_memory(double bytes, const std::string& what, const Place& place);

}  // namespace motley

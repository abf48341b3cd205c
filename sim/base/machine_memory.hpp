#pragma once

#include <string>

#include "sim/base/place.hpp"

namespace motley {

/// Bytes of memory this process may come to use: main memory and swap, or less where a control
/// group or a limit of the process says so.
double machine_memory();
/// The part of it that several processes share: what limits a single one is left out.
double shared_memory();
/// How many of the processes wanted fit in, each of so many bytes; at least one.
unsigned jobs_that_fit(unsigned wanted, double bytes_of_each, double memory);

/// The least limit of the control groups that a process is in, from the innermost outwards; infinite
/// without one. A job of a batch system is in a group of its own, deep inside. `groups` is the
/// process's list of them (/proc/self/cgroup), `root` where they are mounted (/sys/fs/cgroup).
double control_groups_limit(const std::string& groups, const std::string& root);

/// "41 GB", "1.5 MB", for amounts that are only roughly known.
std::string shown_bytes(double bytes);

/// InputError when something at this place needs more bytes than there are.
void check_fits_memory(double bytes, const std::string& what, const Place& place);

}  // namespace motley

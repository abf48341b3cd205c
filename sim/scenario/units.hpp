#pragma once

#include <string>
#include <vector>

#include "sim/base/place.hpp"

namespace motley {

/// What a quantity measures. A quantity is written as a string with its unit and held in SI:
/// seconds, bytes, bytes per second, flops per second, flops, watts.
enum class Dimension { none, time, data, rate, speed, work, power };

/// Reads "10Gbps", "50us", "4Tf", ... into SI. A bare number, an unknown unit, or a unit of another
/// dimension is an InputError that names the likely unit.
double parse_quantity(const Json& value, Dimension dimension, const Place& place);

/// Whether a number above 0 is of a size that can be simulated: far beyond it something would
/// overflow or be rounded to zero.
bool is_sane(double si, Dimension dimension);
/// "from 0.001Bps to 1e+18Bps".
std::string sane_range(Dimension dimension);

/// "time", "data size", ... for messages and documentation.
std::string dimension_name(Dimension dimension);

/// The units a dimension accepts, smallest first.
std::vector<std::string> units_of(Dimension dimension);

/// A regular expression that matches what parse_quantity accepts, but for the size of the number.
std::string quantity_pattern(Dimension dimension, bool may_be_negative);

}  // namespace motley

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace motley {

/// A point of a sweep: the pointers of what is swept, and the values there as the CSV files have them.
using NamedAxes = std::vector<std::pair<std::string, std::string>>;

/// "/cost/model_size=10MB /cluster/link/latency=1ms"; empty without a sweep.
std::string in_words(const NamedAxes& point);

/// The first of them, in words, for a message.
std::string some_points(const std::vector<NamedAxes>& points);

/// The point that is meant, in words: the whole of it, or names and values as "ratio=8" by which it can be told
/// from the others; a name is an axis's pointer or its end. Empty without points. InputError, which begins
/// with the option's name, when none or several are meant.
std::string point_among(const std::vector<NamedAxes>& points, const std::string& given,
                        const std::string& option);

}  // namespace motley

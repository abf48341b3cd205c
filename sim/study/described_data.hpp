#pragma once

#include <string>

namespace motley {

class Experiment;

/// What there is to learn from, in a few lines: samples, shape and classes, and what the workers get
/// of them. Workers that have fewer samples than a batch are warned of. Empty when there is no data.
std::string described_data(const Experiment& experiment);

}  // namespace motley

#pragma once

#include <string>

namespace motley {

class Experiment;

/// Cluster, model and data in a few lines: how uneven the workers are, what changes and fails, and
/// warnings of what is hardly meant.
std::string described_experiment(const Experiment& experiment);

}  // namespace motley

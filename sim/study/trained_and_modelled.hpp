#pragma once

#include <string>

namespace motley {

class Experiment;

/// One line: what was really trained, and which architecture's times and bytes were simulated in its
/// stead. Empty when they are the same.
std::string trained_and_modelled(const Experiment& experiment);

}  // namespace motley

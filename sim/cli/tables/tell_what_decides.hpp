#pragma once

#include <functional>
#include <iosfwd>

#include "sim/cli/timing_display.hpp"
#include "sim/study/results_folder.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// Asks what decides the times of a finished study, so many reruns at once, and prints it. False when
/// interrupted.
bool tell_what_decides(std::ostream& out, const Study& study, const ResultsFolder& folder,
                       unsigned jobs, TimingDisplay display,
                       const std::function<bool()>& should_interrupt);

}  // namespace motley

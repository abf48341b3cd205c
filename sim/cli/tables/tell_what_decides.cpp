#include "sim/cli/tables/tell_what_decides.hpp"

#include <ostream>

#include "sim/cli/tables/whatif_lines.hpp"
#include "sim/study/whatif/whatif.hpp"

namespace motley {

bool tell_what_decides(std::ostream& out, const Study& study, const ResultsFolder& folder,
                       unsigned jobs, TimingDisplay display,
                       const std::function<bool()>& should_interrupt) {
  WhatIfEvents events;
  events.begins = [&](std::size_t runs) {
    out.flush();
    display.begins(runs);
  };
  events.timed = [&](std::size_t done, std::size_t total) { display.timed(done, total); };
  events.should_interrupt = should_interrupt;
  const bool is_complete = update_whatif(study, folder, jobs, events);
  display.clear();
  if (!is_complete) return false;
  print_what_decides(out, folder.path());
  if (asks_first_point_only(study)) {
    out << "  computed at the first point only: algorithms x points exceeds " << most_whatif_runs
        << "\n";
  }
  return true;
}

}  // namespace motley

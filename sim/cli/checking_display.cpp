#include "sim/cli/checking_display.hpp"

#include <iostream>
#include <unistd.h>

namespace motley {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 2s;  // who gets an answer before that needs no line
constexpr auto on_a_terminal = 200ms;
constexpr auto elsewhere = 10s;

}  // namespace

CheckingDisplay::CheckingDisplay()
    : terminal_(isatty(STDERR_FILENO) != 0), next_(Clock::now() + patience) {}

CheckingDisplay::~CheckingDisplay() {
  if (terminal_ && shown_) std::cerr << "\r\033[K" << std::flush;
}

void CheckingDisplay::checked(std::size_t points, std::size_t of_all) {
  if (Clock::now() < next_) return;
  if (terminal_) {
    std::cerr << "\r\033[K";
  }
  std::cerr << "checking the points of the sweep: " << points << " of " << of_all
            << (terminal_ ? "" : "\n") << std::flush;
  shown_ = true;
  next_ = Clock::now() + (terminal_ ? Clock::duration(on_a_terminal) : Clock::duration(elsewhere));
}

}  // namespace motley

#include "sim/cli/last_words.hpp"

#include <csignal>
#include <fstream>
#include <unistd.h>

#include "sim/cli/command_line.hpp"
#include "sim/live/interrupts.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;

constexpr const char* mark_ending = ".gone";
constexpr const char* how_it_went =
    " has ended without a word: it crashed, was killed, or was ended by MPI because another rank "
    "is "
    "gone";

std::atomic<LastWords*> speaker = nullptr;

}  // namespace

LastWords::LastWords(Line line, const std::string& name, const fs::path& mark)
    : line_(std::move(line)),
      by_interrupt_(complaint(this->line(interruption(SIGINT)))),
      by_termination_(complaint(this->line(interruption(SIGTERM)))) {
  guardian_.emplace([&] {
    if (!mark.empty()) std::ofstream(fs::path(mark) += mark_ending) << name;
    complain(this->line(name + how_it_went));
  });
  speaker = this;
  on_interrupt(&LastWords::interrupted);
}

LastWords::~LastWords() {
  speaker = nullptr;
  guardian_->dismiss();
}

void LastWords::say(const std::string& reason) {
  if (said_.test_and_set()) return;
  complain(line(reason));
  guardian_->let_go();
}

void LastWords::interrupted(int signal) {
  LastWords* const me = speaker;
  if (me == nullptr || me->said_.test_and_set()) return;
  const std::string& text = signal == SIGINT ? me->by_interrupt_ : me->by_termination_;
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // the guardian says it
  me->guardian_->let_go();
}

std::string first_to_go(const fs::path& folder) {
  std::error_code error;
  std::optional<fs::file_time_type> first;
  std::string text;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    if (file.path().extension() != mark_ending) continue;
    const fs::file_time_type time = fs::last_write_time(file.path(), error);
    if (error || (first && *first <= time)) continue;
    first = time;
    std::ifstream in(file.path());
    std::getline(in, text);
  }
  return text;
}

}  // namespace motley

#include "sim/cli/last_words.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "sim/cli/command_line.hpp"
#include "sim/live/interrupts.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;

constexpr const char* mark_extension = ".gone";

/// A text of the page below; what is longer is cut.
class PreparedText {
 public:
  void set(const std::string& text) {
    size_ = std::min(text.size(), text_.size());
    std::memcpy(text_.data(), text.data(), size_);
  }
  std::string get() const { return {text_.data(), size_}; }
  void print() const {
    if (write(STDERR_FILENO, text_.data(), size_) < 0) return;  // nobody listens
  }

 private:
  std::array<char, 8192> text_{};
  std::size_t size_ = 0;
};

/// Made before they are needed: a signal's handler cannot make them, and the other process would not know them.
struct PreparedTexts {
  PreparedText by_sigint;
  PreparedText by_sigterm;
  PreparedText by_silence;
  PreparedText name;
  PreparedText mark;
};

/// Shared by this process and the one that outlives it; never given back, since a handler may come at any time.
struct SharedPage {
  std::atomic<bool> said = false;
  std::atomic<bool> ends_at_once = true;
  std::atomic<std::size_t> current = 0;
  std::array<PreparedTexts, 2> texts;  // the current ones, and those that are being made
};
std::atomic<SharedPage*> shared_page = nullptr;

SharedPage* new_page() {
  void* const memory =
      mmap(nullptr, sizeof(SharedPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  return new (memory) SharedPage;
}

const PreparedTexts& current_texts(const SharedPage& page) {
  return page.texts[page.current];
}

void speak_in_handler(int signal) {
  SharedPage* const page = shared_page;
  if (page == nullptr) return;
  if (!page->said.exchange(true)) {
    const PreparedTexts& texts = current_texts(*page);
    (signal == SIGINT ? texts.by_sigint : texts.by_sigterm).print();
  }
  if (page->ends_at_once) _exit(exit_when_interrupted);
}

/// In the process that outlives this one.
void speak_for(const SharedPage& page) {
  if (page.said) return;
  const PreparedTexts& texts = current_texts(page);
  texts.by_silence.print();
  const fs::path mark = texts.mark.get();
  std::error_code error;
  if (mark.empty() || !fs::exists(mark.parent_path(), error)) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::ofstream(mark) << std::chrono::nanoseconds(now).count() << " " << texts.name.get();
}

}  // namespace

LastWords::LastWords(std::size_t rank)
    : who_("rank " + std::to_string(rank)),
      name_(who_),
      line_{"the job is over before its run has begun: "} {
  shared_page = new_page();
  prepare();
  guardian_.emplace([] { speak_for(*shared_page); });
  on_interrupt(speak_in_handler);
  watch_signals();
}

LastWords::~LastWords() {
  shared_page.load()->ends_at_once = false;  // it ends by itself
  say_no_more();
  guardian_->dismiss();
}

void LastWords::expect(const Line& line, Interrupt interrupt) {
  line_ = line;
  prepare();
  shared_page.load()->ends_at_once = interrupt == Interrupt::ends_at_once;
}

void LastWords::introduce(const std::string& name, const fs::path& mark) {
  name_ = name;
  mark_ = mark;
  prepare();
}

void LastWords::prepare() {
  SharedPage& page = *shared_page;
  const std::size_t next = 1 - page.current;
  PreparedTexts& texts = page.texts[next];
  texts.by_sigint.set(complaint(line(interruption(SIGINT))));
  texts.by_sigterm.set(complaint(line(interruption(SIGTERM))));
  texts.by_silence.set(
      complaint(line(name_ + " has ended without a word: it crashed, was killed, or was "
                             "ended by MPI because another rank is gone")));
  texts.name.set(name_);
  texts.mark.set(mark_.empty() ? "" : mark_.string() + mark_extension);
  page.current = next;
}

std::string LastWords::line(const std::string& reason) const {
  return who_ + ": " + line_.before + reason + line_.after;
}

void LastWords::say(const std::string& reason) {
  const bool is_first = !shared_page.load()->said.exchange(true);
  if (!is_first && (said_.empty() || said_ == reason)) return;
  said_ = reason;
  complain(line(reason));
}

void LastWords::say_no_more() {
  shared_page.load()->said = true;
}

void LastWords::leave(int code) {
  say_no_more();
  std::cout.flush();
  std::cerr.flush();
  std::_Exit(code);
}

std::string first_to_go(const fs::path& folder, std::size_t ranks) {
  std::error_code error;
  std::optional<std::int64_t> first;
  std::string first_name;
  std::size_t gone = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    if (file.path().extension() != mark_extension) continue;
    std::ifstream in(file.path());
    std::int64_t time = 0;
    std::string name;
    if (!(in >> time) || !std::getline(in >> std::ws, name)) continue;
    ++gone;
    if (first && *first <= time) continue;
    first = time;
    first_name = name;
  }
  return gone < ranks ? first_name : "";
}

}  // namespace motley

#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/guardian.hpp"

namespace motley {

/// What a rank says when its job ends before its time: one line, by whoever comes first. That is the program; or the
/// handler of the signal that ends it, since the program may be inside of MPI, which waits for somebody who is gone; or,
/// where the process is gone without a word, one beside it that outlives it. One per process.
class LastWords {
 public:
  struct Line {
    std::string before;  ///< what is said of the reason
    std::string after;
  };
  /// `name`: who this is. `mark`: a file in which it is noted that this one is gone without a word; may be empty.
  LastWords(Line line, const std::string& name, const std::filesystem::path& mark);
  /// The job has ended as it should, or words were said.
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

  /// Says it, unless something was said.
  void say(const std::string& reason);
  /// In a process that was forked since: this is not its end.
  void disown() { guardian_->disown(); }

 private:
  static void interrupted(int signal);
  std::string line(const std::string& reason) const { return line_.before + reason + line_.after; }

  Line line_;
  // Made before they are needed: a handler cannot.
  std::string by_interrupt_;
  std::string by_termination_;
  std::atomic_flag said_ = ATOMIC_FLAG_INIT;
  std::optional<Guardian> guardian_;
};

/// The name of the first that has left its mark in this folder; empty when none has.
std::string first_to_go(const std::filesystem::path& folder);

}  // namespace motley

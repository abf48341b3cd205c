#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/guardian.hpp"

namespace motley {

/// What a rank of an MPI job says when the job ends before its time: one line, by whoever comes first. That is the
/// program; or the handler of the signal that ends it, since the program may be inside MPI, waiting for somebody who is
/// gone; or, where the process is gone without a word, a process beside it that outlives it. One per process, made
/// before MPI is begun, which some networks' drivers want.
class LastWords {
 public:
  explicit LastWords(std::size_t rank);
  /// The job has ended as it should, or words were said.
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

  /// The text around the reason.
  struct Line {
    std::string before;
    std::string after = {};
  };
  enum class Interrupt {
    ends_at_once,  ///< the program
    is_noted       ///< the program looks for it
  };
  /// What is said from now on, and what an interrupt does.
  void expect(const Line& line, Interrupt interrupt);
  /// Who this is. `mark`: a file in which it is noted when this one is gone without a word; may be empty.
  void introduce(const std::string& name, const std::filesystem::path& mark);

  /// Says it, unless a signal's handler has spoken or the same was said before.
  void say(const std::string& reason);
  /// This process ends now, as it should or with all said.
  void say_no_more();
  /// Ends it, without MPI's own end, which would wait for ranks that may be gone.
  [[noreturn]] void leave(int code);
  /// In a process that was forked since: this is not its end.
  void disown() { guardian_->disown(); }

 private:
  void prepare();
  std::string line(const std::string& reason) const;

  std::string who_;
  std::string name_;
  std::filesystem::path mark_;
  Line line_;
  std::string said_;  // by the program
  std::optional<Guardian> guardian_;
};

/// The name of the first of so many ranks that has left its mark in this folder; empty when none has, or all have: then
/// they were killed together.
std::string first_to_go(const std::filesystem::path& folder, std::size_t ranks);

}  // namespace motley

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/learning/rules/encoding.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

/// A moment that never comes.
inline constexpr double forever = std::numeric_limits<double>::infinity();

/// What travels between two bodies. It owns what it holds: whoever sent it may go on changing its
/// own vectors. Its size on the wire follows from its vectors and their encoding; numbers are assumed
/// to travel in the header, at no cost.
struct Message {
  std::size_t sender = 0;  ///< rank of a worker; filled in by the verb that sends
  std::string kind = {};   ///< "gradient", "model", "update", or a word of the algorithm's own
  Parameters vector = {};  ///< the first or only one; may be empty
  /// Further ones, in full precision: a control variate, a momentum.
  std::vector<Parameters> more = {};
  std::vector<double> numbers = {};
  Encoding encoding = {};    ///< of `vector`: what Compressor::compress() has returned for it
  std::uint32_t traced = 0;  ///< which message it was, on the timeline of a traced run
};

/// What reaches the server from a worker: a gradient, a model or an update with what is known of its
/// making, or nothing but numbers or the wish for a model.
struct Push : Message {
  std::uint64_t version = 0;  ///< of the model it was computed at
  std::uint64_t samples = 0;
  std::uint64_t data_samples = 0;  ///< how many there are in its sender's part of the data
  double compute_s = 0;            ///< virtual time its computation took
  bool wants_model = true;

  // What it brings; std::logic_error when it is something else.
  const Parameters& gradient() const { return brings("gradient"); }
  const Parameters& model() const { return brings("model"); }
  const Parameters& update() const { return brings("update"); }

 private:
  const Parameters& brings(const char* what) const;
};

/// Which messages are meant: all, or those from one sender, or of one kind, or both.
struct Wanted {
  std::optional<std::size_t> sender = {};
  std::string kind = {};  ///< empty: any but those of a group's broadcasts and gatherings

  bool matches(const Message& message) const {
    return (!sender || message.sender == *sender) &&
           (kind.empty() ? !message.kind.starts_with(group_mark) : message.kind == kind);
  }

  /// How the kinds begin that a group gives its own messages: as no word of an algorithm does.
  static constexpr const char* group_mark = "\1group ";
};

/// What may happen while a body waits. A worker leaves when its body ends, or when it is noticed that
/// its machine is down (unless failures are waited out); it joins when its machine is there again,
/// and its body has begun anew with nothing in its memory.
struct Event {
  enum class Kind { message, left, joined };
  Kind kind = Kind::message;
  Push message = {};       ///< what came; between workers, the Message part of it counts
  std::size_t worker = 0;  ///< who sent it, left or joined
};

/// When work under way is given up. By default never.
struct Until {
  double deadline = forever;  ///< at this moment
  bool newer_model = false;   ///< when a model arrives that was not yet pulled
  std::string told = {};      ///< when a message of this kind is there

  bool ever() const { return deadline < forever || newer_model || !told.empty(); }
};

}  // namespace motley

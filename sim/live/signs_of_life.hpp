#pragma once

#include "sim/live/post.hpp"
#include "sim/live/silence.hpp"

namespace motley {

/// Where ranks wait for each other without an algorithm: everybody lets the first rank hear of it now and then, and
/// that one the others. Who is silent for too long ends the wait for all.
class SignsOfLife {
 public:
  explicit SignsOfLife(Post& post);
  ~SignsOfLife() { post_.on(PacketKind::alive, nullptr); }  // signs that come later are nobody's
  SignsOfLife(const SignsOfLife&) = delete;
  SignsOfLife& operator=(const SignsOfLife&) = delete;

  /// Called again and again while waiting.
  void look();

 private:
  Post& post_;
  Silence silence_;
  double next_s_ = 0;
};

}  // namespace motley

#pragma once

#include "sim/live/post.hpp"
#include "sim/live/silence.hpp"

namespace motley {

/// Where ranks wait for each other without an algorithm: everybody lets the first rank hear of it now and then, and
/// that one the others. Who is silent for too long ends the wait for all.
class SignsOfLife {
 public:
  /// It looks whenever this rank waits, as long as it is there.
  explicit SignsOfLife(Post& post);
  ~SignsOfLife();
  SignsOfLife(const SignsOfLife&) = delete;
  SignsOfLife& operator=(const SignsOfLife&) = delete;

 private:
  void look();

  Post& post_;
  Silence silence_;
  double next_s_ = 0;
};

}  // namespace motley

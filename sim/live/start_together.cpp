#include "sim/live/start_together.hpp"

#include <limits>

namespace motley {
namespace {

enum class Word : std::uint8_t { what_time, time, ready, start };

void say(Post& post, std::size_t to, Word word, double number = 0) {
  ByteWriter content;
  content.put(word);
  content.put(number);
  post.send(to, PacketKind::time, content, 0);
}

/// The middle of the shortest question and answer is the moment that the answer tells of.
void compare_clock(Post& post, const std::optional<double>& answer,
                   const std::function<void()>& ask) {
  constexpr int questions = 50;
  double shortest = std::numeric_limits<double>::infinity();
  double ahead = 0;
  for (int i = 0; i < questions; ++i) {
    const double asked = LiveClock::machine_s();
    ask();
    post.wait(forever, [&] { return answer.has_value(); });
    const double answered = LiveClock::machine_s();
    if (answered - asked >= shortest) continue;
    shortest = answered - asked;
    ahead = *answer - (asked + answered) / 2;
  }
  post.clock().set_ahead(ahead);
}

}  // namespace

void start_together(Post& post, bool compares_clock, const std::function<bool()>& is_ready) {
  constexpr double soon_s = 0.05;  // long enough for everybody to hear of it
  std::size_t ready = 1;
  std::optional<double> answer;
  std::optional<double> start;
  LiveClock& clock = post.clock();
  clock.start_at(0);
  post.on(PacketKind::time, [&](Packet& packet) {
    ByteReader content = packet.content();
    const auto word = content.take<Word>();
    const auto number = content.take<double>();
    if (word == Word::what_time) say(post, packet.from, Word::time, clock.common_s());
    if (word == Word::time) answer = number;
    if (word == Word::ready) ++ready;
    if (word == Word::start) start = number;
  });
  struct
      NoMore {  // also when it ends by an exception: what comes later must not be told to what is gone
    Post& post;
    ~NoMore() { post.on(PacketKind::time, nullptr); }
  } const guard{post};
  if (is_ready) post.wait(forever, is_ready);
  if (post.rank() == 0) {
    post.wait(forever, [&] { return ready == post.ranks(); });
    start = clock.common_s() + soon_s;
    for (std::size_t other = 1; other < post.ranks(); ++other)
      say(post, other, Word::start, *start);
  } else {
    if (compares_clock) {
      compare_clock(post, answer, [&] {
        answer.reset();
        say(post, 0, Word::what_time);
      });
    }
    say(post, 0, Word::ready);
    post.wait(forever, [&] { return start.has_value(); });
  }
  clock.start_at(*start);
  post.wait(0, [] { return false; });
}

}  // namespace motley

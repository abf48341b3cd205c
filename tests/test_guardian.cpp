// A process that finishes what another one leaves when it is killed.
#include <array>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/guardian.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

using namespace motley;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

bool appears(const fs::path& file) {
  for (int i = 0; i < 1000; ++i) {
    if (fs::exists(file)) return true;
    usleep(10'000);
  }
  return false;
}

enum class End { dismissed, thrown, killed, left };

/// A process that has a guardian and ends. The guardian waits for a file "go" and then writes a file "done".
void process_with_guardian(const TemporaryFolder& place, End end) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    {
      Guardian guardian([&] {
        if (appears(place.file("go"))) place.write("done", "");
      });
      if (end == End::dismissed) guardian.dismiss();
      if (end == End::killed) raise(SIGKILL);
      if (end == End::left) _exit(0);
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("a guardian does its work when its process is killed or forgets to dismiss it") {
  for (const End end : {End::thrown, End::killed, End::left}) {
    const TemporaryFolder place;
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    process_with_guardian(place, end);
    // While it is at work it keeps nothing open that its process had.
    close(ends[1]);
    pollfd reading = {ends[0], POLLIN, 0};
    CHECK(poll(&reading, 1, 5000) == 1);
    CHECK((reading.revents & POLLHUP) != 0);
    close(ends[0]);
    CHECK_FALSE(fs::exists(place.file("done")));
    place.write("go", "");
    CHECK(appears(place.file("done")));
  }
}

TEST_CASE("a guardian does not wait for a process that was forked later and has disowned it") {
  const TemporaryFolder place;
  place.write("go", "");
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  pid_t later = 0;
  {
    Guardian guardian([&] { place.write("done", ""); });
    later = fork();
    REQUIRE(later >= 0);
    if (later == 0) {
      guardian.disown();
      char word = '.';
      (void)!write(ends[1], &word, 1);
      pause();
    }
    char word = 0;
    REQUIRE(read(ends[0], &word, 1) == 1);
  }
  CHECK(appears(place.file("done")));
  kill(later, SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0) continue;
  for (const int end : ends) close(end);
}

TEST_CASE("a guardian that is dismissed does nothing, and is gone when that is done") {
  const TemporaryFolder place;
  place.write("go", "");
  process_with_guardian(place, End::dismissed);
  Guardian guardian([&] { place.write("done", ""); });
  guardian.dismiss();
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // there is no child
  CHECK_FALSE(fs::exists(place.file("done")));
}

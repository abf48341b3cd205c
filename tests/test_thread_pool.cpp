#include <atomic>
#include <numeric>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <utility>

#include "sim/base/thread_pool.hpp"
#include "sim/engine/computing/computation.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

constexpr std::size_t small = 1;           // bytes of a result: memory is no matter
constexpr std::size_t large = 1ULL << 40;  // beyond all bounds: as few as can be are held

/// A computation that counts what is asked of it.
struct Counted : Computation {
  explicit Counted(std::size_t rank) : Computation(rank) {}
  void prepare() override { ++prepared; }
  void unprepare() override { --prepared; }
  void compute(unsigned) override {
    ++computed;
    if (fails) throw std::runtime_error("not a number");
  }
  int prepared = 0;  // whether it has memory
  std::atomic<int> computed = 0;
  bool fails = false;
};

TEST_CASE("every task is done once, whatever the number of threads") {
  for (const unsigned threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    std::vector<int> done(100, 0);
    std::vector<std::unique_ptr<ThreadPool::Task>> tasks;
    for (std::size_t i = 0; i < done.size(); ++i) {
      tasks.push_back(std::make_unique<ThreadPool::Task>([&done, i](unsigned) { ++done[i]; }));
    }
    for (int round = 1; round <= 3; ++round) {
      for (const auto& task : tasks) pool.submit(*task);
      for (const auto& task : tasks) pool.finish(*task);
      CHECK(done == std::vector<int>(done.size(), round));
    }
  }
}

TEST_CASE("no two tasks use the same thread index at once") {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> inside(3);
  std::atomic<bool> clash = false;
  std::vector<std::unique_ptr<ThreadPool::Task>> tasks;
  for (int i = 0; i < 200; ++i) {
    tasks.push_back(std::make_unique<ThreadPool::Task>([&](unsigned thread) {
      if (++inside.at(thread) != 1) clash = true;
      --inside[thread];
    }));
    pool.submit(*tasks.back());
  }
  for (const auto& task : tasks) pool.finish(*task);
  CHECK_FALSE(clash);
}

TEST_CASE("what a task throws comes out of finish, and the pool goes on") {
  for (const unsigned threads : {1U, 2U}) {
    ThreadPool pool(threads);
    ThreadPool::Task bad([](unsigned) { throw std::runtime_error("not a number"); });
    pool.submit(bad);
    CHECK_THROWS_WITH(pool.finish(bad), "not a number");
    int done = 0;
    ThreadPool::Task good([&done](unsigned) { ++done; });
    pool.submit(good);
    pool.finish(good);
    CHECK(done == 1);
  }
}

TEST_CASE("for_ranges covers every index once") {
  for (const unsigned threads : {1U, 2U, 4U}) {
    ThreadPool pool(threads);
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      std::vector<int> hits(size, 0);
      pool.for_ranges(size, 3, [&hits](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
      });
      CHECK(hits == std::vector<int>(size, 1));
    }
  }
}

TEST_CASE("cancelled work that has not started is not computed") {
  ThreadPool pool(1);
  LookAhead look_ahead(pool, small);
  Counted one(0);
  look_ahead.start(one, 1.0);
  look_ahead.withdraw(one);
  CHECK(one.prepared == 0);
  CHECK(one.computed == 0);
  look_ahead.withdraw(one);  // harmless
  look_ahead.start(one, 2.0);
  look_ahead.finish(one);
  CHECK(one.computed == 1);
}

/// Keeps the pool's other thread busy, as a long gradient would, until told to end.
class Busy {
 public:
  explicit Busy(ThreadPool& pool) : pool_(pool), task_([this](unsigned) { keep(); }) {
    pool_.submit(task_);
    began_.acquire();
  }
  ~Busy() {
    end();
    pool_.finish(task_);
  }
  void end() {
    if (!std::exchange(ended_, true)) end_.release();
  }

 private:
  void keep() {
    began_.release();
    end_.acquire();
  }
  ThreadPool& pool_;
  std::binary_semaphore began_{0};
  std::binary_semaphore end_{0};
  bool ended_ = false;
  ThreadPool::Task task_;
};

/// So many computations, of ranks from `first` on.
std::vector<std::unique_ptr<Counted>> some_computations(std::size_t count, std::size_t first = 0) {
  std::vector<std::unique_ptr<Counted>> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(std::make_unique<Counted>(first + i));
  return all;
}

int prepared(const std::vector<std::unique_ptr<Counted>>& all) {
  return std::accumulate(all.begin(), all.end(), 0,
                         [](int sum, const auto& c) { return sum + c->prepared; });
}

int computed(const std::vector<std::unique_ptr<Counted>>& all) {
  return std::accumulate(all.begin(), all.end(), 0,
                         [](int sum, const auto& c) { return sum + c->computed; });
}

TEST_CASE("queued tasks begin in the order in which they are needed") {
  ThreadPool pool(2);
  std::vector<int> order;
  std::atomic<std::size_t> done = 0;
  std::vector<std::unique_ptr<ThreadPool::Task>> tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(std::make_unique<ThreadPool::Task>([&order, &done, i](unsigned) {
      order.push_back(i);
      ++done;
    }));
  }
  Busy busy(pool);
  pool.submit(*tasks[0], 3);
  pool.submit(*tasks[1], 1);
  pool.submit(*tasks[2], 3);
  pool.submit(*tasks[3]);  // now
  CHECK(pool.queued() == 4);
  CHECK(pool.take_back_last(3) == nullptr);
  CHECK(pool.take_back_last(2.5) == tasks[2].get());  // of equal ones the last
  CHECK(pool.queued() == 3);
  pool.submit(*tasks[2], 2);
  busy.end();
  while (done < tasks.size()) std::this_thread::yield();  // the other thread does them all
  for (const auto& task : tasks) pool.finish(*task);
  CHECK(order == std::vector<int>{3, 1, 2, 0});
}

TEST_CASE("only a few computations that have not begun hold memory, those needed first") {
  ThreadPool pool(2);
  LookAhead look_ahead(pool, small);
  const std::vector<std::unique_ptr<Counted>> all = some_computations(50);
  {
    const Busy busy(pool);
    // Each is needed before all that came before it and takes the place of the one needed last.
    for (std::size_t i = 0; i < all.size(); ++i) {
      look_ahead.start(*all[i], static_cast<double>(100 - i));
    }
    REQUIRE(look_ahead.most_waiting() == 8);  // four a thread
    CHECK(prepared(all) == 8);
    for (std::size_t i = 42; i < 50; ++i) CHECK(all[i]->prepared == 1);
    look_ahead.finish(*all[49]);
    look_ahead.finish(*all[48]);
    CHECK(all[41]->prepared == 1);  // needed first of those that waited, in the place of 49
    CHECK(computed(all) == 2);
  }
  for (std::size_t i = 0; i < 48; ++i) look_ahead.finish(*all[i]);
  for (const auto& computation : all) CHECK(computation->computed == 1);
}

TEST_CASE("results not needed for long do not keep out those needed first") {
  ThreadPool pool(2);
  LookAhead look_ahead(pool, large);
  REQUIRE(look_ahead.most_waiting() == 8);
  REQUIRE(look_ahead.most_results() == 16);  // no fewer than twice as many
  const std::vector<std::unique_ptr<Counted>> slow = some_computations(100);
  const std::vector<std::unique_ptr<Counted>> fast = some_computations(8, 100);
  for (const auto& computation : slow) look_ahead.start(*computation, 4);
  CHECK(prepared(slow) == 8);  // the other half is kept for others
  while (computed(slow) < 8) std::this_thread::yield();
  for (int round = 0; round < 3; ++round) {
    for (const auto& computation : fast) look_ahead.start(*computation, 1 + round);
    CHECK(prepared(fast) == 8 * (round + 1));  // all have run ahead, each time
    for (const auto& computation : fast) look_ahead.finish(*computation);
    CHECK(computed(fast) == 8 * (round + 1));
    CHECK(prepared(slow) == 8);
  }
  for (const auto& computation : slow) look_ahead.finish(*computation);
  for (const auto& computation : slow) CHECK(computation->computed == 1);
}

TEST_CASE("results held ahead of their end have a bound, whatever the order they come in") {
  ThreadPool pool(2);
  LookAhead look_ahead(pool, large);
  const std::vector<std::unique_ptr<Counted>> all = some_computations(50);
  for (std::size_t i = 0; i < all.size(); ++i) {
    look_ahead.start(*all[i], static_cast<double>(100 - i));  // before all that are there
    while (pool.queued() > 0) std::this_thread::yield();
  }
  CHECK(prepared(all) == static_cast<int>(look_ahead.most_results()));
  for (const auto& computation : all) look_ahead.finish(*computation);
  for (const auto& computation : all) CHECK(computation->computed == 1);
}

TEST_CASE("a computation that throws far ahead says so when it is finished") {
  ThreadPool pool(2);
  LookAhead look_ahead(pool, small);
  Counted bad(0);
  Counted good(1);
  bad.fails = true;
  look_ahead.start(bad, 1);
  look_ahead.start(good, 2);
  CHECK_THROWS_WITH(look_ahead.finish(bad), "not a number");
  look_ahead.finish(good);
  CHECK(good.computed == 1);
}

}  // namespace
}  // namespace motley

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "sim/core/thread_pool.hpp"
#include "sim/engine/computation.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

/// A computation that counts what is asked of it.
struct Counted : Computation {
  explicit Counted(std::size_t rank) : Computation(rank) {}
  void prepare() override { ++prepared; }
  void compute(unsigned) override {
    ++computed;
    if (fails) throw std::runtime_error("not a number");
  }
  int prepared = 0;
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
  LookAhead look_ahead(pool);
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

TEST_CASE("only a few computations take memory ahead of their end, those needed first") {
  ThreadPool pool(2);
  LookAhead look_ahead(pool);
  std::vector<std::unique_ptr<Counted>> all;
  for (std::size_t i = 0; i < 50; ++i) {
    all.push_back(std::make_unique<Counted>(i));
    look_ahead.start(*all.back(), static_cast<double>(100 - i));
  }
  const auto prepared = [&] {
    return std::accumulate(all.begin(), all.end(), 0,
                           [](int sum, const auto& c) { return sum + c->prepared; });
  };
  CHECK(prepared() == 8);  // four a thread
  look_ahead.finish(*all[0]);
  CHECK(all[49]->prepared == 1);  // needed first of those that waited
  for (std::size_t i = 1; i < all.size(); ++i) look_ahead.finish(*all[i]);
  for (const auto& computation : all) CHECK(computation->computed == 1);
}

TEST_CASE("a computation that throws far ahead says so when it is finished") {
  ThreadPool pool(2);
  LookAhead look_ahead(pool);
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

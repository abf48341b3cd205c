#pragma once

#include <cstddef>

#include <boost/intrusive/set.hpp>

#include "sim/base/thread_pool.hpp"

namespace motley {

/// A real computation that goes with a virtual one: its inputs are fixed when the virtual one
/// starts, its result is needed when that ends.
class Computation : public boost::intrusive::set_base_hook<> {
 public:
  explicit Computation(std::size_t rank) : rank_(rank), task_(*this) {}
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  friend bool operator<(const Computation& a, const Computation& b) {
    return a.needed_at_ != b.needed_at_ ? a.needed_at_ < b.needed_at_ : a.rank_ < b.rank_;
  }

 protected:
  /// Takes the memory for the result; in the simulation's thread, as late as possible.
  virtual void prepare() = 0;
  /// Gives that memory back: it has not begun after all, and will be prepared again.
  virtual void unprepare() = 0;
  /// In any thread, once.
  virtual void compute(unsigned thread) = 0;

 private:
  friend class LookAhead;
  struct Task : ThreadPool::Task {
    explicit Task(Computation& of)
        : ThreadPool::Task([&of](unsigned thread) { of.compute(thread); }), computation(of) {}
    Computation& computation;
  };

  std::size_t rank_;
  double needed_at_ = 0;
  bool ahead_ = false;
  Task task_;
};

/// Decides which computations run ahead of their virtual end: always those needed first.
///
/// Two things are bounded apart from each other. Only a few computations more than there are
/// threads are handed to the pool and not begun, and one needed later makes room for one needed
/// earlier. And the results that are there before they are needed take a bounded amount of memory,
/// so that thousands of workers do not each hold one; half of it is kept for those few needed next,
/// lest results not needed for long (of slow workers) keep them out.
///
/// With one thread none runs ahead; cancelled work that has not begun is never computed.
class LookAhead {
 public:
  LookAhead(ThreadPool& pool, std::size_t bytes_of_a_result);

  /// `needed_at` is the expected virtual end; it decides the order, nothing else.
  void start(Computation& computation, double needed_at);
  /// At the virtual end: returns when the computation is done; rethrows what it threw.
  void finish(Computation& computation);
  /// Takes it back if it was started and not finished; harmless otherwise.
  void withdraw(Computation& computation) noexcept;

  /// How many may wait for a thread with their memory taken.
  std::size_t most_waiting() const { return most_waiting_; }
  /// How many may hold memory ahead of their end, begun or not.
  std::size_t most_results() const { return most_results_; }

 private:
  void hand_out(Computation& computation);
  void top_up();
  /// Whether another result may take memory: this one, the first that has none.
  bool has_memory_for(const Computation& first) const;
  /// Whether there is a place in the pool's queue, if need be that of one needed later.
  bool has_place_for(const Computation& first);

  ThreadPool& pool_;
  std::size_t most_waiting_;
  std::size_t most_results_;
  boost::intrusive::set<Computation> waiting_;  // without memory
  boost::intrusive::set<Computation> ahead_;    // handed to the pool
};

}  // namespace motley

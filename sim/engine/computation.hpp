#pragma once

#include <cstddef>

#include <boost/intrusive/set.hpp>

#include "sim/core/thread_pool.hpp"

namespace motley {

/// A real computation that goes with a virtual one: its inputs are fixed when the virtual one
/// starts, its result is needed when that ends.
class Computation : public boost::intrusive::set_base_hook<> {
 public:
  explicit Computation(std::size_t rank) : rank_(rank), task_([this](unsigned t) { compute(t); }) {}
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  friend bool operator<(const Computation& a, const Computation& b) {
    return a.needed_at_ != b.needed_at_ ? a.needed_at_ < b.needed_at_ : a.rank_ < b.rank_;
  }

 protected:
  /// Takes the memory for the result; in the simulation's thread, as late as possible.
  virtual void prepare() = 0;
  /// In any thread, once.
  virtual void compute(unsigned thread) = 0;

 private:
  friend class LookAhead;
  std::size_t rank_;
  double needed_at_ = 0;
  bool handed_out_ = false;
  ThreadPool::Task task_;
};

/// Decides which computations run ahead of their virtual end: those needed first, and only a few
/// more than there are threads, so that thousands of workers do not each hold the memory of a
/// result. With one thread none runs ahead; cancelled work that has not started is never computed.
class LookAhead {
 public:
  explicit LookAhead(ThreadPool& pool)
      : pool_(pool), most_ahead_(pool.threads() > 1 ? 4 * pool.threads() : 0) {}

  /// `needed_at` is the expected virtual end; it decides the order, nothing else.
  void start(Computation& computation, double needed_at);
  /// At the virtual end: returns when the computation is done; rethrows what it threw.
  void finish(Computation& computation);
  /// Takes it back if it was started and not finished; harmless otherwise.
  void withdraw(Computation& computation) noexcept;

 private:
  void hand_out(Computation& computation);
  void top_up();

  ThreadPool& pool_;
  std::size_t most_ahead_;
  std::size_t handed_out_ = 0;
  boost::intrusive::set<Computation> waiting_;
};

}  // namespace motley

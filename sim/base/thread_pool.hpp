#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <boost/intrusive/set.hpp>

namespace motley {

/// Makes this thread take denormal floats as zero: they are slow, and mean nothing to SGD. All
/// threads that compute do the same, so that no result depends on who computed it.
void flush_denormals();

/// Real computations handed out when their virtual time starts and waited for when it ends. The
/// caller of finish() works too, so `threads` counts it: with 1 there are no other threads and a
/// task runs in finish(). What a task computes must not depend on who runs it or when; then no
/// result depends on the number of threads.
class ThreadPool {
 public:
  /// A piece of work, made once and submitted again and again. Belongs to the submitting thread
  /// except between submit() and the return of finish() or withdraw().
  class Task : public boost::intrusive::set_base_hook<> {
   public:
    /// `thread` is below ThreadPool::threads() and no two tasks run in the same one at once: an
    /// index for workspaces.
    explicit Task(std::function<void(unsigned thread)> work) : work_(std::move(work)) {}
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    friend bool operator<(const Task& a, const Task& b) { return a.needed_at_ < b.needed_at_; }

   private:
    friend class ThreadPool;
    enum class State { idle, queued, running, done };
    std::function<void(unsigned)> work_;
    double needed_at_ = 0;
    std::atomic<State> state_ = State::idle;  // changed under the pool's mutex
    std::exception_ptr error_;
  };

  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  static constexpr double now = -std::numeric_limits<double>::infinity();
  /// Those needed first are begun first, and of equal ones those submitted first.
  void submit(Task& task, double needed_at = now);
  /// Returns when the task is done, having run it or others meanwhile. Rethrows what it threw. Only
  /// one thread may call finish().
  void finish(Task& task);
  /// Takes the task back: not computed at all if it had not started, else waited for; its exception
  /// is dropped. Harmless on an idle task.
  void withdraw(Task& task) noexcept;
  /// How many tasks wait for a thread; none with one thread.
  std::size_t queued() const { return queued_; }
  /// Takes back the waiting task that is needed last, if that is after `time`; else returns null.
  Task* take_back_last(double time);

  /// Calls f(begin, end) on pieces of [0, size) of at least `grain`, on all threads at once, and
  /// returns when all are done. f must not throw.
  void for_ranges(std::size_t size, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& f);

 private:
  void help(unsigned thread);
  void run(std::unique_lock<std::mutex>& lock, Task& task, unsigned thread);
  /// Out of the queue.
  Task& take(Task& task);

  std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::condition_variable task_done_;
  boost::intrusive::multiset<Task> queue_;
  std::atomic<std::size_t> queued_ = 0;  // size of queue_, to look at without the mutex
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> helpers_;

  // for_ranges: what its tasks, one per thread, work on.
  std::vector<std::unique_ptr<Task>> range_tasks_;
  const std::function<void(std::size_t, std::size_t)>* range_function_ = nullptr;
  std::size_t range_size_ = 0;
  std::size_t range_pieces_ = 0;
};

}  // namespace motley

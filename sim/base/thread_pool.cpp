#include "sim/base/thread_pool.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace motley {
namespace {

/// Waits a little for a condition without sleeping: gradients take about as long as the kernel
/// takes to wake a thread. Returns whether it came true.
template <class Condition>
bool spin_until(Condition condition) {
  constexpr int most = 20000;
  for (int i = 0; i < most; ++i) {
    if (condition()) return true;
#if defined(__SSE2__)
    _mm_pause();
#endif
  }
  return condition();
}

}  // namespace

void flush_denormals() {
#if defined(__SSE2__)
  constexpr unsigned flush_to_zero = 0x8000;
  constexpr unsigned denormals_are_zero = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#endif
}

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    range_tasks_.push_back(std::make_unique<Task>([this, i](unsigned) {
      (*range_function_)(range_size_ * i / range_pieces_, range_size_ * (i + 1) / range_pieces_);
    }));
  }
  for (unsigned i = 1; i < threads; ++i) {
    try {
      helpers_.emplace_back([this, i] { help(i); });
    } catch (const std::system_error&) {
      break;  // the system allows no more: those there are do the work
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    queue_.clear();
    queued_ = 0;
  }
  work_arrived_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::submit(Task& task, double needed_at) {
  const std::lock_guard<std::mutex> lock(mutex_);
  task.needed_at_ = needed_at;
  task.state_ = Task::State::queued;
  task.error_ = nullptr;
  if (helpers_.empty()) return;  // it runs in finish()
  queue_.insert(task);
  queued_ = queue_.size();
  work_arrived_.notify_one();
}

void ThreadPool::run(std::unique_lock<std::mutex>& lock, Task& task, unsigned thread) {
  task.state_ = Task::State::running;
  lock.unlock();
  std::exception_ptr error;
  flush_denormals();
  try {
    task.work_(thread);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  task.error_ = error;
  task.state_ = Task::State::done;
}

ThreadPool::Task& ThreadPool::take(Task& task) {
  queue_.erase(queue_.iterator_to(task));
  queued_ = queue_.size();
  return task;
}

ThreadPool::Task* ThreadPool::take_back_last(double time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (queue_.empty() || queue_.rbegin()->needed_at_ <= time) return nullptr;
  Task& last = take(*queue_.rbegin());
  last.state_ = Task::State::idle;
  return &last;
}

void ThreadPool::finish(Task& task) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (task.state_ == Task::State::queued) {
    if (task.is_linked()) take(task);
    run(lock, task, 0);
  }
  while (task.state_ != Task::State::done) {
    if (!queue_.empty()) {
      run(lock, take(*queue_.begin()), 0);
      continue;
    }
    lock.unlock();
    spin_until([&task] { return task.state_ == Task::State::done; });
    lock.lock();
    task_done_.wait(lock, [&task] { return task.state_ == Task::State::done; });
  }
  task.state_ = Task::State::idle;
  if (task.error_) std::rethrow_exception(std::exchange(task.error_, nullptr));
}

void ThreadPool::withdraw(Task& task) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  if (task.is_linked()) take(task);
  task_done_.wait(lock, [&task] { return task.state_ != Task::State::running; });
  task.state_ = Task::State::idle;
  task.error_ = nullptr;
}

void ThreadPool::for_ranges(std::size_t size, std::size_t grain,
                            const std::function<void(std::size_t, std::size_t)>& f) {
  range_pieces_ = std::clamp<std::size_t>(size / grain, 1, threads());
  if (range_pieces_ == 1) {
    f(0, size);
    return;
  }
  range_function_ = &f;
  range_size_ = size;
  for (std::size_t i = 1; i < range_pieces_; ++i) submit(*range_tasks_[i]);
  f(0, size / range_pieces_);
  for (std::size_t i = 1; i < range_pieces_; ++i) finish(*range_tasks_[i]);
}

void ThreadPool::help(unsigned thread) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (queue_.empty() && !closing_) {
      lock.unlock();
      spin_until([this] { return queued_ > 0 || closing_; });
      lock.lock();
    }
    work_arrived_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (closing_) return;
    run(lock, take(*queue_.begin()), thread);
    task_done_.notify_all();
  }
}

}  // namespace motley

#include "sim/core/thread_pool.hpp"

#include <algorithm>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace motley {

void flush_denormals() {
#if defined(__SSE2__)
  constexpr unsigned flush_to_zero = 0x8000;
  constexpr unsigned denormals_are_zero = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#endif
}

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) {
    helpers_.emplace_back([this, i] { help(i); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
    queue_.clear();
  }
  work_arrived_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadPool::submit(Task& task) {
  const std::lock_guard<std::mutex> lock(mutex_);
  task.state_ = Task::State::queued;
  task.error_ = nullptr;
  if (helpers_.empty()) return;  // it runs in finish()
  queue_.push_back(&task);
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

void ThreadPool::remove(Task& task) {
  const auto found = std::find(queue_.begin(), queue_.end(), &task);
  if (found != queue_.end()) queue_.erase(found);
}

void ThreadPool::finish(Task& task) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (task.state_ == Task::State::queued) {
    remove(task);
    run(lock, task, 0);
  }
  while (task.state_ != Task::State::done) {
    if (!queue_.empty()) {
      Task* other = queue_.front();
      queue_.pop_front();
      run(lock, *other, 0);
    } else {
      task_done_.wait(lock);
    }
  }
  task.state_ = Task::State::idle;
  if (task.error_) std::rethrow_exception(std::exchange(task.error_, nullptr));
}

void ThreadPool::withdraw(Task& task) noexcept {
  std::unique_lock<std::mutex> lock(mutex_);
  if (task.state_ == Task::State::queued) remove(task);
  task_done_.wait(lock, [&task] { return task.state_ != Task::State::running; });
  task.state_ = Task::State::idle;
  task.error_ = nullptr;
}

void ThreadPool::help(unsigned thread) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    work_arrived_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (closing_) return;
    Task* task = queue_.front();
    queue_.pop_front();
    run(lock, *task, thread);
    task_done_.notify_all();
  }
}

}  // namespace motley

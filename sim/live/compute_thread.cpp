#include "sim/live/compute_thread.hpp"

#include <utility>

#include "sim/base/thread_pool.hpp"

namespace motley {

ComputeThread::ComputeThread() : thread_([this] { work(); }) {}

ComputeThread::~ComputeThread() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ComputeThread::start(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    done_ = false;
  }
  changed_.notify_all();
}

void ComputeThread::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_.load(); });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ComputeThread::work() {
  flush_denormals();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || work_; });
    if (!work_) return;
    const std::function<void()> work = std::exchange(work_, nullptr);
    lock.unlock();
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    error_ = error;
    done_ = true;
    changed_.notify_all();
  }
}

}  // namespace motley

#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace motley {

/// A thread for the mathematics of a rank, so that its messages move on meanwhile. One piece of work at a
/// time.
class ComputeThread {
 public:
  ComputeThread();
  ~ComputeThread();
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;

  void start(std::function<void()> work);
  bool is_done() const { return done_; }
  /// Waits for the end of what was started; rethrows what it threw.
  void finish();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  std::exception_ptr error_;
  std::atomic<bool> done_ = true;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace motley

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "sim/live/run_log.hpp"

namespace motley {

/// What a rank has noted so far, in a file: for whoever writes the results when the rank is gone. The file is in use
/// until the rank and all processes that it has forked since are through with it.
class LogFile {
 public:
  /// Begins the file. One that cannot be written is done without: the run goes on.
  explicit LogFile(const std::filesystem::path& file);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// What has come to the log since the last call; at most every quarter of a second, given the time.
  void keep_up(const RunLog& log, double now);
  /// The same, now and to its end.
  void keep(const RunLog& log);

  /// What is whole of it; empty when there is none.
  static RunLog read(const std::filesystem::path& file);
  static bool is_in_use(const std::filesystem::path& file);

 private:
  void put(const RunLog& log);
  void write_all();
  bool write(const std::vector<std::byte>& part) const;

  int fd_ = -1;
  // Written by a thread of its own: a disk that is slow must not hold up messages.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<std::byte>> parts_;
  bool is_writing_ = false;
  bool closing_ = false;
  bool is_full_ = false;  // the disk; what is there stays
  std::thread writer_;
  double next_s_ = 0;
  std::size_t entries_ = 0;  // that are in it
  std::size_t models_ = 0;
};

}  // namespace motley

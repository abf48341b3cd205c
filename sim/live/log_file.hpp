#pragma once

#include <filesystem>

#include "sim/live/run_log.hpp"

namespace motley {

/// What a rank has noted so far, in a file: for whoever writes the results when the rank is gone.
class LogFile {
 public:
  /// Begins the file. One that cannot be written is done without: the run goes on.
  explicit LogFile(const std::filesystem::path& file);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// What has come to the log since the last call; at most every quarter of a second, given the time.
  void keep_up(const RunLog& log, double now);

  /// What is whole of it; empty when there is none.
  static RunLog read(const std::filesystem::path& file);

 private:
  void close();

  int fd_ = -1;
  double next_s_ = 0;
  std::size_t entries_ = 0;  // that are in it
  std::size_t models_ = 0;
};

}  // namespace motley

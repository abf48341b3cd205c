#include "sim/live/log_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <unistd.h>

namespace motley {

LogFile::LogFile(const std::filesystem::path& file)
    : fd_(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (fd_ < 0) return;
  flock(fd_, LOCK_EX | LOCK_NB);
  writer_ = std::thread([this] { write_all(); });
}

LogFile::~LogFile() {
  if (fd_ < 0) return;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  writer_.join();
  ::close(fd_);
}

void LogFile::keep_up(const RunLog& log, double now) {
  constexpr double every_s = 0.25;
  if (fd_ < 0 || now < next_s_) return;
  next_s_ = now + every_s;
  put(log);
}

void LogFile::keep(const RunLog& log) {
  if (fd_ < 0) return;
  put(log);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return parts_.empty() && !is_writing_; });
}

void LogFile::put(const RunLog& log) {
  if (log.entries.size() == entries_ && log.ending.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (is_full_) return;
  }
  ByteWriter part;
  put_log(part, log, entries_, models_);
  ByteWriter all;
  all.put_list(part.bytes());
  {
    const std::lock_guard lock(mutex_);
    parts_.emplace_back(all.bytes().begin(), all.bytes().end());
  }
  changed_.notify_all();
  entries_ = log.entries.size();
  models_ = log.models.size();
}

void LogFile::write_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !parts_.empty(); });
    if (parts_.empty()) return;
    const std::vector<std::byte> part = std::move(parts_.front());
    parts_.pop_front();
    is_writing_ = true;
    lock.unlock();
    const bool is_there = write(part);
    lock.lock();
    is_writing_ = false;
    if (!is_there) {
      is_full_ = true;
      parts_.clear();
    }
    changed_.notify_all();
  }
}

bool LogFile::write(const std::vector<std::byte>& part) const {
  for (std::size_t begin = 0; begin < part.size();) {
    const ssize_t written = ::write(fd_, part.data() + begin, part.size() - begin);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    begin += static_cast<std::size_t>(written);
  }
  return true;
}

RunLog LogFile::read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(in), {});
  RunLog log;
  ByteReader parts(std::as_bytes(std::span(all)));
  try {
    for (;;) {
      const std::vector<std::byte> part = parts.take_list<std::byte>();
      ByteReader reader(part);
      take_log(reader, log);
    }
  } catch (const std::runtime_error&) {  // the end, or what was being written then
  }
  return log;
}

bool LogFile::is_in_use(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool in_use = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return in_use;
}

}  // namespace motley

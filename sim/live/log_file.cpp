#include "sim/live/log_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace motley {

LogFile::LogFile(const std::filesystem::path& file)
    : fd_(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}

LogFile::~LogFile() {
  close();
}

void LogFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void LogFile::keep_up(const RunLog& log, double now) {
  constexpr double every_s = 0.25;
  if (fd_ < 0 || now < next_s_) return;
  next_s_ = now + every_s;
  if (log.entries.size() == entries_) return;
  ByteWriter part;
  put_log(part, log, entries_, models_);
  ByteWriter all;
  all.put_list(part.bytes());
  for (std::size_t begin = 0; begin < all.size();) {
    const ssize_t written = write(fd_, all.bytes().data() + begin, all.size() - begin);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return close();  // a full disk; what is there stays
    begin += static_cast<std::size_t>(written);
  }
  entries_ = log.entries.size();
  models_ = log.models.size();
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

}  // namespace motley

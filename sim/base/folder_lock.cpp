#include "sim/base/folder_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace motley {
namespace {

// What each byte of the lock file stands for; the file itself stays empty.
constexpr off_t turn = 0;
constexpr off_t presence = 1;

/// A byte for each run. Two hashes that agree in 60 bits would merely wait for each other.
off_t byte_of(const std::string& hash) {
  constexpr std::size_t digits = 15;
  return 2 + static_cast<off_t>(std::stoull(hash.substr(0, digits), nullptr, 16));
}

/// Locks of the open file and not of the process: a forked child keeps them as long as it lives,
/// and closing another descriptor of the file does not end them.
bool set_lock(int fd, short type, off_t byte, bool wait) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  while (fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    if (!wait && (errno == EAGAIN || errno == EACCES)) return false;
    throw std::runtime_error(std::string("the results folder cannot be locked: ") +
                             std::strerror(errno));
  }
  return true;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / ".lock";
  fd_ = open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd_ < 0) throw std::runtime_error(file.string() + ": " + std::strerror(errno));
}

FolderLock::~FolderLock() {
  close(fd_);
}

void FolderLock::exclusively(const std::function<void()>& function) const {
  set_lock(fd_, F_WRLCK, turn, true);
  try {
    function();
  } catch (...) {
    set_lock(fd_, F_UNLCK, turn, true);
    throw;
  }
  set_lock(fd_, F_UNLCK, turn, true);
}

void FolderLock::join() {
  set_lock(fd_, F_RDLCK, presence, true);
}

bool FolderLock::alone() const {
  if (!set_lock(fd_, F_WRLCK, presence, false)) return false;
  set_lock(fd_, F_UNLCK, presence, true);
  return true;
}

bool FolderLock::try_claim(const std::string& hash) const {
  return set_lock(fd_, F_WRLCK, byte_of(hash), false);
}

void FolderLock::release(const std::string& hash) const {
  set_lock(fd_, F_UNLCK, byte_of(hash), true);
}

}  // namespace motley

#include "sim/base/atomic_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace motley {
namespace {

namespace fs = std::filesystem;

const std::string half_written = ".new";

/// Of this process, so that two writers of one file do not meet in it.
fs::path temporary_for(const fs::path& file) {
  return file.parent_path() /
         ("." + file.filename().string() + "." + std::to_string(getpid()) + half_written);
}

bool write_all(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    written += static_cast<std::size_t>(n);
  }
  return true;
}

/// Writes a file that was not there before, so never through a link that lies in its place. `flush`:
/// to the disk. Returns 0 or why it failed.
int write_anew(const fs::path& file, const std::string& text, bool flush) {
  unlink(file.c_str());
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  const int error = write_all(fd, text) && (!flush || fsync(fd) == 0) ? 0 : errno;
  if (close(fd) != 0 && error == 0) return errno;
  return error;
}

/// So that the new name is as safe as the contents. File systems that cannot do it are left alone.
void sync_folder(const fs::path& folder) {
  const int fd = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

void write_and_rename(const fs::path& file, const std::string& text, bool flush) {
  const fs::path temporary = temporary_for(file);
  int error = write_anew(temporary, text, flush);
  if (error == 0 && rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    throw WriteError(file.string() + ": cannot be written: " + std::strerror(error));
  }
}

}  // namespace

void write_atomically(const fs::path& file, const std::string& text) {
  write_and_rename(file, text, true);
  sync_folder(file.parent_path());
}

void replace_atomically(const fs::path& file, const std::string& text) {
  write_and_rename(file, text, false);
}

std::error_code trial_of_writing(const fs::path& folder) {
  const fs::path temporary = temporary_for(folder / "trial");
  const int error = write_anew(temporary, "x", true);
  unlink(temporary.c_str());
  return {error, std::generic_category()};
}

void remove_half_written(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") && name.ends_with(half_written)) fs::remove(entry.path(), ignored);
  }
}

}  // namespace motley

#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace motley {

/// How the processes that work in one results folder keep out of each other's way. The locks are
/// the system's, on the file ".lock": they end with the process that holds them, however it ends.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Calls the function while no other process is inside its own.
  void exclusively(const std::function<void()>& function) const;

  /// From now on this process is at work here. Call it inside exclusively().
  void join();
  /// Whether no other process is at work here. Call it inside exclusively().
  bool alone() const;

  /// True when the run with this hash is ours until released; false when another process has it.
  bool try_claim(const std::string& hash) const;
  void release(const std::string& hash) const;

 private:
  int fd_ = -1;
};

}  // namespace motley

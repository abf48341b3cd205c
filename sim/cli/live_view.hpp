#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>

namespace motley {

/// Whether this build can serve a live view.
bool can_serve();

/// A page in the browser that shows how far the runs are, what is known so far, and has a button to stop. It is
/// served by a process of its own, on this machine only (127.0.0.1), at an address that has a random token in it:
/// whoever does not know it is refused, and so is a request for another host. It ends with this object.
class LiveView {
 public:
  /// Of the runs in this results folder. InputError when this build has no server, or no port is free.
  explicit LiveView(const std::filesystem::path& results);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// "http://127.0.0.1:40123/<token>/".
  const std::string& address() const { return address_; }
  /// What the page is to show, a JSON object on one line; never waits for it. With the event "complete" as
  /// the last one, the page gets the whole report at the end, if somebody looks on.
  void tell(const std::string& state);

 private:
  std::string address_;
  pid_t server_ = -1;
  int pipe_ = -1;
  std::string unsent_;  // the rest of a line that did not fit into the pipe
};

}  // namespace motley

#include "sim/cli/live_view.hpp"

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

#ifdef MOTLEY_HAVE_HTTPLIB

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <httplib.h>
#include <iterator>
#include <mutex>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <live_page.hpp>

#include "sim/cli/json_output.hpp"
#include "sim/cli/reporting.hpp"

namespace motley {
namespace {

/// 128 bits that nobody can guess, as hexadecimal digits. Decides no result.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("--serve: no random numbers for the address");
  }
  std::string text;
  constexpr const char* digits = "0123456789abcdef";
  for (const unsigned char byte : bytes) {
    text += digits[byte / 16];
    text += digits[byte % 16];
  }
  return text;
}

/// Takes as long for a wrong token as for the right one.
bool is_same_token(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

std::string whole_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Everything in the process that serves.
class Serving {
 public:
  Serving(std::filesystem::path results, std::string token, pid_t runner)
      : results_(std::move(results)), token_(std::move(token)), runner_(runner) {}

  int bind() { return port_ = server_.bind_to_any_port("127.0.0.1"); }

  /// Until the runner closes its end of the pipe.
  void serve(int pipe) {
    server_.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          return check(request, response);
        });
    server_.Get(R"(/[0-9a-f]+/)", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(live_page, "text/html; charset=utf-8");
    });
    server_.Get(R"(/[0-9a-f]+/state)",
                [this](const httplib::Request&, httplib::Response& response) {
                  response.set_content(document(), "application/json");
                });
    server_.Get(R"(/[0-9a-f]+/report)",
                [this](const httplib::Request&, httplib::Response& response) {
                  response.set_content(whole_file(drawn()), "text/html; charset=utf-8");
                });
    server_.Post(R"(/[0-9a-f]+/stop)",
                 [this](const httplib::Request&, httplib::Response& response) {
                   kill(runner_, SIGINT);
                   response.set_content("{\"stopping\": true}", "application/json");
                 });
    std::thread drawer([this] { draw_while_running(); });
    std::thread ender([this, pipe, &drawer] {
      read(pipe);
      over_ = true;
      drawer.join();
      end();
    });
    server_.listen_after_bind();
    ender.join();
  }

 private:
  using Answer = httplib::Server::HandlerResponse;
  using Clock = std::chrono::steady_clock;

  /// Another name for this machine may be somebody else's, who then speaks for a page of his own.
  Answer check(const httplib::Request& request, httplib::Response& response) const {
    const std::string host = request.get_header_value("Host");
    const std::string port = ":" + std::to_string(port_);
    const std::string origin = request.get_header_value("Origin");
    const bool is_here = host == "127.0.0.1" + port || host == "localhost" + port;
    const bool is_own = origin.empty() || origin == "http://" + host;
    const std::string given = request.path.substr(1, request.path.find('/', 1) - 1);
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Content-Type-Options", "nosniff");
    if (is_here && is_own && is_same_token(given, token_)) return Answer::Unhandled;
    response.status = 403;
    response.set_content("refused\n", "text/plain");
    return Answer::Handled;
  }

  void read(int pipe) {
    std::string buffer;
    std::array<char, 65536> part{};
    for (;;) {
      const ssize_t count = ::read(pipe, part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      buffer.append(part.data(), static_cast<std::size_t>(count));
      const std::size_t end = buffer.rfind('\n');
      if (end == std::string::npos) continue;
      const std::size_t begin = end == 0 ? std::string::npos : buffer.rfind('\n', end - 1);
      {
        const std::lock_guard lock(mutex_);
        told_ = buffer.substr(begin == std::string::npos ? 0 : begin + 1,
                              end - (begin == std::string::npos ? 0 : begin + 1));
      }
      buffer.erase(0, end + 1);
    }
  }

  /// Where somebody looks on, the page sees the end, and the whole report if all went well.
  void end() {
    const bool is_complete = state()["event"] == "complete";
    if (is_watched() && is_complete) draw();
    final_ = true;
    if (is_watched()) std::this_thread::sleep_for(std::chrono::seconds(3));
    server_.stop();
  }

  /// The page asks every second.
  bool is_watched() const {
    return Clock::now().time_since_epoch().count() - asked_ <
           std::chrono::duration_cast<Clock::duration>(std::chrono::seconds(5)).count();
  }

  std::filesystem::path drawn() const { return results_ / "live" / "report.html"; }

  /// The report of what is finished, again and again, in at most a tenth of the time.
  void draw_while_running() {
    Clock::time_point next = Clock::now() + std::chrono::seconds(5);
    std::filesystem::file_time_type last{};
    while (!over_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      std::error_code error;
      const auto written = std::filesystem::last_write_time(results_ / "summary.csv", error);
      if (error || written == last || Clock::now() < next) continue;
      last = written;
      const Clock::time_point begin = Clock::now();
      draw();
      next = Clock::now() +
             std::max<Clock::duration>(std::chrono::seconds(5), 10 * (Clock::now() - begin));
    }
  }

  void draw() {
    std::error_code ignored;
    std::filesystem::create_directories(results_ / "live", ignored);
    try {
      if (make_report(results_, {"--out", drawn().string()}, ChildOutput::hidden) == 0) ++drawings_;
    } catch (const std::exception&) {
      // Without a Python that draws there is no report, and all else is shown.
    }
  }

  Json state() {
    Json json;
    {
      const std::lock_guard lock(mutex_);
      json = Json::parse(told_, nullptr, false);
    }
    return json.is_object() ? json : Json::object();
  }

  /// For the page.
  std::string document() {
    asked_ = Clock::now().time_since_epoch().count();
    Json json = state();
    json["over"] = over_.load();
    json["final"] = final_.load();
    json["report"] = drawings_.load();
    try {
      json["summary"] = table_json(results_, "summary");
    } catch (const InputError&) {
      json["summary"] = Json::array();  // it is being written
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::filesystem::path results_;
  std::string token_;
  pid_t runner_;
  int port_ = 0;
  httplib::Server server_;
  std::mutex mutex_;
  std::string told_ = "{}";
  std::atomic<bool> over_ = false;   // the runs
  std::atomic<bool> final_ = false;  // nothing changes any more
  std::atomic<Clock::rep> asked_ = 0;
  std::atomic<int> drawings_ = 0;
};

}  // namespace

bool can_serve() {
  return true;
}

LiveView::LiveView(const std::filesystem::path& results) {
  const std::string token = random_token();
  std::array<int, 2> states{};
  std::array<int, 2> ports{};
  if (pipe2(states.data(), O_CLOEXEC) != 0 || pipe2(ports.data(), O_CLOEXEC) != 0) {
    throw InputError(std::string("--serve: ") + std::strerror(errno));
  }
  const pid_t runner = getpid();
  server_ = fork();
  if (server_ == 0) {
    close(states[1]);
    close(ports[0]);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the runner
    Serving serving(results, token, runner);
    const int port = serving.bind();
    const bool told = write(ports[1], &port, sizeof port) == sizeof port;
    close(ports[1]);
    if (told && port > 0) serving.serve(states[0]);
    _exit(0);
  }
  close(states[0]);
  close(ports[1]);
  int port = 0;
  const bool heard = server_ > 0 && read(ports[0], &port, sizeof port) == sizeof port;
  close(ports[0]);
  pipe_ = states[1];
  if (!heard || port <= 0) throw InputError("--serve: no port of 127.0.0.1 is free");
  fcntl(pipe_, F_SETFL, O_NONBLOCK);
  std::signal(SIGPIPE, SIG_IGN);
  address_ = "http://127.0.0.1:" + std::to_string(port) + "/" + token + "/";
}

LiveView::~LiveView() {
  close(pipe_);
  while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void LiveView::tell(const std::string& state) {
  if (unsent_.empty()) unsent_ = state + "\n";  // else it is full, and the next one will do
  const ssize_t sent = write(pipe_, unsent_.data(), unsent_.size());
  if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
}

}  // namespace motley

#else

namespace motley {

bool can_serve() {
  return false;
}

LiveView::LiveView(const std::filesystem::path&) {
  throw InputError(
      "--serve: this program was built without it: install libcpp-httplib-dev and build again");
}

LiveView::~LiveView() = default;

void LiveView::tell(const std::string&) {}

}  // namespace motley

#endif

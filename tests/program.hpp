#pragma once
// For tests that look at the program from outside: its exit code, what it prints, what it writes.

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace motley::tests {

/// A new folder, removed with everything in it at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "motley_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream out(file(name), std::ios::binary);
    out << text << std::flush;
    if (!out) throw std::runtime_error("cannot write " + file(name));
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

/// The rows of a CSV file by column name; for files without quoted cells.
inline std::vector<std::map<std::string, std::string>> rows_of(const std::string& csv) {
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out(1);
    for (const char c : line) {
      if (c == ',')
        out.emplace_back();
      else
        out.back() += c;
    }
    return out;
  };
  const std::vector<std::string> lines = lines_of(csv);
  const std::vector<std::string> names = cells(lines.at(0));
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> values = cells(lines[i]);
    if (values.size() != names.size()) throw std::runtime_error("not one cell a column: " + csv);
    rows.emplace_back();
    for (std::size_t j = 0; j < names.size(); ++j) rows.back()[names[j]] = values[j];
  }
  return rows;
}

/// runs.csv without the two columns that say how long it really took.
inline std::string without_wall_time(const std::string& csv) {
  std::string text;
  for (std::map<std::string, std::string>& row : rows_of(csv)) {
    row.erase("wall_s");
    row.erase("peak_rss_mb");
    for (const auto& [name, value] : row) text += name + "=" + value + " ";
    text += "\n";
  }
  return text;
}

struct Outcome {
  int exit_code = 0;  ///< 128 and the signal's number when a signal ended it
  std::string out;
  std::string err;
};

using Environment = std::map<std::string, std::string>;

/// Runs a program in `folder` to its end, with nothing to read on stdin.
inline Outcome run_program(const std::string& program, std::vector<std::string> arguments,
                           const std::filesystem::path& folder,
                           const Environment& environment = {}) {
  // Nameless files and not files in `folder`: tests look at what the program leaves there.
  const std::array<std::FILE*, 2> files = {std::tmpfile(), std::tmpfile()};
  if (files[0] == nullptr || files[1] == nullptr) throw std::runtime_error("no temporary file");
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    const bool ready = std::freopen("/dev/null", "r", stdin) != nullptr &&
                       dup2(fileno(files[0]), STDOUT_FILENO) >= 0 &&
                       dup2(fileno(files[1]), STDERR_FILENO) >= 0 && chdir(folder.c_str()) == 0;
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (ready) execv(program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::array<std::string, 2> texts;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::rewind(files[i]);
    for (int c = std::fgetc(files[i]); c != EOF; c = std::fgetc(files[i])) {
      texts[i] += static_cast<char>(c);
    }
    std::fclose(files[i]);
  }
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), texts[0], texts[1]};
}

/// A program at work, whose output can be waited for and which can be sent signals.
class RunningProgram {
 public:
  /// `prepare` is called in the new process before the program takes its place.
  RunningProgram(
      const std::string& program, std::vector<std::string> arguments,
      const std::filesystem::path& folder, const std::function<void()>& prepare = [] {}) {
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe");
    }
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
      prepare();
      if (dup2(out[1], STDOUT_FILENO) >= 0 && dup2(err[1], STDERR_FILENO) >= 0 &&
          chdir(folder.c_str()) == 0) {
        execv(program.c_str(), argv.data());
      }
      _exit(127);
    }
    close(out[1]);
    close(err[1]);
    out_ = fdopen(out[0], "r");
    err_ = fdopen(err[0], "r");
  }
  ~RunningProgram() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    std::fclose(out_);
    std::fclose(err_);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const { kill(pid_, signal); }

  /// Reads stderr up to and with the first line that has `part`; throws when there is none.
  std::string wait_for_line(const std::string& part) {
    for (;;) {
      const std::string line = next_line(err_);
      if (line.empty()) throw std::runtime_error("never said: " + part + "\n" + err_text_);
      err_text_ += line;
      if (line.find(part) != std::string::npos) return line;
    }
  }

  /// Waits until it and everything it has started has ended: they all hold its stdout.
  Outcome wait() {
    Outcome outcome;
    for (std::string line = next_line(err_); !line.empty(); line = next_line(err_)) {
      err_text_ += line;
    }
    for (std::string line = next_line(out_); !line.empty(); line = next_line(out_)) {
      outcome.out += line;
    }
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    outcome.err = err_text_;
    outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return outcome;
  }

 private:
  static std::string next_line(std::FILE* file) {
    std::string line;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
      line += static_cast<char>(c);
      if (c == '\n') break;
    }
    return line;
  }

  pid_t pid_ = -1;
  std::FILE* out_ = nullptr;
  std::FILE* err_ = nullptr;
  std::string err_text_;
};

#ifdef MOTLEY_BINARY
inline Outcome run_motley(const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder,
                          const Environment& environment = {}) {
  return run_program(MOTLEY_BINARY, arguments, folder, environment);
}
#endif

}  // namespace motley::tests

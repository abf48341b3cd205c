#pragma once
// For tests that look at the program from outside: its exit code, what it prints, what it writes.

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

#ifdef MOTLEY_BINARY
inline Outcome run_motley(const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder,
                          const Environment& environment = {}) {
  return run_program(MOTLEY_BINARY, arguments, folder, environment);
}
#endif

}  // namespace motley::tests

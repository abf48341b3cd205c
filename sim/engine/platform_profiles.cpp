#include "sim/engine/platform_profiles.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace motley {
namespace {

struct Tag {
  std::string name;
  std::map<std::string, std::string> attributes;

  std::string attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

/// The opening tags of an XML text, one after the other, without those in comments.
class Tags {
 public:
  explicit Tags(std::string text) : text_(std::move(text)) {}

  std::optional<Tag> next() {
    for (;;) {
      at_ = text_.find('<', at_);
      if (at_ == std::string::npos) return std::nullopt;
      if (text_.compare(at_, 4, "<!--") == 0) {
        at_ = text_.find("-->", at_);
        if (at_ == std::string::npos) return std::nullopt;
        continue;
      }
      ++at_;
      Tag tag{word(), {}};
      if (tag.name.empty()) continue;  // it closes, declares or instructs
      read_attributes(tag);
      return tag;
    }
  }

 private:
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '-' || text_[at_] == ':')) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void read_attributes(Tag& tag) {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      const std::string key = word();
      if (key.empty()) return;
      const std::size_t quote = text_.find_first_of("\"'", at_);
      if (quote == std::string::npos) return;
      const std::size_t end = std::min(text_.find(text_[quote], quote + 1), text_.size());
      tag.attributes[key] = text_.substr(quote + 1, end - quote - 1);
      at_ = std::min(end + 1, text_.size());
    }
  }

  std::string text_;
  std::size_t at_ = 0;
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What changes, and from which value on SimGrid can follow it: at a bandwidth or a speed of 0 it
/// goes on as before or crashes.
struct Quantity {
  const char* attribute;
  std::vector<std::string> connected_as;  ///< the kinds of the older <trace_connect>
  bool may_be_zero;
};

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all = {{"state_file", {"HOST_AVAIL", "LINK_AVAIL"}, false},
                                            {"speed_file", {"SPEED"}, false},
                                            {"availability_file", {}, false},  // its old name
                                            {"bandwidth_file", {"BANDWIDTH"}, false},
                                            {"latency_file", {"LATENCY"}, true}};
  return all;
}

/// Of a profile, lines of a time and a value.
std::string flaw_of(const Quantity& quantity, const std::filesystem::path& folder,
                    const std::string& profile) {
  const std::string text = text_of(folder / profile);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    double time = 0;
    double value = 0;
    std::istringstream words(line);
    if (!(words >> time >> value)) continue;  // a comment, or how it is repeated
    if (std::isfinite(value) && (quantity.may_be_zero ? value >= 0 : value > 0)) continue;
    if (quantity.attribute == std::string("state_file")) {
      return "is switched off by its state profile, and failures are not modelled";
    }
    std::ostringstream flaw;
    flaw << quantity.attribute << " '" << profile << "': must be "
         << (quantity.may_be_zero ? "at least 0" : "above 0") << ", got " << value << " at " << time
         << " s";
    return flaw.str();
  }
  return "";
}

}  // namespace

std::string profile_flaw(const std::filesystem::path& platform_file) {
  const std::filesystem::path folder = platform_file.parent_path();
  Tags tags(text_of(platform_file));
  std::map<std::string, std::string> traces;  // files by id, for <trace_connect>
  while (const std::optional<Tag> tag = tags.next()) {
    if (tag->name == "trace") traces[tag->attribute("id")] = tag->attribute("file");
    if (tag->name == "include") {
      std::string flaw = profile_flaw(folder / tag->attribute("file"));
      if (!flaw.empty()) return flaw;
    }
    for (const Quantity& quantity : quantities()) {
      std::string who = tag->name + " " + tag->attribute("id");
      std::string profile = tag->attribute(quantity.attribute);
      for (const std::string& kind : quantity.connected_as) {
        if (tag->name != "trace_connect" || tag->attribute("kind") != kind) continue;
        who = tag->attribute("element");
        profile = traces[tag->attribute("trace")];
      }
      if (profile.empty()) continue;
      const std::string flaw = flaw_of(quantity, folder, profile);
      if (!flaw.empty()) return who + ": " + flaw;
    }
  }
  return "";
}

}  // namespace motley

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace motley {

/// The opening tag of an element.
struct XmlElement {
  /// A part of the text: key, value and quotes.
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::string name;
  std::map<std::string, std::string> attributes;
  std::map<std::string, Span> spans;  ///< where each of them is written

  /// Empty when it has none.
  std::string attribute(const std::string& key) const;
};

/// The opening tags of a text in XML, in their order. SimGrid has read the file before, or will: what
/// it refuses need not be found here.
std::vector<XmlElement> xml_elements_of(const std::string& xml);

/// The whole file; nothing when it cannot be read.
std::string text_of_file(const std::filesystem::path& file);

/// As the value of an attribute in double quotes.
std::string xml_escaped(const std::string& text);

}  // namespace motley

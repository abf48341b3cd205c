#include "sim/engine/platform/xml_elements.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace motley {
namespace {

/// The value of an attribute without XML's entities.
std::string decoded(const std::string& text) {
  static const std::map<std::string, char> named = {
      {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.find(';', i) : std::string::npos;
    if (end == std::string::npos) {
      out += text[i];
      continue;
    }
    const std::string entity = text.substr(i + 1, end - i - 1);
    if (entity.starts_with("#")) {
      const bool hexadecimal = entity.starts_with("#x");
      const auto code =
          std::strtoul(entity.c_str() + (hexadecimal ? 2 : 1), nullptr, hexadecimal ? 16 : 10);
      out += static_cast<char>(code);  // names of files beyond ASCII are written plainly
    } else if (const auto found = named.find(entity); found != named.end()) {
      out += found->second;
    }
    i = end;
  }
  return out;
}

}  // namespace

std::string XmlElement::attribute(const std::string& key) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? "" : found->second;
}

std::vector<XmlElement> xml_elements_of(const std::string& xml) {
  const std::string space = " \t\r\n";
  std::vector<XmlElement> elements;
  std::size_t at = 0;
  const auto skip_to = [&](const char* end) {
    at = xml.find(end, at);
    if (at != std::string::npos) at += std::char_traits<char>::length(end);
  };
  while ((at = xml.find('<', at)) != std::string::npos) {
    if (xml.compare(at, 4, "<!--") == 0) {
      skip_to("-->");
    } else if (xml.compare(at, 9, "<![CDATA[") == 0) {
      skip_to("]]>");
    } else if (at + 1 >= xml.size() || std::string("!?/").find(xml[at + 1]) != std::string::npos) {
      skip_to(">");
    } else {
      XmlElement element;
      const std::size_t name_end = xml.find_first_of(space + "/>", at);
      element.name = xml.substr(at + 1, name_end - at - 1);
      at = name_end;
      // key = "value", whatever is in the quotes
      while (at != std::string::npos &&
             (at = xml.find_first_not_of(space + "/", at)) != std::string::npos && xml[at] != '>') {
        const std::size_t equals = xml.find('=', at);
        const std::size_t open = xml.find_first_of("\"'", at);
        if (equals == std::string::npos || open == std::string::npos) break;
        const std::size_t close = xml.find(xml[open], open + 1);
        const std::string key = xml.substr(at, xml.find_first_of(space + "=", at) - at);
        element.attributes[key] = decoded(xml.substr(open + 1, close - open - 1));
        element.spans[key] = {at, close == std::string::npos ? xml.size() : close + 1};
        at = close == std::string::npos ? close : close + 1;
      }
      elements.push_back(element);
    }
    if (at == std::string::npos) break;
  }
  return elements;
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace motley

#include "sim/base/text.hpp"

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

std::string shortened(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t cut = longest - 3;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80) --cut;
  return text.substr(0, cut) + "...";
}

std::string valid_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool is_utf8(const std::string& text) {
  return valid_utf8(text) == text;
}

}  // namespace motley

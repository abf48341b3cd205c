#include "sim/base/digest.hpp"

#include <algorithm>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace motley {

std::string digest(const std::string& text) {
  const boost::uuids::name_generator_sha1 name_of(boost::uuids::uuid{});
  std::string name = to_string(name_of(text));
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

}  // namespace motley

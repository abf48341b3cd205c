#include "sim/base/regular_file.hpp"

#include <system_error>

namespace motley {

std::string why_not_regular(const std::filesystem::path& file) {
  // The system would take what stands before it for the name.
  if (file.native().find('\0') != std::string::npos) return "has a NUL in its name";
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  switch (status.type()) {
    case std::filesystem::file_type::regular:
      return "";
    case std::filesystem::file_type::directory:
      return "is a folder, not a file";
    case std::filesystem::file_type::block:
    case std::filesystem::file_type::character:
      return "is a device, not a file";
    case std::filesystem::file_type::fifo:
      return "is a FIFO (a pipe), not a file: write what comes out of it to one";
    case std::filesystem::file_type::socket:
      return "is a socket, not a file";
    default:
      return "cannot be read (no such file, or no permission)";
  }
}

}  // namespace motley

#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace motley {

/// A file of results cannot be written: a full disk, say.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes the whole file under another name, flushes it to the disk and renames it: a reader finds
/// the old file or the new one, whatever dies meanwhile. Throws WriteError; the old file is then as
/// it was.
void write_atomically(const std::filesystem::path& file, const std::string& text);
/// The same without flushing, which takes milliseconds: for what can be made again from other files.
void replace_atomically(const std::filesystem::path& file, const std::string& text);

/// Why no file can be written into the folder; empty when one can. Tries it.
std::error_code trial_of_writing(const std::filesystem::path& folder);

/// Removes what killed processes left half written in the folder. Only when nobody else writes
/// there.
void remove_half_written(const std::filesystem::path& folder);

}  // namespace motley

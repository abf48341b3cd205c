#include "sim/results/run_store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/atomic_file.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/base/json_file.hpp"
#include "sim/base/strict_json.hpp"

namespace motley {
namespace {

bool is_digest(const std::string& text) {
  return text.size() == digest("").size() &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Names go into file names and cells.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name[0] != '.' && std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || c == '\x7f' || static_cast<unsigned char>(c) < ' ';
  });
}

RunEntry run_entry(const StrictJson& run, std::size_t axes) {
  RunEntry entry;
  entry.name = run.member("run").text();
  if (!is_plain_name(entry.name)) run.member("run").refuse("must be the name of a run");
  entry.hash = run.member("hash").text();
  if (run.any().contains("before_tuning")) {
    entry.before_tuning = run.member("before_tuning").text();
    entry.tuned_by = run.member("tuned_by").count();
  }
  const bool may_be_open = !entry.before_tuning.empty() && entry.hash.empty();
  if (!may_be_open && !is_digest(entry.hash)) {
    run.member("hash").refuse("must be 32 hexadecimal digits");
  }
  entry.label = run.member("algorithm").text();
  entry.replica = run.member("replica").count();
  entry.seed = run.member("seed").count();
  const StrictJson point = run.member("point");
  point.row(axes);
  for (const Json& value : point.any()) entry.point.push_back(value);
  return entry;
}

constexpr int not_a_file = -1;  // but a pipe or a device

/// What is in a file; `error`, an errno or not_a_file, says why not. Never waits for a pipe.
std::string contents_of(const std::filesystem::path& file, int& error) {
  const int fd = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  error = fd < 0 ? errno : 0;
  if (fd < 0) return "";
  struct stat status {};
  std::string text;
  if (fstat(fd, &status) != 0)
    error = errno;
  else if (!S_ISREG(status.st_mode))
    error = S_ISDIR(status.st_mode) ? EISDIR : not_a_file;
  std::array<char, 65536> buffer{};
  while (error == 0) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno != EINTR) error = errno;
    if (n == 0) break;
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(fd);
  return text;
}

}  // namespace

Json to_json(const RunTable& table) {
  Json runs = Json::array();
  for (const RunEntry& run : table.runs) {
    runs.push_back({{"run", run.name},
                    {"hash", run.hash},
                    {"algorithm", run.label},
                    {"replica", run.replica},
                    {"seed", run.seed},
                    {"point", run.point}});
    if (run.before_tuning.empty()) continue;
    runs.back()["before_tuning"] = run.before_tuning;
    runs.back()["tuned_by"] = run.tuned_by;
  }
  Json json = {{"axes", table.axes}, {"baseline", table.baseline}, {"runs", runs}};
  for (const TuningRecord& record : table.tuning) json["tuning"].push_back(to_json(record));
  return sealed(json);
}

bool RunTable::is_same_plan(const RunTable& other) const {
  const auto fixed = [](RunTable table) {
    for (RunEntry& run : table.runs) {
      if (!run.before_tuning.empty()) run.hash.clear();
    }
    for (TuningRecord& record : table.tuning) {
      record = {record.label, record.point, record.parameters, record.identity, {}, -1, false};
    }
    return to_json(table);
  };
  return fixed(*this) == fixed(other);
}

void RunTable::learn_from(const RunTable& other) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].hash.empty()) runs[i].hash = other.runs[i].hash;
  }
  for (std::size_t i = 0; i < tuning.size(); ++i) {
    // The same runs in the same order: one that knows more knows all that the other does.
    const bool knows_more =
        other.tuning[i].chosen >= 0 || other.tuning[i].runs() > tuning[i].runs();
    if (tuning[i].chosen < 0 && knows_more) tuning[i] = other.tuning[i];
  }
}

std::vector<std::string> RunTable::hashes() const {
  std::vector<std::string> all;
  std::set<std::string> seen = {""};
  const auto add = [&](const std::string& hash) {
    if (seen.insert(hash).second) all.push_back(hash);
  };
  for (const RunEntry& run : runs) add(run.hash);
  for (const TuningRecord& record : tuning) {
    for (const CandidateRecord& candidate : record.candidates) {
      for (const std::string& hash : candidate.hashes) add(hash);
    }
  }
  return all;
}

RunTable read_run_table(const std::filesystem::path& path) {
  const std::string file = path.string();
  const Json json = parse_json_file(file);
  const std::optional<Json> content = unsealed(json);
  if (!content) {
    throw InputError(file + ": is damaged, or of another version of motley: its checksum " +
                     (has_seal(json) ? "does not fit" : "is missing"));
  }
  const StrictJson in(*content, file.c_str());
  RunTable table;
  const StrictJson axes = in.member("axes");
  for (std::size_t i = 0; i < axes.elements(); ++i) table.axes.push_back(axes.element(i).text());
  table.baseline = in.member("baseline").text();
  const StrictJson runs = in.member("runs");
  std::set<std::string> names;
  for (std::size_t i = 0; i < runs.elements(); ++i) {
    table.runs.push_back(run_entry(runs.element(i), table.axes.size()));
    if (!names.insert(table.runs.back().name).second) {
      runs.element(i).member("run").refuse("must differ from the other runs' names");
    }
  }
  if (content->contains("tuning")) {
    const StrictJson tuning = in.member("tuning");
    for (std::size_t i = 0; i < tuning.elements(); ++i) {
      table.tuning.push_back(tuning_record_from_json(tuning.element(i), table.axes.size()));
    }
  }
  for (const std::string& known : table.hashes()) {
    if (!is_digest(known)) in.member("tuning").refuse("must name runs by 32 hexadecimal digits");
  }
  for (std::size_t i = 0; i < table.runs.size(); ++i) {
    const RunEntry& run = table.runs[i];
    if (run.before_tuning.empty() || run.tuned_by < table.tuning.size()) continue;
    runs.element(i).member("tuned_by").refuse("must be the number of a tuning");
  }
  return table;
}

RunStore::RunStore(const std::filesystem::path& results) : folder_(results / "runs") {}

std::filesystem::path RunStore::file_of(const std::string& hash) const {
  return folder_ / (hash + ".json");
}

RunStore::Found RunStore::load(const std::string& hash) const {
  Found found;
  const std::string file = file_of(hash).string();
  const auto damaged = [&](const std::string& why) {
    found.damage = file + ": " + why;
    return found;
  };
  int error = 0;
  const std::string text = contents_of(file, error);
  if (error == ENOENT || error == ENOTDIR) return found;
  if (error == not_a_file) return damaged("is no file");
  if (error == EISDIR) throw InputError(file + ": is a folder where a run's file goes: remove it");
  if (error != 0) throw InputError(file + ": cannot be read: " + std::strerror(error));
  try {
    const Json json = parse_json(text, {});
    if (!json.is_object()) return damaged("is not the JSON of a run");
    if (!has_seal(json)) {
      // Versions before the checksum wrote the program all the same.
      if (json.contains("program") && json["program"].is_object()) found.program = json["program"];
      return damaged("has no checksum");
    }
    const std::optional<Json> content = unsealed(json);
    if (!content) return damaged("its checksum does not fit");
    const StrictJson in(*content);
    if (!in.member("program").any().is_object()) in.member("program").refuse("must be an object");
    found.program = in.member("program").any();
    const Json& description = in.member("description").any();
    if (digest(description.dump()) != hash) return damaged("is the file of another run");
    found.run = {found.program, description, run_result_from_json(in.member("result"))};
    return found;
  } catch (const InputError& e) {
    return damaged(e.what());
  }
}

void RunStore::save(const std::string& hash, const StoredRun& run) const {
  const Json json = sealed({{"program", run.program},
                            {"description", run.description},
                            {"result", to_json(run.result)}});
  write_atomically(file_of(hash), json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void RunStore::remove_all() const {
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path().extension() == ".json") std::filesystem::remove(entry.path());
  }
}

void RunStore::remove(const std::string& hash) const {
  std::filesystem::remove(file_of(hash));
}

}  // namespace motley

#include "sim/core/record/run_store.hpp"

#include <fstream>
#include <iterator>

#include "sim/core/json.hpp"
#include "sim/core/record/atomic_file.hpp"

namespace motley {

Json to_json(const RunTable& table) {
  Json runs = Json::array();
  for (const RunEntry& run : table.runs) {
    runs.push_back({{"run", run.name},
                    {"hash", run.hash},
                    {"algorithm", run.label},
                    {"replica", run.replica},
                    {"seed", run.seed},
                    {"point", run.point}});
  }
  return {{"axes", table.axes}, {"baseline", table.baseline}, {"runs", runs}};
}

RunTable run_table_from_json(const Json& json) {
  RunTable table;
  table.axes = json.at("axes").get<std::vector<std::string>>();
  table.baseline = json.at("baseline");
  for (const Json& run : json.at("runs")) {
    table.runs.push_back({run.at("run"), run.at("hash"), run.at("algorithm"), run.at("replica"),
                          run.at("seed"), run.at("point").get<std::vector<Json>>()});
  }
  return table;
}

RunStore::RunStore(const std::filesystem::path& results) : folder_(results / "runs") {}

std::filesystem::path RunStore::file_of(const std::string& hash) const {
  return folder_ / (hash + ".json");
}

std::optional<RunStore::StoredRun> RunStore::load(const std::string& hash) const {
  std::ifstream in(file_of(hash), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text(std::istreambuf_iterator<char>(in), {});
  try {
    const Json json = Json::parse(text);
    return StoredRun{json.at("program"), json.at("description"),
                     run_result_from_json(json.at("result"))};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void RunStore::save(const std::string& hash, const StoredRun& run) const {
  const Json json = {
      {"program", run.program}, {"description", run.description}, {"result", to_json(run.result)}};
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

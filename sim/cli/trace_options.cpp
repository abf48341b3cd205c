#include "sim/cli/trace_options.hpp"

#include <ostream>

#include "sim/base/json.hpp"
#include "sim/scenario/units.hpp"

namespace po = boost::program_options;

namespace motley {

po::options_description trace_options() {
  po::options_description group("Timelines");
  group.add_options()(
      "trace", po::value<std::string>()->implicit_value(":", "")->value_name("[FROM:TO]"),
      "write timelines of what every host does, for Perfetto's viewer (traces/) and as events.csv; "
      "with FROM:TO only of that window of virtual time, such as 10s:20s, 10s: or :20s")(
      "paje", "let SimGrid write its own trace of every run, in Paje's format (traces/*.paje)");
  return group;
}

TraceWindow parse_window(const std::string& text) {
  const std::string must = "--trace: must be FROM:TO, such as 10s:20s, 10s: or :20s, got '";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw InputError(must + text + "'");
  TraceWindow window;
  try {
    const std::string from = text.substr(0, colon);
    const std::string to = text.substr(colon + 1);
    if (!from.empty()) window.from_s = parse_quantity(Json(from), Dimension::time, {});
    if (!to.empty()) window.to_s = parse_quantity(Json(to), Dimension::time, {});
  } catch (const InputError&) {
    throw InputError(must + text + "'");
  }
  if (window.from_s < 0 || window.to_s <= window.from_s) {
    throw InputError("--trace: the window must end after it begins, got '" + text + "'");
  }
  return window;
}

TraceRequest trace_request(const po::variables_map& options, const std::filesystem::path& results) {
  TraceRequest request;
  request.folder = results / "traces";
  if (options.count("trace") > 0) request.window = parse_window(options["trace"].as<std::string>());
  request.paje = options.count("paje") > 0;
  return request;
}

void make_trace_folder(const TraceRequest& request) {
  std::error_code error;
  std::filesystem::create_directories(request.folder, error);
  if (error) throw InputError(request.folder.string() + ": cannot be created: " + error.message());
}

void finish_traces(std::ostream& out, const TraceRequest& request,
                   const std::filesystem::path& results, const std::vector<std::string>& runs) {
  if (request.window) {
    out << "\nTimelines (" << request.folder.string()
        << "/*.json, for Perfetto's viewer at ui.perfetto.dev)\n";
    for (const std::string& note : join_events(request.folder, runs, results / "events.csv")) {
      out << "  " << note << "\n";
    }
  }
  if (request.paje) out << "\nSimGrid's traces: " << request.folder.string() << "/*.paje\n";
}

}  // namespace motley

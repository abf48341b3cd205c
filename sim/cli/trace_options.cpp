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
      "with FROM:TO only of that window of virtual time, such as 10s:20s, 10s: or :20s; with "
      "around=failure 10 s before and after the first failure, with around=failure:2s so much")(
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

std::optional<double> parse_around(const std::string& text) {
  const std::string start = "around=";
  if (!text.starts_with(start)) return std::nullopt;
  const std::string must =
      "--trace: must be around=failure or around=failure:2s, got '" + text + "'";
  const std::string rest = text.substr(start.size());
  const std::size_t colon = rest.find(':');
  if (rest.substr(0, colon) != "failure") throw InputError(must);
  constexpr double usual_s = 10;
  if (colon == std::string::npos) return usual_s;
  try {
    const double seconds = parse_quantity(Json(rest.substr(colon + 1)), Dimension::time, {});
    if (seconds > 0) return seconds;
  } catch (const InputError&) {
  }
  throw InputError(must);
}

TraceRequest trace_request(const po::variables_map& options, const std::filesystem::path& results) {
  TraceRequest request;
  request.folder = results / "traces";
  if (options.count("trace") > 0) {
    const std::string text = options["trace"].as<std::string>();
    request.around_failure_s = parse_around(text);
    request.window = request.around_failure_s ? TraceWindow() : parse_window(text);
  }
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

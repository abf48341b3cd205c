#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "sim/results/trace_files.hpp"

namespace motley {

/// The options by which runs are traced.
boost::program_options::options_description trace_options();
/// What they ask for; the traces go into <results>/traces. InputError when they make no sense.
TraceRequest trace_request(const boost::program_options::variables_map& options,
                           const std::filesystem::path& results);
/// InputError when it cannot be made.
void make_trace_folder(const TraceRequest& request);
/// "10s:20s", either end may be missing.
TraceWindow parse_window(const std::string& text);
/// "around=failure:2s": seconds; empty of what does not begin with around.
std::optional<double> parse_around(const std::string& text);

/// events.csv of these runs, and what to tell about the traces; nothing when none were asked for.
void finish_traces(std::ostream& out, const TraceRequest& request,
                   const std::filesystem::path& results, const std::vector<std::string>& runs);

}  // namespace motley

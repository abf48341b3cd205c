// Platform files that name what cannot be read, checked or reached: one line each, before anything runs.
#include <sys/stat.h>

#include "tests/small_scenario.hpp"

namespace motley {
namespace {

const std::string wire = R"(bandwidth="1GBps" latency="1us")";
const std::string route = "<route src=\"a\" dst=\"b\"><link_ctn id=\"wire\"/></route>\n";

/// A worker a, and a server b and a link with these attributes, and what else there is.
std::string platform_with(const std::string& server, const std::string& link,
                          const std::string& more = "") {
  return platform_of(more + host("a", "worker") + "<host id=\"b\" speed=\"1Gf\" " + server +
                     "><prop id=\"role\" value=\"server\"/></host>\n<link id=\"wire\" " + wire +
                     " " + link + "/>\n" + route);
}

void check_platform_refused(const Workplace& place, const std::string& platform,
                            const std::string& message) {
  place.write("p.xml", platform);
  check_refused(place.run_with(R"(/cluster={"platform":"p.xml"})"),
                "s.json: /cluster/platform: 'p.xml': " + message);
  CHECK_FALSE(place.has("out"));
}

TEST_CASE("profiles that are drawn from distributions are refused, whatever they change") {
  const Workplace place;
  place.write("drawn.profile", "STOCHASTIC\nDET 3 DET 0\n");
  place.write("loop.profile", "# drawn\n STOCHASTIC LOOP\nDET 3 DET 1\n");
  const auto drawn = [](const std::string& who, const std::string& file) {
    return who + " '" + file +
           "' must list times and values: what a STOCHASTIC profile draws cannot be checked";
  };
  check_platform_refused(place, platform_with(R"(speed_file="drawn.profile")", ""),
                         drawn("host b: speed_file", "drawn.profile"));
  check_platform_refused(place, platform_with(R"(availability_file="loop.profile")", ""),
                         drawn("host b: availability_file", "loop.profile"));
  check_platform_refused(place, platform_with("", R"(bandwidth_file="drawn.profile")"),
                         drawn("link wire: bandwidth_file", "drawn.profile"));
}

TEST_CASE("a line that ends with a carriage return alone hides nothing") {
  const Workplace place;
  place.write("hidden.profile", "# a comment\r5 0\n");
  place.write("windows.profile", "0 1\r\n\r\n5 0.5 \r\n");
  check_platform_refused(place, platform_with(R"(speed_file="hidden.profile")", ""),
                         "host b: speed_file 'hidden.profile', line 1: must end with a line feed, "
                         "or with both");
  place.write("p.xml", platform_with(R"(speed_file="windows.profile")", ""));
  CHECK(place.run_with(R"(/cluster={"platform":"p.xml"})").exit_code == 0);
}

TEST_CASE("traces are named where they are used, and not connected") {
  const Workplace place;
  place.write("zero.profile", "0 1\n3 0\n");
  const auto with_trace = [](const std::string& trace, const std::string& kind,
                             const std::string& element) {
    return platform_of(host("a", "worker") + host("b", "server") + "<link id=\"wire\" " + wire +
                       "/>\n" + route + trace + "<trace_connect kind=\"" + kind +
                       "\" trace=\"t\" element=\"" + element + "\"/>\n");
  };
  const std::string from_file = R"(<trace id="t" file="zero.profile" periodicity="-1"/>)";
  const std::string within = "<trace id=\"t\" periodicity=\"-1\">0 1\n3 0\n</trace>";
  for (const std::string& trace : {from_file, within}) {
    CAPTURE(trace);
    check_platform_refused(place, with_trace(trace, "SPEED", "b"),
                           "b: is given a profile by a trace_connect of the kind 'SPEED', which is "
                           "not looked at: name the profile in a speed_file of the host");
    check_platform_refused(place, with_trace(trace, "BANDWIDTH", "wire"),
                           "wire: is given a profile by a trace_connect of the kind 'BANDWIDTH', "
                           "which is not looked at: name the profile in a bandwidth_file of the "
                           "link");
  }
}

TEST_CASE("what a platform file names is a file, before anybody reads it") {
  const Workplace place;
  REQUIRE(mkfifo(place.file("fifo").c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", place.path() / "endless");
  const std::string pipe = "is a FIFO (a pipe), not a file: write what comes out of it to one";
  check_platform_refused(place, platform_with(R"(speed_file="fifo")", ""),
                         "host b: speed_file: " + pipe);
  check_platform_refused(place, platform_with("", R"(bandwidth_file="fifo")"),
                         "link wire: bandwidth_file: " + pipe);
  check_platform_refused(place, platform_with(R"(speed_file="endless")", ""),
                         "host b: speed_file: is a device, not a file");
  check_platform_refused(place, platform_with(R"(state_file=".")", ""),
                         "host b: state_file: is a folder, not a file");
  check_platform_refused(place, platform_with("speed_file=\"" + std::string(5000, 'x') + "\"", ""),
                         "host b: speed_file: no such file: " + std::string(497, 'x') +
                             "... (paths are relative to the platform file)");
  // SimGrid would end at an include; following it would not.
  for (const char* included : {"p.xml", "fifo", "none.xml"}) {
    check_platform_refused(
        place, platform_with("", "", std::string("<include file=\"") + included + "\"/>\n"),
        std::string("include '") + included +
            "': SimGrid includes no files any more: write its contents here");
  }
}

TEST_CASE("the name of a platform file may be too long or hold a NUL") {
  const Workplace place;
  check_refused(place.run_with(R"(/cluster={"platform":")" + std::string(5000, 'x') + "\"}"),
                "s.json: /cluster/platform: no such file: " + std::string(497, 'x') + "...");
  place.write("p.xml", platform_with("", ""));
  check_refused(place.run_with(R"(/cluster={"platform":"p.xml\u0000x"})"),
                "s.json: /cluster/platform: p.xml?x: has a NUL in its name");
}

/// Workers h0, h1, ... and a server, with a route between two of them where `joins` says so.
template <class Joins>
std::string large_platform(std::size_t workers, Joins joins) {
  std::vector<std::string> names;
  std::string text;
  for (std::size_t i = 0; i < workers; ++i) {
    names.push_back("h" + std::to_string(i));
    text += host(names.back(), "worker");
  }
  names.emplace_back("s");
  text += host("s", "server") + "<link id=\"wire\" " + wire + "/>\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      if (!joins(i, j)) continue;
      text += "<route src=\"" + names[i] + "\" dst=\"" + names[j] +
              "\"><link_ctn id=\"wire\"/></route>\n";
    }
  }
  return platform_of(text);
}

TEST_CASE("a single pair without a route is found among seventy workers") {
  const Workplace place;
  check_platform_refused(
      place, large_platform(70, [](std::size_t i, std::size_t j) { return !(i == 10 && j == 42); }),
      "no route from host h10 to host h42");
}

TEST_CASE("of hundreds of workers a route that is missing fails the run that needs it, in words") {
  const Workplace place;
  constexpr std::size_t workers = 300;
  // All that is asked before: to the server, to the first worker and to the next one.
  place.write("p.xml", large_platform(workers, [](std::size_t i, std::size_t j) {
                return j == workers || i == 0 || j == i + 1;
              }));
  const Outcome outcome =
      place.run({"--set", R"(/cluster={"platform":"p.xml"})", "--set",
                 R"(/algorithms=[{"name":"sync"},{"name":"ad_psgd","graph":"complete"}])",
                 "--no-whatif", "--quiet"});
  CAPTURE(outcome.err);
  CHECK(outcome.exit_code == 1);
  const auto rows = rows_of(place.result("runs.csv"));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("status") == "ok");
  CHECK(rows[1].at("status") == "failed");
  CHECK(rows[1].at("reason").starts_with("the platform file has no route from host h"));
}

}  // namespace
}  // namespace motley

// What hosts of a platform file say of themselves by their properties: watts, price, memory.
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/mistakes.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

/// A worker and a server 1 ms and 100 MB/s apart, with these properties: pairs of name and value.
class PlatformOfTwo {
 public:
  using Properties = std::vector<std::pair<std::string, std::string>>;

  Json scenario_with(const Properties& of_worker, const Properties& of_server) const {
    const auto host = [](const std::string& name, const Properties& properties) {
      std::string text = "<host id=\"" + name + "\" speed=\"1Gf\">";
      for (const auto& [key, value] : properties) {
        text += "<prop id=\"" + key + "\" value=\"" + value + "\"/>";
      }
      return text + "</host>\n";
    };
    Properties worker = of_worker;
    worker.emplace_back("role", "worker");
    Properties server = of_server;
    server.emplace_back("role", "server");
    Json scenario = timing_scenario();
    scenario["cluster"] = {{"platform", folder_.write("p.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
)" + host("a", worker) + host("s", server) + R"(
<link id="wire" bandwidth="100MBps" latency="1ms"/>
<route src="a" dst="s"><link_ctn id="wire"/></route>
</zone></platform>)")}};
    scenario["stop"]["updates"] = 2;
    return scenario;
  }

  /// With the name of the platform file as it is in its folder.
  std::string complaint(const Json& scenario) const {
    try {
      experiment_of(scenario);
    } catch (const InputError& error) {
      std::string text = error.what();
      const std::string folder = folder_.path().string() + "/";
      const std::size_t at = text.find(folder);
      return at == std::string::npos ? text : text.substr(at + folder.size());
    }
    return "";
  }

 private:
  tests::TemporaryFolder folder_;
};

TEST_CASE("power and price of a platform file's hosts are those of their properties") {
  const PlatformOfTwo platform;
  const RunResult result = simulate(platform.scenario_with(
      {{"power_busy", "400W"}, {"power_idle", "100W"}, {"price_per_hour", "3.6"}},
      {{"power_busy", "50W"}, {"power_idle", "20W"}, {"power_off", "1W"}}));
  // Each of two rounds: 81 ms there, a second of computing, 81 ms back. Updates take no time.
  const double all_s = 2 * (0.081 + 1 + 0.081);
  CHECK(result.virtual_s == Approx(all_s).margin(1e-9));
  REQUIRE(result.energy_J);
  CHECK(*result.energy_J == Approx(2 * 400 + (all_s - 2) * 100 + all_s * 20));
  REQUIRE(result.cost);
  CHECK(*result.cost == Approx(3.6 / 3600 * all_s));
  const RunResult without = simulate(platform.scenario_with({{"color", "red"}}, {}));
  CHECK_FALSE(without.energy_J);
  CHECK_FALSE(without.cost);
}

TEST_CASE("a batch beyond the property max_batch is refused") {
  const PlatformOfTwo platform;
  Json scenario = platform.scenario_with({{"max_batch", "4"}}, {});
  scenario["defaults"]["batch_size"] = 4;
  CHECK(platform.complaint(scenario).empty());
  scenario["defaults"]["batch_size"] = 5;
  CHECK(platform.complaint(scenario).find("/defaults/batch_size: ") != std::string::npos);
}

TEST_CASE("properties that cannot be are refused with host and property") {
  const PlatformOfTwo platform;
  const auto complaint = [&](const PlatformOfTwo::Properties& of_worker,
                             const PlatformOfTwo::Properties& of_server = {}) {
    return platform.complaint(platform.scenario_with(of_worker, of_server));
  };
  CHECK(
      complaint({{"power_busy", "400"}, {"power_idle", "1W"}}).find("p.xml: host a/power_busy: ") ==
      0);
  CHECK(complaint({{"power_busy", "400W"}}) ==
        "p.xml: host a: needs both power_busy and power_idle, or no power at all");
  CHECK(complaint({{"power_off", "1W"}}) ==
        "p.xml: host a: needs both power_busy and power_idle, or no power at all");
  CHECK(complaint({{"max_batch", "0"}}).find("p.xml: host a/max_batch: ") == 0);
  CHECK(complaint({{"max_batch", "many"}}).find("p.xml: host a/max_batch: ") == 0);
  CHECK(complaint({{"price_per_hour", "-1"}}).find("p.xml: host a/price_per_hour: ") == 0);
  CHECK(complaint({}, {{"max_batch", "4"}}) == "p.xml': host s: max_batch is for workers");
}

}  // namespace
}  // namespace motley

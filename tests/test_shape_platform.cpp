// A cluster as the scenario describes it against the same one as a SimGrid platform file, every way
// between two hosts written out; and the ranks of a platform file's hosts.
#include <random>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

using Names = std::vector<std::string>;

/// A cluster made up at random, in both forms.
class RandomCluster {
 public:
  explicit RandomCluster(unsigned seed) : random_(seed) {
    cluster_ = {{"workers", Json::array()}, {"servers", Json::array()}};
    places_ = kind() == "switch" ? 1 : 2 + pick(2);
    hosts_of_place_.resize(places_, Json::object());
    const std::size_t classes = 1 + pick(3);
    for (std::size_t k = 0; k < classes; ++k) add_class("c" + std::to_string(k));
    add_server("");
    if (!nodes_.empty() && pick(2) == 0) add_server(nodes_.front().class_name);
    if (kind() == "racks") add_racks();
    if (kind() == "sites") add_sites();
  }

  Json cluster() const { return cluster_; }

  std::string platform() const {
    std::string xml;
    for (const Machine& host : hosts_) {
      xml += "<host id=\"" + host.name + "\" speed=\"" + host.speed +
             "\"><prop id=\"role\" value=\"" + host.role + "\"/>";
      if (!host.inside.empty()) xml += "<prop id=\"node\" value=\"" + host.link + "\"/>";
      xml += "</host>\n";
    }
    xml += links_;
    for (const Machine& from : hosts_) {
      for (const Machine& to : hosts_) {
        if (&from == &to) continue;
        xml += "<route src=\"" + from.name + "\" dst=\"" + to.name + "\" symmetrical=\"NO\">";
        for (const std::string& link : way(from, to)) xml += "<link_ctn id=\"" + link + "\"/>";
        xml += "</route>\n";
      }
    }
    return platform_of(xml);
  }

 private:
  struct Machine {
    std::string name;
    std::string role;
    std::string speed;
    std::string link;    // its own or its node's
    std::string inside;  // empty on no node
    std::size_t place = 0;
  };
  struct Node {
    std::string class_name;
    std::string link;
    std::size_t place;
    Json inside;
  };

  std::size_t pick(std::size_t choices) { return random_() % choices; }
  std::string kind() const { return kind_; }

  /// As the scenario has it, of a random size; the platform file gets it under this name.
  Json add_link(const std::string& name) {
    const std::size_t up = 10'000'000 + pick(90'000'000);
    const std::size_t down = pick(2) == 0 ? up : 10'000'000 + pick(90'000'000);
    return copy_link(name, up, down, pick(4000));
  }
  Json copy_link(const std::string& name, std::size_t up, std::size_t down,
                 std::size_t latency_us) {
    const auto rate = [](std::size_t bytes) { return std::to_string(bytes) + "Bps"; };
    const std::string latency = std::to_string(latency_us) + "us";
    for (const auto& [way, bytes] : {std::pair{"_out", up}, std::pair{"_in", down}}) {
      links_ += "<link id=\"" + name + way + "\" bandwidth=\"" + rate(bytes) + "\" latency=\"" +
                latency + "\"/>\n";
    }
    const Json both = {{"up", rate(up)}, {"down", rate(down)}};
    return {{"bandwidth", up == down ? Json(rate(up)) : both}, {"latency", latency}};
  }
  /// One more link like that one.
  void repeat_link(const std::string& name, const Json& link) {
    const Json& b = link["bandwidth"];
    const std::string latency = link["latency"];
    const auto number = [](const Json& text) { return std::stoul(text.get<std::string>()); };
    copy_link(name, number(b.is_object() ? b["up"] : b), number(b.is_object() ? b["down"] : b),
              std::stoul(latency));
  }

  /// Names that the alphabet puts into another order than the file.
  std::string new_host_name() {
    return std::string(1, static_cast<char>('a' + pick(26))) + "h" +
           std::to_string(99 - hosts_.size());
  }

  void add_class(const std::string& name) {
    const std::size_t per_node = pick(2) == 0 ? 1 + pick(3) : 0;  // 0: in no nodes
    const std::size_t machines = places_ * (1 + pick(2));
    const std::size_t each = std::max<std::size_t>(per_node, 1);
    Json speeds = Json::array();
    Json description = {{"name", name}, {"count", machines * each}, {"speed", "1Gf"}};
    description["link"] = add_link(name + "0");
    if (per_node > 0) {
      description["per_node"] = per_node;
      description["inside"] = add_link(name + "0inside0");
    }
    for (std::size_t m = 0; m < machines; ++m) {
      const std::string link = name + std::to_string(m);
      if (m > 0) repeat_link(link, description["link"]);
      const std::size_t place = m * places_ / machines;
      if (per_node > 0) nodes_.push_back({name, link, place, description["inside"]});
      for (std::size_t i = 0; i < each; ++i) {
        const std::string inside = per_node > 0 ? link + "inside" + std::to_string(i) : "";
        if (per_node > 0 && m + i > 0) repeat_link(inside, description["inside"]);
        const std::size_t speed = speeds.empty() ? 1'000'000'000 : 300'000'000 + pick(700'000'000);
        speeds.push_back(speed);
        hosts_.push_back(
            {new_host_name(), "worker", std::to_string(speed) + "f", link, inside, place});
      }
      Json& here = hosts_of_place_[place];
      here[name] = here.value(name, std::size_t{0}) + each;
    }
    description["spread"] = {{"law", "list"}, {"speeds", speeds}};
    cluster_["workers"].push_back(description);
  }

  void add_server(const std::string& on) {
    Json server = {{"speed", "1Gf"}};
    const std::string name = "s" + std::to_string(cluster_["servers"].size());
    Machine host{new_host_name(), "server", "1Gf", name, "", 0};
    if (on.empty()) {
      host.place = pick(places_);
      server["link"] = add_link(name);
      hosts_of_place_[host.place]["server"] = 1;
    } else {
      server["on"] = on;
      const Node& node = nodes_.front();
      host.link = node.link;
      host.place = node.place;
      host.inside = node.link + "inside" + name;
      repeat_link(host.inside, node.inside);
    }
    cluster_["servers"].push_back(server);
    hosts_.push_back(host);
  }

  void add_racks() {
    Json racks = Json::array();
    for (std::size_t p = 0; p < places_; ++p) {
      racks.push_back(
          {{"hosts", hosts_of_place_[p]}, {"uplink", add_link("p" + std::to_string(p))}});
    }
    cluster_["fabric"] = {{"kind", "racks"}, {"racks", racks}};
  }

  void add_sites() {
    Json sites = Json::array();
    Json links = Json::array();
    for (std::size_t p = 0; p < places_; ++p) {
      sites.push_back({{"name", "p" + std::to_string(p)}, {"hosts", hosts_of_place_[p]}});
      for (std::size_t q = 0; q < p; ++q) {
        Json link = add_link("p" + std::to_string(q) + "p" + std::to_string(p));
        link["between"] = {"p" + std::to_string(q), "p" + std::to_string(p)};
        links.push_back(link);
      }
    }
    cluster_["fabric"] = {{"kind", "sites"}, {"sites", sites}, {"links", links}};
  }

  Names way(const Machine& from, const Machine& to) const {
    if (from.link == to.link) return {from.inside + "_out", to.inside + "_in"};
    Names links = {from.link + "_out"};
    const std::string a = "p" + std::to_string(from.place);
    const std::string b = "p" + std::to_string(to.place);
    if (a != b && kind() == "racks") {
      links.push_back(a + "_out");
      links.push_back(b + "_in");
    }
    if (a != b && kind() == "sites") links.push_back(a < b ? a + b + "_out" : b + a + "_in");
    links.push_back(to.link + "_in");
    return links;
  }

  std::mt19937 random_;
  std::string kind_ = Names{"switch", "racks", "sites"}[random_() % 3];
  Json cluster_;
  std::size_t places_ = 1;
  std::vector<Json> hosts_of_place_;
  std::vector<Machine> hosts_;
  std::vector<Node> nodes_;
  std::string links_;
};

void check_same_times(const RunResult& here, const RunResult& there) {
  REQUIRE(here.curve.size() == there.curve.size());
  for (std::size_t i = 0; i < here.curve.size(); ++i) {
    CHECK(here.curve[i].time_s == Approx(there.curve[i].time_s).margin(1e-9));
  }
  CHECK(here.virtual_s == Approx(there.virtual_s).margin(1e-9));
  CHECK(here.bytes == there.bytes);
  REQUIRE(here.workers.size() == there.workers.size());
  for (std::size_t i = 0; i < here.workers.size(); ++i) {
    CHECK(here.workers[i].compute_s == Approx(there.workers[i].compute_s).margin(1e-9));
    CHECK(here.workers[i].transfer_s == Approx(there.workers[i].transfer_s).margin(1e-9));
  }
}

TEST_CASE("random clusters take the times of the same clusters in platform files") {
  const tests::TemporaryFolder folder;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const RandomCluster random(seed);
    folder.write("random.xml", random.platform());
    Json scenario = timing_scenario();
    scenario["model"] = {{"kind", "quadratic"}, {"dimension", 8}, {"noise", 0}};
    scenario["stop"]["updates"] = 12;
    Json in_file = scenario;
    scenario["cluster"] = random.cluster();
    in_file["cluster"] = {{"platform", (folder.path() / "random.xml").string()}};
    std::vector<Json> algorithms = {{{"name", "sync"}}, {{"name", "async"}}};
    for (const std::string& collective : ExchangeSpec::collectives()) {
      algorithms.push_back({{"name", "allreduce"}, {"collective", collective}});
    }
    for (const Json& algorithm : algorithms) {
      CAPTURE(seed, algorithm.dump(), random.cluster().dump());
      scenario["algorithms"] = in_file["algorithms"] = Json::array({algorithm});
      check_same_times(simulate(scenario), simulate(in_file));
    }
  }
}

TEST_CASE("the ranks of a platform file follow the file, whatever its hosts are called") {
  // A ring through two racks: in the file's order it crosses the uplinks once each way.
  const tests::TemporaryFolder folder;
  std::string xml = tests::read_file(MOTLEY_SOURCE_DIR "/platforms/two_racks.xml");
  folder.write("named.xml", xml);
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["cluster"] = {{"platform", (folder.path() / "named.xml").string()}};
  const RunResult before = simulate(scenario);
  REQUIRE(before.workers.size() == 8);
  const Names other = {"z", "b10", "y2", "a", "x", "b9", "w", "c"};
  for (std::size_t rank = 0; rank < other.size(); ++rank) {
    const std::string name = '"' + before.workers[rank].name + '"';
    for (std::size_t at = xml.find(name); at != std::string::npos; at = xml.find(name, at + 1)) {
      xml.replace(at, name.size(), '"' + other[rank] + '"');
    }
  }
  folder.write("named.xml", xml);
  RunResult after = simulate(scenario);
  for (std::size_t rank = 0; rank < other.size(); ++rank) {
    CHECK(after.workers[rank].name == other[rank]);
    after.workers[rank].name = before.workers[rank].name;
  }
  CHECK(text_of(after) == text_of(before));
}

TEST_CASE("the hosts of a cluster element have ranks in the order of their numbers") {
  const tests::TemporaryFolder folder;
  folder.write("cluster.xml",
               "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
               "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
               "<cluster id=\"c\" prefix=\"h\" suffix=\"x\" radical=\"2,7-11,0-1\" speed=\"1Gf\" "
               "bw=\"100MBps\" lat=\"1ms\"><prop id=\"role\" value=\"worker\"/></cluster>\n"
               "</platform>\n");
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["cluster"] = {{"platform", (folder.path() / "cluster.xml").string()}};
  Names names;
  const Experiment experiment = experiment_of(scenario);
  for (const HostPlan& worker : experiment.cluster().workers) names.push_back(worker.name);
  CHECK(names == Names{"h2x", "h7x", "h8x", "h9x", "h10x", "h11x", "h0x", "h1x"});
}

TEST_CASE("the class of a platform file's link is its group, with the direction of a split one") {
  const tests::TemporaryFolder folder;
  folder.write(
      "classes.xml",
      platform_of("<host id=\"b\" speed=\"1Gf\"><prop id=\"role\" value=\"worker\"/></host>"
                  "<host id=\"a\" speed=\"1Gf\"><prop id=\"role\" value=\"worker\"/></host>"
                  "<link id=\"l1\" bandwidth=\"1GBps\" latency=\"1us\">"
                  "<prop id=\"class\" value=\"wire\"/></link>"
                  "<link id=\"l2\" bandwidth=\"1GBps\" latency=\"1us\" "
                  "sharing_policy=\"SPLITDUPLEX\"><prop id=\"class\" value=\"card\"/></link>"
                  "<link id=\"l3_UP\" bandwidth=\"1GBps\" latency=\"1us\"/>"
                  "<route src=\"a\" dst=\"b\"><link_ctn id=\"l1\"/>"
                  "<link_ctn id=\"l2\" direction=\"UP\"/><link_ctn id=\"l3_UP\"/></route>"));
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["cluster"] = {{"platform", (folder.path() / "classes.xml").string()}};
  Names groups;
  for (const LinkResult& link : simulate(scenario).links)
    groups.push_back(link.name + "=" + link.group);
  CHECK(groups == Names{"l1=wire", "l2_DOWN=card_DOWN", "l2_UP=card_UP", "l3_UP="});
}

}  // namespace
}  // namespace motley

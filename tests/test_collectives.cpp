// The collectives in closed forms, and what must not depend on which is chosen. A gradient takes a
// second; a vector has as many bytes as 1 to 17 and 16 divide.
#include <bit>
#include <numeric>
#include <random>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"
#include "tests/program.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

const std::vector<std::string> all = ExchangeSpec::collectives();
constexpr double S = 12252240;

Json link_of(double bytes_per_s, double latency_s) {
  return {{"bandwidth", std::to_string(std::llround(bytes_per_s)) + "Bps"},
          {"latency", std::to_string(std::llround(latency_s * 1e6)) + "us"}};
}

Json workers_of(const std::string& name, std::size_t count) {
  return {{"name", name}, {"count", count}, {"speed", "1Gf"}};
}

Json in_nodes(Json workers, std::size_t per_node, const Json& inside) {
  workers["per_node"] = per_node;
  workers["inside"] = inside;
  return workers;
}

Json scenario_of(const Json& workers, const Json& link) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = workers;
  scenario["cluster"]["link"] = link;
  scenario["cost"]["model_size"] = std::to_string(std::llround(S)) + "B";
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["stop"]["updates"] = 3;
  return scenario;
}

Json by(const std::string& collective, Json scenario) {
  scenario["defaults"]["collective"] = collective;
  return scenario;
}

/// Every update takes a gradient and so long.
void check_all_reduce(const Json& scenario, double seconds) {
  const RunResult result = simulate(scenario);
  REQUIRE(result.status == RunStatus::ok);
  REQUIRE(result.curve.size() == 4);
  for (std::size_t i = 1; i < result.curve.size(); ++i) {
    CHECK(result.curve[i].time_s ==
          Approx(static_cast<double>(i) * (1 + seconds)).margin(1e-9).epsilon(0));
  }
}

/// So many halvings lead from n to one, rounded up.
double levels(std::size_t n) {
  double count = 0;
  for (std::size_t reached = 1; reached < n; reached *= 2) ++count;
  return count;
}

// ---- One switch ----

/// W members, a way of latency L and b bytes a second.
double closed_form(const std::string& collective, std::size_t members, double L, double b) {
  const auto W = static_cast<double>(members);
  if (collective == "tree") return 2 * levels(members) * (L + S / b);
  if (collective == "halving_doubling") {
    const auto P = static_cast<double>(std::bit_floor(members));
    const double folding = P < W ? 2 * (L + S / b) : 0;
    return 2 * std::log2(P) * L + 2 * (P - 1) / P * S / b + folding;
  }
  return 2 * (W - 1) * (L + S / W / b);  // hierarchical: nodes of one
}

TEST_CASE("on one switch every collective takes its closed form") {
  struct Links {
    double latency_s;
    double bytes_per_s;
  };
  // Latencies that dwarf the bytes, bytes alone, both.
  for (const Links& links : {Links{0.005, 1e12}, Links{0, 1e8}, Links{0.001, 1e8}}) {
    for (const std::string& collective : all) {
      for (std::size_t W = 1; W <= 17; ++W) {
        CAPTURE(collective, W, links.latency_s);
        check_all_reduce(by(collective, scenario_of(Json::array({workers_of("w", W)}),
                                                    link_of(links.bytes_per_s, links.latency_s))),
                         closed_form(collective, W, 2 * links.latency_s, links.bytes_per_s));
      }
    }
  }
}

// ---- Nodes ----

// Ports inside: 1.6 GB/s, 0.2 ms each. Cards: 100 MB/s, 1 ms each.
constexpr double b_in = 1.6e9;
constexpr double L_in = 2 * 0.0002;
constexpr double b_out = 1e8;
constexpr double L_out = 2 * 0.001;

Json nodes_of(std::size_t nodes, std::size_t per_node) {
  return scenario_of(
      Json::array({in_nodes(workers_of("w", nodes * per_node), per_node, link_of(b_in, 0.0002))}),
      link_of(b_out, 0.001));
}

TEST_CASE("hierarchical takes trees inside the nodes and a ring between them") {
  for (std::size_t N = 1; N <= 5; ++N) {
    for (std::size_t G = 1; G <= 5; ++G) {
      CAPTURE(N, G);
      const auto nodes = static_cast<double>(N);
      const double expected =
          2 * levels(G) * (L_in + S / b_in) + 2 * (nodes - 1) * (L_out + S / nodes / b_out);
      check_all_reduce(by("hierarchical", nodes_of(N, G)), expected);
      Json fluid = by("hierarchical", nodes_of(N, G));
      fluid["approximate"]["ring"] = "fluid";
      check_all_reduce(fluid, expected);
    }
  }
}

TEST_CASE("uneven nodes wait for the largest of them") {
  // Nodes of 5, of 2 and two machines alone: four in the ring, three levels in the largest.
  Json scenario = scenario_of(
      Json::array({in_nodes(workers_of("five", 5), 5, link_of(b_in, 0.0002)),
                   in_nodes(workers_of("two", 2), 2, link_of(b_in, 0.0002)), workers_of("one", 2)}),
      link_of(b_out, 0.001));
  check_all_reduce(by("hierarchical", scenario),
                   2 * 3 * (L_in + S / b_in) + 2 * 3 * (L_out + S / 4 / b_out));
}

TEST_CASE("tree, halves and ring through nodes take their closed forms") {
  for (const std::size_t N : {1, 2, 4}) {
    for (const std::size_t G : {1, 2, 4}) {
      CAPTURE(N, G);
      const auto nodes = static_cast<double>(N);
      const auto each = static_cast<double>(G);
      check_all_reduce(by("tree", nodes_of(N, G)),
                       2 * levels(G) * (L_in + S / b_in) + 2 * levels(N) * (L_out + S / b_out));
      // The halves of all members of a node share its card.
      check_all_reduce(by("halving_doubling", nodes_of(N, G)),
                       2 * levels(G) * L_in + 2 * (1 - 1 / each) * S / b_in +
                           2 * levels(N) * L_out + 2 * (1 - 1 / nodes) * S / b_out);
      const double W = nodes * each;
      const double inside = G > 1 ? L_in + S / W / b_in : 0;
      const double outside = N > 1 ? L_out + S / W / b_out : 0;
      check_all_reduce(by("ring", nodes_of(N, G)), 2 * (W - 1) * std::max(inside, outside));
    }
  }
}

// ---- Racks, and the order of members ----

// Links of 100 MB/s and 1 ms in racks whose uplinks have 100 MB/s and 3 ms.
constexpr double L_racks = 2 * 0.001 + 2 * 0.003;

Json racks_of(const Json& workers, std::size_t racks, const Json& hosts) {
  Json scenario = scenario_of(workers, link_of(b_out, 0.001));
  scenario["cluster"].erase("server");
  scenario["cluster"]["fabric"] = {{"kind", "racks"},
                                   {"racks", {{{"count", racks}, {"hosts", hosts}}}},
                                   {"uplink", link_of(b_out, 0.003)}};
  return scenario;
}

double closed_form_in_racks(const std::string& collective, std::size_t racks, std::size_t each) {
  const auto R = static_cast<double>(racks);
  const auto H = static_cast<double>(each);
  if (collective == "tree") {
    return 2 * levels(each) * (L_out + S / b_out) + 2 * levels(racks) * (L_racks + S / b_out);
  }
  if (collective == "halving_doubling") {
    return 2 * levels(each) * L_out + 2 * (1 - 1 / H) * S / b_out + 2 * levels(racks) * L_racks +
           2 * (1 - 1 / R) * S / b_out;  // all of a rack share its uplink
  }
  return 2 * (R * H - 1) * ((racks > 1 ? L_racks : L_out) + S / (R * H) / b_out);
}

TEST_CASE("through racks every collective takes its closed form, in any order of ranks") {
  for (const std::size_t R : {1, 2, 4}) {
    for (const std::string& collective : all) {
      CAPTURE(collective, R);
      const double expected = closed_form_in_racks(collective, R, 4);
      check_all_reduce(
          by(collective, racks_of(Json::array({workers_of("w", 4 * R)}), R, {{"w", 4}})), expected);
      // Two classes, and four, that have members in every rack: ranks are scattered over the racks.
      check_all_reduce(
          by(collective, racks_of(Json::array({workers_of("a", 2 * R), workers_of("b", 2 * R)}), R,
                                  {{"a", 2}, {"b", 2}})),
          expected);
      check_all_reduce(
          by(collective, racks_of(Json::array({workers_of("a", R), workers_of("b", R),
                                               workers_of("c", R), workers_of("d", R)}),
                                  R, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}})),
          expected);
    }
  }
}

// ---- Algorithms of the tests' own ----

/// What a worker does, by the collective.
struct Body : Algorithm {
  explicit Body(const std::string& name) {
    spec.collective = static_cast<ExchangeSpec::Collective>(
        std::find(all.begin(), all.end(), name) - all.begin());
  }
  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return spec; }

  AllReduceSpec spec;
};

template <class A>
RunResult run_by(const std::string& collective, Json scenario) {
  scenario["stop"]["updates"] = 1;
  const Experiment experiment = experiment_of(scenario);
  return result_of(run_in_child([&] {
    A algorithm(collective);
    return to_json(experiment.run(algorithm, 1, {}));
  }));
}

Parameters number(double value) {
  Parameters v = Parameters::zeros(4);
  for (float& each : v.writable()) each = static_cast<float>(value);
  return v;
}

void end_run(Worker& me) {
  me.barrier();
  Model x = me.initial_model();
  if (me.rank() == 0) me.finish_update(x);
  me.barrier();
}

double told(const RunResult& result, const std::string& quantity, std::size_t rank) {
  for (const Decision& decision : result.decisions) {
    if (decision.quantity == quantity && decision.rank == rank) return decision.value;
  }
  throw std::runtime_error("nobody told " + quantity);
}

/// Three rounds after gradients of different lengths.
struct ThreeRounds : Body {
  using Body::Body;
  static constexpr double rounds = 3;

  void worker(Worker& me) const override {
    const std::size_t W = me.workers();
    for (std::size_t round = 0; round < rounds; ++round) {
      me.gradient(me.initial_model(), 1 + (me.rank() * 7 + round * 3) % 5);
      Parameters v = number(static_cast<double>(me.rank() + round));
      const NotesOfAll numbers = me.everybody().all_reduce_mean(
          v, static_cast<double>(1 + me.rank()), {static_cast<double>(me.rank())});
      me.record_decision("mean", v.values()[3]);
      for (std::size_t i = 0; i < W; ++i) {
        if (numbers->at(i).at(0) != static_cast<double>(i)) throw std::logic_error("other numbers");
      }
    }
    end_run(me);
  }
};

std::vector<double> means(const RunResult& result) {
  std::vector<double> values;
  for (const Decision& decision : result.decisions) {
    if (decision.quantity == "mean" && decision.rank == 0) values.push_back(decision.value);
  }
  return values;
}

TEST_CASE("every collective moves the vector 2(W-1) times and gives the same mean") {
  for (std::size_t W = 1; W <= 17; ++W) {
    const Json scenario = scenario_of(Json::array({workers_of("w", W)}), link_of(1e8, 0.001));
    const std::vector<double> expected = means(run_by<ThreeRounds>("ring", scenario));
    REQUIRE(expected.size() == ThreeRounds::rounds);
    for (const std::string& collective : all) {
      CAPTURE(collective, W);
      Json odd = scenario;
      odd["cost"]["model_size"] = "1000003B";  // divides by nothing
      const RunResult result = run_by<ThreeRounds>(collective, odd);
      REQUIRE(result.status == RunStatus::ok);
      CHECK(result.bytes == ThreeRounds::rounds * 2 * static_cast<double>(W - 1) * 1000003);
      CHECK(means(result) == expected);
    }
  }
}

TEST_CASE("vectors of fewer bytes than members are averaged, too") {
  Json scenario = scenario_of(Json::array({workers_of("w", 11)}), link_of(1e8, 0));
  scenario["cost"]["model_size"] = "3B";
  for (const std::string& collective : all) {
    CAPTURE(collective);
    CHECK(run_by<ThreeRounds>(collective, scenario).bytes == ThreeRounds::rounds * 2 * 10 * 3);
  }
}

TEST_CASE("random clusters never hang, whatever the collective") {
  std::mt19937 random(7);
  const auto pick = [&random](std::size_t choices) { return std::size_t{random() % choices}; };
  for (int trial = 0; trial < 25; ++trial) {
    const std::size_t racks = 1 + pick(3);
    Json workers = Json::array();
    Json hosts = Json::object();
    std::size_t W = 0;
    for (std::size_t k = 0; k < 1 + pick(3); ++k) {
      const std::size_t per_node = 1 + pick(3);
      const std::string name(1, static_cast<char>('a' + k));
      const std::size_t in_rack = per_node * (1 + pick(2));
      Json one = workers_of(name, racks * in_rack);
      one["speed"] = std::to_string(1 + pick(4)) + "Gf";
      one["noise"] = {{"law", "exponential"}, {"mean", 0.3}};
      one["link"] = link_of(static_cast<double>(20'000'000 + pick(80'000'000)), 0.0005);
      if (pick(3) > 0)
        one = in_nodes(one, per_node, link_of(1e9, 1e-5 * static_cast<double>(pick(3))));
      workers.push_back(one);
      hosts[name] = in_rack;
      W += racks * in_rack;
    }
    const Json scenario = racks_of(workers, racks, hosts);
    const std::vector<double> expected = means(run_by<ThreeRounds>("ring", scenario));
    for (const std::string& collective : all) {
      CAPTURE(trial, collective, scenario["cluster"].dump());
      const RunResult result = run_by<ThreeRounds>(collective, scenario);
      REQUIRE(result.status == RunStatus::ok);
      CHECK(result.bytes == ThreeRounds::rounds * 2 * static_cast<double>(W - 1) * S);
      CHECK(means(result) == expected);
    }
  }
}

/// A group of everybody in a scattered order, and a part of them.
struct Scattered : Body {
  using Body::Body;

  void worker(Worker& me) const override {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < me.workers(); ++i) ranks.push_back(i * 3 % me.workers());
    Parameters v = number(1);
    me.group("scattered", ranks).all_reduce_mean(v);
    me.record_decision("scattered_at", me.clock());
    me.barrier();
    const double start = me.clock();
    me.group("in order", {0, 1, 2, 3}, "tree").ranks();
    me.everybody().all_reduce_mean(v);
    me.record_decision("took", me.clock() - start);
    end_run(me);
  }
};

TEST_CASE("a group in any order of ranks takes the time of one in order") {
  for (const std::string& collective : all) {
    CAPTURE(collective);
    Json scenario = nodes_of(2, 2);
    const RunResult result = run_by<Scattered>(collective, scenario);
    REQUIRE(result.status == RunStatus::ok);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      CHECK(told(result, "scattered_at", rank) ==
            Approx(told(result, "took", rank)).margin(1e-9).epsilon(0));
    }
  }
}

struct Overlapped : Body {
  using Body::Body;

  void worker(Worker& me) const override {
    const std::unique_ptr<Group::Pending> pending =
        me.everybody().start_all_reduce_mean(number(static_cast<double>(me.rank())));
    me.gradient(me.initial_model(), 1);
    me.record_decision("done", pending->is_done() ? 1 : 0);
    me.record_decision("mean", pending->wait().values()[0]);
    me.record_decision("at", me.clock());
    me.everybody().start_all_reduce_mean(number(1))->wait();
    me.record_decision("blocking_at", me.clock());
    end_run(me);
  }
};

TEST_CASE("any collective goes on behind a computation") {
  for (const std::string& collective : all) {
    CAPTURE(collective);
    const RunResult result = run_by<Overlapped>(
        collective, scenario_of(Json::array({workers_of("w", 4)}), link_of(1e9, 0.001)));
    REQUIRE(result.status == RunStatus::ok);
    CHECK(told(result, "done", 0) == 1);
    CHECK(told(result, "mean", 3) == 1.5);
    CHECK(told(result, "at", 0) == 1);
    CHECK(told(result, "blocking_at", 0) ==
          Approx(1 + closed_form(collective, 4, 0.002, 1e9)).margin(1e-9).epsilon(0));
  }
}

struct OneStaysAway : Body {
  using Body::Body;

  void worker(Worker& me) const override {
    Parameters v = number(1);
    if (me.rank() == 2) me.receive();
    me.all_reduce_mean(v);
  }
};

TEST_CASE("a collective that one member never comes to is a deadlock that says so") {
  for (const auto& [collective, what] : std::vector<std::pair<std::string, std::string>>{
           {"ring", "wait for its neighbours in the ring of the all-reduce"},
           {"hierarchical", "wait for the others of its node, or other nodes, in the all-reduce"},
           {"tree", "wait for its neighbours in the tree of the all-reduce"},
           {"halving_doubling", "wait for its partner in the all-reduce by halves"}}) {
    const RunResult result = run_by<OneStaysAway>(
        collective, scenario_of(Json::array({workers_of("w", 4)}), link_of(1e9, 0.001)));
    CHECK(result.status == RunStatus::failed);
    CHECK_THAT(result.reason, Catch::Contains("w-0, w-1, w-3 " + what));
    CHECK_THAT(result.reason, Catch::Contains("w-2 waits for a message"));
  }
}

// ---- Learning ----

TEST_CASE("learning has the same bits by every collective") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"][0] =
      in_nodes(scenario["cluster"]["workers"][0], 2, link_of(1e9, 0.0001));
  for (const Json& algorithm :
       {Json{{"name", "allreduce"}, {"momentum", 0.5}}, Json{{"name", "local"}, {"local_steps", 3}},
        Json{{"name", "hierarchical"}, {"groups", 2}}, Json{{"name", "diloco"}, {"local_steps", 2}},
        Json{{"name", "simuparallel"}, {"local_steps", 2}, {"rounds", 5}}}) {
    const std::vector<double> expected = losses(run_of(algorithm, scenario));
    for (const std::string& collective : all) {
      CAPTURE(algorithm.dump(), collective);
      Json other = algorithm;
      other["collective"] = collective;
      CHECK(losses(run_of(other, scenario)) == expected);
    }
  }
}

TEST_CASE("an algorithm's own collective counts before the default") {
  Json scenario = by("tree", scenario_of(Json::array({workers_of("w", 8)}), link_of(1e8, 0.001)));
  check_all_reduce(scenario, closed_form("tree", 8, 0.002, 1e8));
  scenario["algorithms"][0]["collective"] = "halving_doubling";
  check_all_reduce(scenario, closed_form("halving_doubling", 8, 0.002, 1e8));
}

TEST_CASE("a collective that there is not is refused where it stands") {
  Json scenario = scenario_of(Json::array({workers_of("w", 2)}), link_of(1e8, 0.001));
  scenario["algorithms"][0]["collective"] = "hierarchial";
  CHECK_THROWS_WITH(experiment_of(scenario),
                    Catch::Contains("/algorithms/0/collective: must be one of ring, hierarchical, "
                                    "tree or halving_doubling (did you mean 'hierarchical'?)"));
  scenario["algorithms"][0] = {{"name", "sync"}, {"collective", "ring"}};
  CHECK_THROWS_WITH(experiment_of(scenario), Catch::Contains("/algorithms/0/collective"));
  scenario["algorithms"][0] = {{"name", "allreduce"}};
  scenario["defaults"]["collective"] = "Tree";
  CHECK_THROWS_WITH(experiment_of(scenario), Catch::Contains("/defaults/collective"));
}

// ---- Platform files ----

/// Two racks of two nodes of two workers each, every way written out, as racks and nodes of a
/// scenario: the hosts in this order, called so.
std::string platform_in_order(const std::vector<std::size_t>& order,
                              const std::vector<std::string>& names) {
  const auto link = [](const std::string& name, const char* bandwidth, const char* latency) {
    std::string both;
    for (const char* way : {"_out", "_in"}) {
      both += "<link id=\"" + name + way + "\" bandwidth=\"" + bandwidth + "\" latency=\"" +
              latency + "\"/>\n";
    }
    return both;
  };
  const auto text = [](const char* what, std::size_t i) { return what + std::to_string(i); };
  std::string xml;
  for (const std::size_t i : order) {
    xml += "<host id=\"" + names[i] + "\" speed=\"1Gf\"><prop id=\"role\" value=\"worker\"/>" +
           "<prop id=\"node\" value=\"" + text("n", i / 2) + "\"/></host>\n";
  }
  for (std::size_t i = 0; i < 8; ++i) xml += link(text("port", i), "1600MBps", "200us");
  for (std::size_t i = 0; i < 4; ++i) xml += link(text("card", i), "100MBps", "1ms");
  for (std::size_t i = 0; i < 2; ++i) xml += link(text("uplink", i), "100MBps", "3ms");
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      if (i == j) continue;
      xml += "<route src=\"" + names[i] + "\" dst=\"" + names[j] + "\" symmetrical=\"NO\">";
      const auto cross = [&xml](const std::string& name) {
        xml += "<link_ctn id=\"" + name + "\"/>";
      };
      cross(text(i / 2 == j / 2 ? "port" : "card", i / 2 == j / 2 ? i : i / 2) + "_out");
      if (i / 4 != j / 4) cross(text("uplink", i / 4) + "_out");
      if (i / 4 != j / 4) cross(text("uplink", j / 4) + "_in");
      cross(text(i / 2 == j / 2 ? "port" : "card", i / 2 == j / 2 ? j : j / 2) + "_in");
      xml += "</route>\n";
    }
  }
  return platform_of(xml);
}

TEST_CASE("neither names nor the order of a platform file's hosts change a collective's times") {
  Json built = racks_of(Json::array({in_nodes(workers_of("w", 8), 2, link_of(b_in, 0.0002))}), 2,
                        {{"w", 4}});
  std::vector<std::size_t> order(8);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::string> names = {"h", "b10", "z", "a", "x", "b9", "w", "c"};
  const tests::TemporaryFolder folder;
  std::mt19937 random(5);
  for (int trial = 0; trial < 6; ++trial) {
    folder.write("some.xml", platform_in_order(order, names));
    Json in_file = built;
    in_file["cluster"] = {{"platform", (folder.path() / "some.xml").string()}};
    for (const std::string& collective : all) {
      CAPTURE(trial, collective);
      const RunResult here = simulate(by(collective, built));
      const RunResult there = simulate(by(collective, in_file));
      CHECK(there.virtual_s == Approx(here.virtual_s).margin(1e-9).epsilon(0));
      if (collective != "ring") continue;
      for (const LinkResult& link : there.links) {
        // Once per direction: 14 pieces of an eighth, three times; what came last may be on its way.
        if (link.name.starts_with("port")) continue;
        CHECK(link.bytes <= 3 * 14 * S / 8);
        CHECK(link.bytes >= (3 * 14 - 1) * S / 8);
      }
    }
    std::shuffle(order.begin(), order.end(), random);
    std::shuffle(names.begin(), names.end(), random);
  }
}

}  // namespace
}  // namespace motley

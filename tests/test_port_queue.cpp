// A port shared by flows with caps, against a calculation that goes over all flows at every event.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/engine/network/port_queue.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct Numbered : PortQueue::Flow {
  std::size_t number = 0;
};

/// What a flow is, and when it ended or what was left of it when it was taken out.
struct Told {
  double at = 0;
  double bytes = 0;
  double cap = 0;
  double taken_out_at = never;
  double end = never;
  double left = 0;
};

/// The fair share of every flow: those with the smallest caps first, each at most an equal part of
/// what the others leave.
std::vector<double> fair_rates(double bandwidth, const std::vector<double>& caps) {
  std::vector<std::size_t> order(caps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return caps[a] < caps[b]; });
  std::vector<double> rates(caps.size());
  double left = bandwidth;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rates[order[i]] = std::min(caps[order[i]], left / static_cast<double>(order.size() - i));
    left -= rates[order[i]];
  }
  return rates;
}

/// Goes from event to event and moves every flow by its rate.
void by_passes(double bandwidth, std::vector<Told>& flows) {
  std::vector<double> left(flows.size());
  std::vector<bool> inside(flows.size(), false);
  std::vector<bool> over(flows.size(), false);
  double now = 0;
  for (;;) {
    std::vector<std::size_t> present;
    std::vector<double> caps;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!inside[i]) continue;
      present.push_back(i);
      caps.push_back(flows[i].cap);
    }
    const std::vector<double> rates = fair_rates(bandwidth, caps);
    double next = never;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!inside[i] && !over[i]) next = std::min(next, flows[i].at);
      if (inside[i]) next = std::min(next, flows[i].taken_out_at);
    }
    for (std::size_t i = 0; i < present.size(); ++i) {
      next = std::min(next, now + left[present[i]] / rates[i]);
    }
    if (next == never) return;
    for (std::size_t i = 0; i < present.size(); ++i) left[present[i]] -= rates[i] * (next - now);
    now = next;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const bool ends = inside[i] && left[i] <= 1e-9 * flows[i].bytes;
      if (ends) flows[i].end = now;
      if (ends || (inside[i] && flows[i].taken_out_at <= now)) {
        if (!ends) flows[i].left = left[i];
        inside[i] = false;
        over[i] = true;
      }
      if (!inside[i] && !over[i] && flows[i].at <= now) {
        inside[i] = true;
        left[i] = flows[i].bytes;
      }
    }
  }
}

void by_queue(double bandwidth, std::vector<Told>& flows) {
  PortQueue queue(bandwidth);
  std::vector<Numbered> places(flows.size());
  struct Moment {
    double time;
    std::size_t flow;
    bool comes;
  };
  std::vector<Moment> moments;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    places[i].number = i;
    moments.push_back({flows[i].at, i, true});
    if (flows[i].taken_out_at < never) moments.push_back({flows[i].taken_out_at, i, false});
  }
  std::sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
    return a.time != b.time ? a.time < b.time : a.flow < b.flow;
  });
  const auto end_until = [&](double time) {
    while (queue.next_end() <= time) {
      const double now = queue.next_end();
      std::size_t ended = 0;
      while (PortQueue::Flow* flow = queue.take_ended(now)) {
        flows[static_cast<Numbered*>(flow)->number].end = now;
        ++ended;
      }
      REQUIRE(ended > 0);
      if (queue.empty()) break;
    }
  };
  for (const Moment& moment : moments) {
    end_until(moment.time);
    Told& flow = flows[moment.flow];
    if (moment.comes)
      queue.add(moment.time, places[moment.flow], flow.bytes, flow.cap);
    else if (flow.end == never)
      flow.left = queue.remove(moment.time, places[moment.flow]);
  }
  end_until(std::numeric_limits<double>::max());
  CHECK(queue.empty());
  CHECK(queue.next_end() == never);
}

TEST_CASE(
    "equal flows share a port equally and one that is limited leaves the rest to the others") {
  // 100 B/s. Two flows of 100 B and one of 10 B limited to 10 B/s: 45 B/s each beside it for 1 s,
  // then 50 B/s for the remaining 55 B: 1 + 1.1 s.
  PortQueue queue(100);
  Numbered a;
  Numbered b;
  Numbered c;
  queue.add(0, a, 100, 1000);
  queue.add(0, b, 100, 60);
  queue.add(0, c, 10, 10);
  CHECK(queue.next_end() == Approx(1));
  CHECK(queue.take_ended(1) == &c);
  CHECK(queue.take_ended(1) == nullptr);
  CHECK(queue.next_end() == Approx(2.1));
  CHECK(queue.remove(1.5, b) == Approx(30));
  // a alone: 30 B at 100 B/s.
  CHECK(queue.next_end() == Approx(1.8));
  CHECK(queue.take_ended(queue.next_end()) == &a);
  CHECK(queue.empty());
}

TEST_CASE(
    "a port shared by flows of any caps, coming and going, takes the times of the fair shares") {
  for (std::uint32_t round = 0; round < 60; ++round) {
    CAPTURE(round);
    RandomStream random(round, "port queue", 0);
    const auto uniform = [&random] { return random() / 4294967296.0; };
    const double bandwidth = 1e8 * (1 + 9 * uniform());
    const std::size_t kinds = round % 3 == 0 ? 2 : 5;
    std::vector<Told> flows(20 + random() % 180);
    for (Told& flow : flows) {
      // Some come at the same moment, or have the same size.
      flow.at = uniform() < 0.3 ? std::floor(5 * uniform()) : 5 * uniform();
      flow.bytes = uniform() < 0.3 ? 1e7 : 1e7 * uniform() + 1;
      // All different, or of a few kinds; some as fast as the port or faster.
      flow.cap = round % 3 == 2 ? bandwidth * (0.001 + 0.2 * uniform())
                                : bandwidth / static_cast<double>(1 << (2 * (random() % kinds)));
      if (uniform() < 0.1) flow.cap = 2 * bandwidth;
      if (uniform() < 0.15) flow.taken_out_at = flow.at + uniform();
    }
    std::vector<Told> expected = flows;
    by_passes(bandwidth, expected);
    by_queue(bandwidth, flows);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      CAPTURE(i);
      if (expected[i].end == never) {
        CHECK(flows[i].end == never);
        CHECK(flows[i].left == Approx(expected[i].left).margin(1e-3));
      } else {
        CHECK(flows[i].end == Approx(expected[i].end).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("the work of a busy port stays exact over a hundred thousand flows") {
  // Always ten flows of 1000 B at 100 B/s each on a port of 500 B/s: one ends every 2 s, and another
  // takes its place.
  std::vector<Numbered> places(10);
  PortQueue queue(500);
  for (std::size_t i = 0; i < places.size(); ++i) {
    queue.add(0, places[i], 100.0 * static_cast<double>(i + 1), 100);
  }
  double now = 0;
  for (int ended = 1; ended <= 100000; ++ended) {
    now = queue.next_end();
    PortQueue::Flow* flow = queue.take_ended(now);
    REQUIRE(flow != nullptr);
    queue.add(now, *flow, 1000, 100);
  }
  CHECK(now == Approx(200000).epsilon(1e-12));
}

}  // namespace
}  // namespace motley

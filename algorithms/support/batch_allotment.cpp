#include "algorithms/support/batch_allotment.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/support/apportioned_to_all.hpp"

namespace motley {

/// Those of whom there is a time.
struct BatchAllotment::Measured {
  std::vector<std::size_t> who;
  std::vector<double> times;
  std::vector<std::optional<std::size_t>> max_batches;
  std::size_t total = 0;  ///< of their batches

  double least_time() const { return *std::ranges::min_element(times); }
  double most_time() const { return *std::ranges::max_element(times); }
};

double BatchAllotment::State::weight(std::size_t worker) const {
  return parts.empty() ? static_cast<double>(batches[worker]) : parts[worker];
}

std::vector<double> BatchAllotment::State::shares() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < batches.size(); ++i) all.push_back(weight(i));
  return all;
}

std::size_t BatchAllotment::most_of(std::size_t worker) const {
  if (max_batches.empty() || !max_batches[worker]) return most;
  return std::min(most, *max_batches[worker]);
}

bool BatchAllotment::has_room_for(std::size_t total, std::size_t workers) const {
  std::size_t room = 0;
  for (std::size_t i = 0; i < workers; ++i) {
    if (most_of(i) < least) return false;
    room += most_of(i);
  }
  return total >= workers * least && total <= room;
}

BatchAllotment::State BatchAllotment::first(const std::vector<std::size_t>& batches) const {
  State state{batches};
  state.move = move;
  const auto total =
      static_cast<double>(std::accumulate(batches.begin(), batches.end(), std::size_t{0}));
  for (std::size_t i = 0; mode == Mode::dbs && i < batches.size(); ++i) {
    state.parts.push_back(static_cast<double>(batches[i]) / total);
  }
  return state;
}

void BatchAllotment::adjust(std::span<const double> times, State& state) const {
  Measured measured;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] <= 0) continue;
    measured.who.push_back(i);
    measured.times.push_back(times[i]);
    if (!max_batches.empty()) measured.max_batches.push_back(max_batches[i]);
    measured.total += state.batches[i];
  }
  if (measured.who.empty()) return;
  if (mode == Mode::adaptive) adjust_adaptive(measured, state);
  if (mode == Mode::dbs) adjust_dbs(measured, state);
  if (mode == Mode::omnilearn) adjust_omnilearn(measured, state);
  if (mode == Mode::lb_bsp) adjust_lb_bsp(measured, state);
}

void BatchAllotment::adjust_adaptive(const Measured& measured, State& state) const {
  if (state.settled && measured.most_time() <= restart_above * measured.least_time()) return;
  std::vector<double> speeds;
  for (std::size_t k = 0; k < measured.who.size(); ++k) {
    speeds.push_back(static_cast<double>(state.batches[measured.who[k]]) / measured.times[k]);
  }
  const std::vector<std::size_t> next =
      apportioned_to_all(measured.total, speeds, measured.max_batches);
  state.settled = true;
  for (std::size_t k = 0; k < measured.who.size(); ++k) {
    std::size_t& batch = state.batches[measured.who[k]];
    if (std::max(next[k], batch) - std::min(next[k], batch) > 1) state.settled = false;
    batch = next[k];
  }
}

void BatchAllotment::adjust_dbs(const Measured& measured, State& state) const {
  double share = 0;  // of all that are measured, which they keep together
  double sum = 0;
  std::vector<double> parts;
  for (std::size_t k = 0; k < measured.who.size(); ++k) {
    const double part = state.parts[measured.who[k]];
    share += part;
    parts.push_back(part / measured.times[k]);
    sum += parts.back();
  }
  const std::vector<std::size_t> next =
      apportioned_to_all(measured.total, parts, measured.max_batches);
  for (std::size_t k = 0; k < measured.who.size(); ++k) {
    state.parts[measured.who[k]] = share * parts[k] / sum;
    state.batches[measured.who[k]] = next[k];
  }
}

void BatchAllotment::adjust_omnilearn(const Measured& measured, State& state) const {
  constexpr double worth_it = 0.2;
  const double mean = std::accumulate(measured.times.begin(), measured.times.end(), 0.0) /
                      static_cast<double>(measured.times.size());
  std::vector<double> wanted;
  bool moves = false;
  for (std::size_t k = 0; k < measured.who.size(); ++k) {
    const auto batch = static_cast<double>(state.batches[measured.who[k]]);
    wanted.push_back(batch * mean / measured.times[k]);
    moves = moves || std::abs(wanted.back() - batch) >= worth_it * batch;
  }
  if (!moves) return;
  const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  const std::size_t count = measured.who.size();
  // Everybody has least - 1 beforehand, and gets at least one more.
  const std::size_t beforehand = least - 1;
  std::vector<double> more(count);
  std::vector<std::optional<std::size_t>> room(count);
  std::size_t rooms = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double batch = wanted[k] * static_cast<double>(measured.total) / sum;
    more[k] = std::max(1e-9, batch - static_cast<double>(beforehand));
    room[k] = most_of(measured.who[k]) - beforehand;
    rooms += *room[k];
  }
  // Those measured may be few, with batches that the bounds allow to nobody.
  if (measured.total < count * least || measured.total - count * beforehand > rooms) return;
  const std::vector<std::size_t> next =
      apportioned_to_all(measured.total - count * beforehand, more, room);
  for (std::size_t k = 0; k < count; ++k) state.batches[measured.who[k]] = next[k] + beforehand;
}

void BatchAllotment::adjust_lb_bsp(const Measured& measured, State& state) const {
  const auto at = [&](auto found) {
    return measured.who[static_cast<std::size_t>(found - measured.times.begin())];
  };
  const std::size_t slowest = at(std::ranges::max_element(measured.times));
  const std::size_t fastest = at(std::ranges::min_element(measured.times));
  if (slowest == fastest || measured.most_time() == measured.least_time()) return;
  if (state.receiver == slowest && state.giver == fastest) {
    state.move = std::max<std::size_t>(1, state.move / 2);
  }
  std::size_t moved = std::min(state.move, state.batches[slowest] - 1);
  if (!max_batches.empty() && max_batches[fastest]) {
    moved = std::min(moved, *max_batches[fastest] - state.batches[fastest]);
  }
  state.batches[slowest] -= moved;
  state.batches[fastest] += moved;
  state.giver = slowest;
  state.receiver = fastest;
}

}  // namespace motley

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/input/fields.hpp"
#include "sim/engine/server.hpp"
#include "sim/engine/worker.hpp"

namespace motley {

/// A distributed SGD algorithm: what each worker does and, if it has one, the server. One object
/// serves all of them; its members are its parameters, never state: that lives in the bodies.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual void worker(Worker& me) = 0;
  virtual void server(Server&) {}
  /// Whether the server takes part; without it server() is not called.
  virtual bool needs_server() const { return true; }
};

/// What an algorithm may know of the run when its parameters are read.
struct RunFacts {
  std::size_t workers = 0;
  std::size_t samples_per_epoch = 0;

  /// How many updates of so many samples each make an epoch; step-size schedules are counted by it.
  double updates_per_epoch(std::size_t samples_per_update) const {
    return static_cast<double>(samples_per_epoch) / static_cast<double>(samples_per_update);
  }
};

/// An algorithm as the catalogue lists it.
struct AlgorithmInfo {
  std::string name;
  std::string summary;  ///< one line
  std::string paper;
  std::vector<FieldInfo> parameters;
  /// Reads and checks the parameters (InputError at their place), fills in their defaults, and
  /// makes the algorithm.
  std::function<std::unique_ptr<Algorithm>(Json& parameters, const Place&, const RunFacts&)> make;
};

/// The catalogue entry of an algorithm class A that has a struct A::Options with fields(), is made
/// from (options, facts), and may refuse them with static A::check(options, facts, place).
template <class A>
AlgorithmInfo describe(std::string name, std::string summary, std::string paper) {
  using Options = typename A::Options;
  AlgorithmInfo info{
      std::move(name), std::move(summary), std::move(paper), Options::fields().infos(), {}};
  info.make = [](Json& json, const Place& place, const RunFacts& facts) {
    Options options;
    Options::fields().read(json, place, options);
    if constexpr (requires { A::check(options, facts, place); }) {
      A::check(options, facts, place);
    }
    return std::make_unique<A>(options, facts);
  };
  return info;
}

}  // namespace motley

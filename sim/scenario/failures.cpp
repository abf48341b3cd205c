#include "sim/scenario/failures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/base/json.hpp"
#include "sim/base/random_laws.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

Fields<FailureSpec> FailureSpec::fields() {
  Fields<FailureSpec> f;
  f.add({.name = "worker", .doc = "name of the worker; this or server"}, &FailureSpec::worker);
  f.add({.name = "server", .doc = "name of the server; this or worker"}, &FailureSpec::server);
  f.add({.name = "at",
         .doc = "when it fails; this or from",
         .dimension = Dimension::time,
         .minimum = 0},
        &FailureSpec::at_s);
  f.add({.name = "for",
         .doc = "with at: after how long it returns; when absent it never does",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &FailureSpec::for_s);
  f.add({.name = "from",
         .doc = "instead of at: it is not there before this moment, which all others know",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &FailureSpec::from_s);
  return f;
}

Fields<FailureLawSpec> FailureLawSpec::fields() {
  Fields<FailureLawSpec> f;
  f.add({.name = "class",
         .doc = "of the workers that fail by this law, or \"server\"; when absent every worker"},
        &FailureLawSpec::class_name);
  f.add({.name = "mean_time_between",
         .doc = "mean of the times from the start, or a return, to the next failure",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &FailureLawSpec::mean_time_between_s);
  f.add({.name = "shape",
         .doc = "of the Weibull law of these times; 1 is exponential, below 1 failures come in "
                "clusters",
         .fallback = 1.0,
         .minimum = 0.1,
         .maximum = 100},
        &FailureLawSpec::shape);
  f.add({.name = "mean_time_to_return",
         .doc = "mean of the exponential law of the times down; never: it leaves for good",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true,
         .word = "never"},
        &FailureLawSpec::mean_time_to_return_s);
  return f;
}

Fields<FailuresSpec> FailuresSpec::fields() {
  Fields<FailuresSpec> f;
  f.add({.name = "detect_after",
         .doc = "how long a machine is down before the others know; one that returns earlier is "
                "noticed when it does",
         .dimension = Dimension::time,
         .minimum = 0},
        &FailuresSpec::detect_after_s);
  f.add({.name = "on_failure",
         .doc = "what synchronous steps do about a worker that is known to be gone: drop (they go "
                "on without it) or wait (for its return)",
         .fallback = "drop",
         .choices = {"drop", "wait"}},
        &FailuresSpec::on_failure);
  f.add({.name = "checkpoint",
         .doc = "how often the model is saved, at no cost: a server that returns begins with what "
                "was saved last, as do workers that were all down at once (when absent, those "
                "begin with the initial model); needed when a server fails",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &FailuresSpec::checkpoint_s);
  f.add({.name = "list",
         .doc = "failures known beforehand, and machines that join late",
         .fallback = Json::array()},
        &FailuresSpec::list);
  f.add({.name = "laws",
         .doc = "failures that are drawn, of each machine by itself; the same for every algorithm",
         .fallback = Json::array()},
        &FailuresSpec::laws);
  return f;
}

void check_failures(const FailuresSpec& spec, const Place& place) {
  for (std::size_t i = 0; i < spec.list.size(); ++i) {
    const FailureSpec& failure = spec.list[i];
    const Place here = place / "list" / i;
    if (failure.worker.has_value() == failure.server.has_value()) {
      throw InputError(here, "needs exactly one of \"worker\" and \"server\"");
    }
    if (failure.at_s.has_value() == failure.from_s.has_value()) {
      throw InputError(here, "needs exactly one of \"at\" and \"from\"");
    }
    if (failure.for_s && failure.from_s) {
      throw InputError(here / "for", "goes with \"at\": remove it, or \"from\"");
    }
    if (failure.server && failure.at_s && !failure.for_s) {
      throw InputError(here, "needs \"for\": a server must return");
    }
  }
  for (std::size_t i = 0; i < spec.laws.size(); ++i) {
    const FailureLawSpec& law = spec.laws[i];
    if (law.class_name == "server" && !law.mean_time_to_return_s) {
      throw InputError(place / "laws" / i / "mean_time_to_return",
                       "must be a time: a server must return");
    }
  }
}

namespace {

HostPlan& host_called(const std::string& name, std::vector<HostPlan>& hosts, const char* kind,
                      const Place& place) {
  std::vector<std::string> names;
  for (HostPlan& host : hosts) {
    if (host.name == name) return host;
    names.push_back(host.name);
  }
  throw InputError(place, "must be the name of a " + std::string(kind) + did_you_mean(name, names),
                   Json(name));
}

void assign_law(const FailureLawSpec& law, ClusterPlan& plan, const Place& place) {
  bool any = false;
  std::vector<std::string> names = {"server"};
  for (std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (HostPlan& host : *hosts) {
      if (names.back() != host.class_name) names.push_back(host.class_name);
      if (law.class_name ? host.class_name != *law.class_name : hosts == &plan.servers) continue;
      if (host.failures.law) {
        throw InputError(place, host.name + " has a law already: one for each machine");
      }
      host.failures.law = law;
      any = true;
    }
  }
  if (!any) {
    throw InputError(place / "class",
                     "must be a class of workers, or \"server\"" +
                         did_you_mean(law.class_name.value_or(""), names),
                     Json(law.class_name.value_or("")));
  }
}

}  // namespace

void assign_failures(const FailuresSpec& spec, ClusterPlan& plan, const Place& place) {
  for (std::size_t i = 0; i < spec.list.size(); ++i) {
    const FailureSpec& failure = spec.list[i];
    const Place here = place / "list" / i;
    HostPlan& host = failure.worker
                         ? host_called(*failure.worker, plan.workers, "worker", here / "worker")
                         : host_called(*failure.server, plan.servers, "server", here / "server");
    Outage outage;
    if (failure.from_s) {
      outage.until_s = *failure.from_s;
    } else {
      outage.from_s = *failure.at_s;
      if (failure.for_s) outage.until_s = *failure.at_s + *failure.for_s;
    }
    host.failures.list.push_back(outage);
  }
  for (std::size_t i = 0; i < spec.laws.size(); ++i) {
    assign_law(spec.laws[i], plan, place / "laws" / i);
  }
  for (const HostPlan& server : plan.servers) {
    if (server.failures.any() && !spec.checkpoint_s) {
      throw InputError(place, "needs a \"checkpoint\": " + server.name +
                                  " fails, and returns with what was saved last");
    }
  }
}

Outages::Outages(const HostFailures& failures, std::uint64_t seed, std::uint32_t number)
    : failures_(failures), random_(seed, "failures", number) {
  std::ranges::sort(failures_.list,
                    [](const Outage& a, const Outage& b) { return a.from_s < b.from_s; });
  if (failures_.profile) of_profile_.emplace(*failures_.profile);
  drawn_ = draw();
  by_profile_ = next_of_profile();
  ahead_ = take();
}

std::optional<Outage> Outages::next_of_profile() {
  return of_profile_ ? of_profile_->next() : std::nullopt;
}

std::optional<Outage> Outages::draw() {
  if (!failures_.law || up_since_ == std::numeric_limits<double>::infinity()) return std::nullopt;
  const FailureLawSpec& law = *failures_.law;
  const double scale = law.mean_time_between_s / std::tgamma(1 + 1 / law.shape);
  Outage outage;
  outage.from_s = up_since_ + scale * std::pow(exponential(random_), 1 / law.shape);
  const double down = exponential(random_);
  if (law.mean_time_to_return_s) {
    outage.until_s = outage.from_s + *law.mean_time_to_return_s * down;
  }
  up_since_ = outage.until_s;
  return outage;
}

std::optional<Outage> Outages::take() {
  const auto begin = [](const std::optional<Outage>& outage) {
    return outage ? outage->from_s : std::numeric_limits<double>::infinity();
  };
  const bool has_listed = listed_ < failures_.list.size();
  const double first_other = std::min(begin(drawn_), begin(by_profile_));
  if (has_listed && failures_.list[listed_].from_s <= first_other) {
    return failures_.list[listed_++];
  }
  if (begin(by_profile_) < begin(drawn_)) return std::exchange(by_profile_, next_of_profile());
  const std::optional<Outage> taken = drawn_;
  if (taken) drawn_ = draw();
  return taken;
}

std::optional<Outage> Outages::next() {
  std::optional<Outage> outage = ahead_;
  if (!outage) return outage;
  while ((ahead_ = take()) && ahead_->from_s <= outage->until_s) {
    outage->until_s = std::max(outage->until_s, ahead_->until_s);
    if (outage->is_for_good()) {
      ahead_.reset();
      listed_ = failures_.list.size();
      drawn_.reset();
      failures_.law.reset();
      by_profile_.reset();
      of_profile_.reset();
      break;
    }
  }
  return outage;
}

}  // namespace motley

#include "algorithms/support/own_steps.hpp"

#include <utility>

namespace motley {
namespace {

void add(Gradient& sum, const Gradient& g) {
  sum += g;
  sum.samples += g.samples;
  sum.compute_s += g.compute_s;
}

}  // namespace

Fields<OwnSteps> OwnSteps::fields() {
  Fields<OwnSteps> f;
  f.add({.name = "fetch_every",
         .doc = "gradients between two fetches of the model",
         .fallback = 1,
         .minimum = 1},
        &OwnSteps::fetch_every);
  f.add(
      {.name = "push_every", .doc = "gradients summed into one push", .fallback = 1, .minimum = 1},
      &OwnSteps::push_every);
  return f;
}

void OwnSteps::check(const ExchangeSpec& exchange, const Place& place) const {
  if (exchange.overlap == ExchangeSpec::Overlap::layers && any()) {
    throw InputError(place / "overlap",
                     "layers cannot go with fetch_every or push_every above 1: a worker then has "
                     "steps of its own between two exchanges");
  }
}

void work_with_own_steps(Worker& me, const OwnSteps& own, std::size_t batch, UpdateRule rule) {
  Model x;
  Gradient sum;
  for (std::size_t t = 0;; ++t) {
    if (t % own.fetch_every == 0) x = me.pull();
    Gradient g = me.gradient(x, batch);
    me.step(rule, x, g);
    if (t % own.push_every == 0)
      sum = std::move(g);
    else
      add(sum, g);
    const bool fetch = (t + 1) % own.fetch_every == 0;
    if ((t + 1) % own.push_every == 0)
      me.push(std::move(sum), fetch);
    else if (fetch)
      me.request_model();
  }
}

void serve_own_steps(Server& me, UpdateRule rule, const StalenessScaling& scaling) {
  Model x = me.initial_model();
  me.broadcast_model(x);
  for (;;) {
    const Push push = me.next_push();
    if (push.kind == "gradient") {
      me.step(rule, x, push.gradient(), scaling.scale(me.staleness(push), me.workers()));
      me.finish_update(x, push);
    }
    if (push.wants_model) me.send_model(push.sender, x);
  }
}

}  // namespace motley

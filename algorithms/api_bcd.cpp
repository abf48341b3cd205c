/// API-BCD: no server; tokens walk over a graph, and whoever holds one takes steps towards all of them.
///   H. Chen, Y. Ye, M. Xiao, M. Skoglund: Asynchronous Parallel Incremental Block-Coordinate Descent
///   for Decentralized Machine Learning, arXiv 2202.03263, 2022 [abstract; formulas recalled].
///
///   worker i, for ever:  receive a token z_m
///                        H times: x_i <- x_i - eta (grad f(x_i; B samples) + tau sum_m (x_i - z_m))
///                        z_m <- z_m + (x_i - x_i as z_m last saw it) / W
///                        send z_m to a neighbour, drawn evenly
///
/// There are M tokens. Of the others a worker takes what they were when they last came by. The steps are
/// gradient steps, which the paper has as a variant; at least one is taken at every visit. An update
/// is a visit; the curve shows the mean of all x_i, an oracle, and beside it how far they are apart.
///
/// By what a token goes on was not read; `token_step` has two readings, the same with one token:
///   seen   (default) [inferred]: as above. Each z_m is the mean of all x_i as it last saw them, which is what
///          minimises sum_i |x_i - z_m|^2: the block step of the objective f_i + (tau/2) sum_m |x_i - z_m|^2.
///   visit  [recalled]: z_m <- z_m + (x_i - x_i before these steps) / W. A token then has only the changes made
///          while it was there: the z_m - x_0 add up to mean(x_i) - x_0, with x_0 the first model. With
///          M > 1 that is biased: it ends where mean(grad f_i) + (M - 1) tau (mean(x_i) - x_0) = 0.
/// The default is the one whose fixed point forgets where it began. Where data differ, a finite tau leaves the
/// models apart, and their mean away from the optimum of all data unless the f_i are equally curved.
///
/// When a worker is gone: a token may be lost with it. So when somebody is noticed to be gone, or returns,
/// its neighbours send out all tokens anew, and those sent out before the last are stopped where they
/// come. One that returns gets model and rule from another.
#include <algorithm>
#include <deque>
#include <utility>

#include "algorithms/support/graph.hpp"
#include "algorithms/support/proximal.hpp"
#include "algorithms/support/round_messages.hpp"
#include "sim/vocabulary/algorithm.hpp"
#include "sim/vocabulary/draw.hpp"

namespace motley {
namespace {

class ApiBcd : public Algorithm {
 public:
  enum class TokenStep { visit, seen };

  struct Options : SgdSpec {
    Graph graph;
    std::size_t tokens = 0;
    std::size_t local_steps = 0;
    double penalty = 0;
    TokenStep token_step = TokenStep::seen;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add(Graph::field("over which edges tokens walk"), &Options::graph);
      f.add({.name = "tokens",
             .doc = "M: how many walk; at most one for each worker",
             .fallback = 2,
             .minimum = 1},
            &Options::tokens);
      f.add({.name = "local_steps",
             .doc = "H: steps at every visit of a token",
             .fallback = 4,
             .minimum = 1},
            &Options::local_steps);
      f.add({.name = "penalty",
             .doc = "tau: pull of a worker's model towards each token; step_size (L + M tau) must "
                    "stay below 2",
             .fallback = 0.1,
             .minimum = 0,
             .above_minimum = true},
            &Options::penalty);
      f.add(
          {.name = "token_step",
           .doc = "by what a token goes on, over W: seen (how far the worker's model is from what "
                  "this token last saw of it) or visit (how far it went while the token was "
                  "there; biased to the first model with several tokens)",
           .fallback = "seen",
           .choices = {"visit", "seen"}},
          &Options::token_step);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    options.graph.check(facts, place / "graph");
    check_proximal(options.penalty, options, place / "penalty");
    if (options.tokens > facts.workers) {
      throw InputError(place / "tokens",
                       "must be at most the number of workers, " + std::to_string(facts.workers) +
                           " (it is 2 unless given)",
                       options.tokens);
    }
  }

  ApiBcd(const Options& options, const RunFacts& facts)
      : options_(options),
        local_(with_proximal(options, options.penalty * static_cast<double>(options.tokens))),
        neighbours_(options.graph.neighbours(facts, {})),
        steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  bool needs_server() const override { return false; }
  bool merges_own_models() const override { return false; }
  double gradients_per_update(std::size_t) const override {
    return static_cast<double>(options_.local_steps);
  }

  void worker(Worker& me) const override {
    UpdateRule rule(local_, steps_per_epoch_);
    Model x = me.initial_model();
    std::vector<Token> tokens;  // as they last came by, and as they go on
    for (std::size_t m = 0; m < options_.tokens; ++m) tokens.push_back({x, x, {0, 0}});
    std::deque<std::size_t> held;
    std::uint64_t visits = 0;
    for (bool begins = true;; begins = false) {
      if (joins(me, x, rule, visits)) {
        for (Token& token : tokens) token = {x, x, {unknown, 0}};
        if (present_neighbours(me).empty()) held = all_anew(me, tokens);
      } else if (begins) {
        held = tokens_at_home(me);
      }
      const std::optional<Event> event = me.next_event(held.empty() ? forever : me.clock());
      if (event && event->kind == Event::Kind::message) {
        take(event->message, tokens, held);
      } else if (event && std::ranges::count(neighbours_[me.rank()], event->worker) > 0) {
        held = all_anew(me, tokens);
      }
      if (held.empty()) continue;
      const std::size_t m = held.front();
      held.pop_front();
      Token& token = tokens[m];
      const Parameters before = options_.token_step == TokenStep::visit ? x : token.seen;
      x = *me.local_steps(x, options_.local_steps, options_.batch_size[me.rank()], rule, Until{},
                          pull(tokens));
      const float share = 1.0F / static_cast<float>(me.workers());
      token.z += share * x;
      token.z -= share * before;
      token.seen = x;
      me.finish_own_update(x, ++visits);
      const std::vector<std::size_t> there = present_neighbours(me);
      if (there.empty()) {
        held.push_back(m);
        continue;
      }
      me.send(there[draw_below(me.random("walk"), there.size())],
              {.kind = "token",
               .vector = token.z,
               .numbers = {static_cast<double>(m), token.life.first, token.life.second}});
    }
  }

 private:
  static constexpr double unknown = -1;

  struct Token {
    Parameters z;
    Parameters seen;                 // x_i as it last saw it
    std::pair<double, double> life;  // how often tokens had been sent out anew, and by whom
  };

  /// A token that is here, unless a newer one has been.
  static void take(const Message& message, std::vector<Token>& tokens,
                   std::deque<std::size_t>& held) {
    const auto m = static_cast<std::size_t>(message.numbers[0]);
    const std::pair life(message.numbers[1], message.numbers[2]);
    Token& token = tokens[m];
    if (life < token.life) return;
    if (life > token.life) token.seen = message.vector;  // what it saw of this worker is lost
    token.z = message.vector;
    token.life = life;
    if (std::ranges::find(held, m) == held.end()) held.push_back(m);
  }

  /// -tau sum_m z_m.
  Parameters pull(const std::vector<Token>& tokens) const {
    Parameters sum = tokens.front().z;
    for (std::size_t m = 1; m < tokens.size(); ++m) sum += tokens[m].z;
    return proximal_shift(sum, options_.penalty);
  }

  /// Those that begin with this worker: the first one there from their place on.
  std::deque<std::size_t> tokens_at_home(const Worker& me) const {
    std::deque<std::size_t> mine;
    for (std::size_t m = 0; m < options_.tokens; ++m) {
      std::size_t home = m * me.workers() / options_.tokens;
      while (home != me.rank() && !me.is_present(home)) home = (home + 1) % me.workers();
      if (home == me.rank()) mine.push_back(m);
    }
    return mine;
  }

  /// All tokens, sent out anew: they are newer than all that came by here. That is enough when one is lost:
  /// whoever had sent it to the worker that is gone is a neighbour, knows it, and sends out a newer one.
  static std::deque<std::size_t> all_anew(const Worker& me, std::vector<Token>& tokens) {
    double times = 0;
    for (const Token& token : tokens) times = std::max(times, token.life.first);
    std::deque<std::size_t> all;
    for (std::size_t m = 0; m < tokens.size(); ++m) {
      tokens[m].life = {times + 1, static_cast<double>(me.rank())};
      all.push_back(m);
    }
    return all;
  }

  std::vector<std::size_t> present_neighbours(const Worker& me) const {
    return present_of(neighbours_[me.rank()], me);
  }

  Options options_;
  UpdateSpec local_;
  std::vector<std::vector<std::size_t>> neighbours_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo api_bcd() {
  return describe<ApiBcd>(
      "api_bcd", "no server: tokens walk over a graph; the worker that holds one takes steps",
      "Chen et al. 2022, arXiv 2202.03263", Listed{196},
      "its neighbours send out all tokens anew when it is noticed; one that returns gets all that "
      "another "
      "knows",
      {.family = Family::decentralised, .needs = "a graph", .cost = "1, every H steps"});
}

}  // namespace motley

#include "sim/engine/average_of_all.hpp"

#include "sim/engine/simgrid_generation.hpp"
#include "sim/engine/world.hpp"

namespace motley {

void AverageOfAll::begin(const std::vector<std::size_t>& ranks) {
  if (world_.ending.is_over()) return;
  const Averaging::Setup setup{world_.network, world_.platform, world_.setup.cluster, world_.pool,
                               world_.setup.scenario.approximate};
  attempts_.push_back(std::make_unique<Attempt>());
  current_ = attempts_.back().get();
  current_->averaging = std::make_unique<Averaging>(
      setup, ranks, ExchangeSpec::name_of(ExchangeSpec::Collective::ring));
  current_->under_way = ranks.size();
  current_->actors.resize(ranks.size());
  current_->begun_s = world_.clock();
  for (std::size_t member = 0; member < ranks.size(); ++member) {
    simgrid::s4u::ActorPtr& actor = current_->actors[member];
    actor = generation::add_actor("average of all", world_.platform.host(ranks[member]),
                                  [this, attempt = current_, member] {
                                    world_.ending.guard([&] { pass(*attempt, member); });
                                  });
    actor->daemonize();
  }
}

void AverageOfAll::pass(Attempt& attempt, std::size_t member) {
  attempt.averaging->pass(member, world_.setup.message_bytes);
  attempt.actors[member] = nullptr;
  if (--attempt.under_way > 0 || current_ != &attempt || world_.ending.is_over()) return;
  current_ = nullptr;
  world_.recorder.target_averaged(world_.clock() - attempt.begun_s);
  world_.ending.stop_if_over();
}

void AverageOfAll::member_fails() {
  if (current_ == nullptr) return;
  for (const simgrid::s4u::ActorPtr& actor : current_->actors) {
    if (actor) actor->kill();
  }
  current_ = nullptr;
  world_.recorder.target_average_lost();
}

}  // namespace motley

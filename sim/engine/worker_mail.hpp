#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/engine/network/arrival.hpp"
#include "sim/engine/network/inbox.hpp"
#include "sim/learning/rules/compression.hpp"
#include "sim/vocabulary/message.hpp"

namespace motley {

struct World;

/// What a worker sends and receives. Models and pushes travel in shards, one for each server or
/// layer; messages between workers travel whole.
class WorkerMail {
 public:
  WorkerMail(World& world, std::size_t rank);

  /// Before anything is sent: so many shards, and how pushed gradients are compressed.
  void expect(std::size_t shards, const CompressSpec& compress);
  /// Called whenever something has arrived.
  void on_arrival(std::function<void()> arrived) { arrived_ = std::move(arrived); }
  /// What the worker waits for, while it waits; for the report of a deadlock.
  const char* waits_for() const { return waits_for_; }
  void set_waits_for(const char* what) { waits_for_ = what; }

  /// The machine has failed: everything here is lost, and what compression kept back.
  void lose_everything();
  /// Somebody's failure was noticed.
  void look() { arrival_.look(); }

  // What happens, outside of any actor.
  void model_arrived(Parcel& parcel);
  void message_arrived(Parcel& parcel);

  // Models from the server.
  std::size_t shards() const { return models_.size(); }
  /// Whether a model waits to be pulled, as far as its first part tells.
  bool has_model() const { return !models_.front().empty(); }
  /// Whether any part of a model waits to be pulled.
  bool has_news() const;
  Model take(std::size_t shard);
  Model pull();

  // Pushes.
  /// A gradient is compressed, unless it is to go exactly.
  void push(Push&& push, const ShardVersions& versions, bool exactly = false);
  /// What encoding a gradient takes; 0 where it takes nothing.
  double encode_flops() const;
  void wait_for_pushes();
  /// One of them has arrived at the shard's server; or all that were on their way there are lost.
  void push_has_arrived(std::size_t shard);
  void pushes_are_lost(std::size_t shard);
  /// Only the part that belongs to the shard.
  void push_part(std::size_t shard, const Push& whole, std::uint64_t version, bool exactly = false);
  /// The same when the next model of the shard is here and not taken: now, or as soon as it comes.
  void push_part_with_next_model(std::size_t shard, const Push& whole, std::uint64_t version,
                                 bool exactly);

  // Messages from and to other workers, or from a server's send().
  void send(std::size_t to, Message&& message);
  Message receive(const Wanted& wanted);
  std::optional<Message> received(const Wanted& wanted);
  std::optional<Message> receive_answer(const Wanted& wanted);
  bool has(const std::string& kind) const;
  void serve(const std::string& kind, std::function<void(const Message&)> handler);
  std::optional<Event> next_event(double until);

 private:
  struct Held {
    Push part;
    bool exactly = false;
  };

  Push part_of(std::size_t shard, const Push& whole, std::uint64_t version) const;
  void send_to_server(std::size_t shard, Push&& push, bool exactly);

  World& world_;
  std::size_t rank_;
  const char* waits_for_ = "nothing";  // here, because every verb that waits says it
  Arrival arrival_;
  std::function<void()> arrived_;
  std::vector<Inbox> models_;  // by shard
  Inbox events_;
  std::map<std::string, std::function<void(const Message&)>> served_;  // by kind
  CompressSpec compress_;
  std::vector<Compressor> compressors_;          // by shard; often none
  std::vector<std::uint64_t> server_lives_;      // by shard: of whoever sent the model last taken
  std::vector<std::uint32_t> pushes_under_way_;  // by shard
  std::map<std::size_t, Held> held_;             // by shard: pushes that leave with the next model
  std::map<std::size_t, std::uint64_t> failures_known_;  // by worker: when last sent something
  RandomStream compress_random_;
  std::size_t departures_seen_ = 0;
};

}  // namespace motley

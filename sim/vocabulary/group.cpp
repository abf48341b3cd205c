#include "sim/vocabulary/group.hpp"

#include "sim/vocabulary/worker.hpp"

namespace motley {
namespace {

/// A vector of each of several workers, by messages of one kind; of one of them it may be its own.
class AwaitedVectors {
 public:
  AwaitedVectors(Worker& me, std::string kind, std::vector<std::size_t> senders, Parameters own)
      : me_(me), kind_(std::move(kind)), senders_(std::move(senders)), own_(std::move(own)) {}

  bool are_here() {
    while (here_.size() < senders_.size()) {
      if (next() == me_.rank()) {
        here_.push_back(own_);
        continue;
      }
      std::optional<Message> message = me_.received({next(), kind_});
      if (!message) return false;
      here_.push_back(std::move(message->vector));
    }
    return true;
  }
  std::vector<Parameters> wait() {
    while (!are_here()) here_.push_back(me_.receive({next(), kind_}).vector);
    return std::move(here_);
  }

 private:
  std::size_t next() const { return senders_[here_.size()]; }

  Worker& me_;
  std::string kind_;
  std::vector<std::size_t> senders_;
  Parameters own_;
  std::vector<Parameters> here_;  // of the first senders
};

}  // namespace

std::string Group::next_kind() {
  return Wanted::group_mark + name_ + ": " + std::to_string(++rooted_);
}

NotesOfAll Group::exchange(std::vector<double> numbers, std::uint64_t) {
  Parameters nothing = Parameters::zeros(1);
  return all_reduce_mean(nothing, 1, std::move(numbers));
}

Pending<Parameters> Group::start_broadcast(const Parameters& v, std::size_t root) {
  const std::string kind = next_kind();
  if (me_.rank() != root) {
    const auto awaited =
        std::make_shared<AwaitedVectors>(me_, kind, std::vector<std::size_t>{root}, Parameters());
    return {[awaited] { return std::move(awaited->wait().front()); },
            [awaited] { return awaited->are_here(); }};
  }
  for (const std::size_t rank : ranks()) {
    if (rank != root) me_.send(rank, {.kind = kind, .vector = v});
  }
  return {[v] { return v; }, [] { return true; }};
}

Pending<std::vector<Parameters>> Group::start_gather(const Parameters& v, std::size_t root) {
  const std::string kind = next_kind();
  if (me_.rank() != root) {
    me_.send(root, {.kind = kind, .vector = v});
    return {[] { return std::vector<Parameters>(); }, [] { return true; }};
  }
  const auto awaited = std::make_shared<AwaitedVectors>(me_, kind, ranks(), v);
  return {[awaited] { return awaited->wait(); }, [awaited] { return awaited->are_here(); }};
}

}  // namespace motley

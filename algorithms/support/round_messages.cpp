#include "algorithms/support/round_messages.hpp"

namespace motley {

void RoundMessages::join(std::uint64_t round) {
  has_joined_ = true;
  heard_.clear();
  for (std::size_t to = 0; to < me_.workers(); ++to) {
    if (to != me_.rank() && me_.is_present(to)) send(to, round - 1, {});
  }
}

void RoundMessages::send(std::size_t to, std::uint64_t round, Message message) {
  message.kind = kind_;
  message.numbers.insert(message.numbers.begin(), static_cast<double>(round));
  me_.send(to, std::move(message));
}

std::vector<Message> RoundMessages::receive(std::size_t sender, std::uint64_t round) {
  std::vector<Message> messages;
  while (!heard_.contains(sender) || heard_[sender] < round) {
    const bool waits = !has_joined_ || heard_.contains(sender);
    const Wanted wanted{sender, kind_};
    std::optional<Message> message = waits ? me_.receive_answer(wanted) : me_.received(wanted);
    if (!message) break;
    heard_[sender] = static_cast<std::uint64_t>(message->numbers.front());
    if (!message->vector.empty()) messages.push_back(std::move(*message));
  }
  return messages;
}

std::vector<std::size_t> present_of(std::vector<std::size_t> ranks, const Worker& me) {
  std::erase_if(ranks, [&](std::size_t rank) { return !me.is_present(rank); });
  return ranks;
}

}  // namespace motley

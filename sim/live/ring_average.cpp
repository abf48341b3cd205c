#include "sim/live/ring_average.hpp"

#include "sim/engine/network/wire_bytes.hpp"

namespace motley {

RingAverage::RingAverage(const Ring& ring, std::uint64_t round, std::uint64_t bytes,
                         std::optional<Part> part)
    : ring_(ring),
      round_(round),
      bytes_(bytes),
      averages_(part.has_value()),
      parts_(ring.ranks.size()) {
  if (part) {
    // What a packet holds beside a vector.
    constexpr std::size_t around = 1024;
    const std::size_t held =
        part->vector.size() * sizeof(float) + part->numbers.size() * sizeof(double) + around;
    whole_vectors_ = size() == 1 || bytes_ / size() >= held;
    if (!whole_vectors_) {
      sum_ = part->vector;
      sum_ *= static_cast<float>(part->weight);
    }
    parts_[ring.member] = std::move(*part);
    if (!whole_vectors_) parts_[ring.member].vector = Parameters();
  }
}

void RingAverage::begin(std::function<void()> done) {
  done_ = std::move(done);
  if (size() > 1)
    send(0);
  else
    done_();
}

std::uint64_t RingAverage::piece_bytes(std::size_t piece) const {
  return part_of_bytes(bytes_, piece + 1, size()) - part_of_bytes(bytes_, piece, size());
}

std::span<float> RingAverage::piece(std::size_t index) {
  const std::size_t begin = sum_.size() * index / size();
  const std::size_t end = sum_.size() * (index + 1) / size();
  return sum_.writable().subspan(begin, end - begin);
}

std::size_t RingAverage::piece_sent(std::uint32_t step) const {
  // Reduce-scatter passes on piece member - step; all-gather starts from the piece just completed.
  const std::size_t half = size() - 1;
  const std::size_t start = step < half ? ring_.member : ring_.member + 1;
  const std::size_t passed_on = step < half ? step : step - half;
  return (start + size() - passed_on) % size();
}

void RingAverage::send(std::uint32_t step) {
  const std::size_t index = piece_sent(step);
  ByteWriter content;
  content.put(ring_.name);
  content.put(round_);
  content.put(step);
  if (averages_ && step < size() - 1) {
    // Of the member whose piece this has been from the beginning.
    const Part& part = parts_[index];
    content.put(part.weight);
    content.put_list(part.numbers);
    if (whole_vectors_) put_vector(content, part.vector);
  }
  if (averages_ && !whole_vectors_) content.put_list(std::span<const float>(piece(index)));
  const std::size_t right = ring_.ranks[(ring_.member + 1) % size()];
  const auto gone = [weak = weak_from_this()] {
    const std::shared_ptr<RingAverage> average = weak.lock();
    if (!average || average->ring_.context.post().is_over()) return;
    average->has_gone_ = true;
    average->go_on();
  };
  ring_.context.post().send(right, PacketKind::average, content, piece_bytes(index), gone);
}

void RingAverage::take(const Packet& packet) {
  has_come_ = true;
  if (!averages_) return;
  ByteReader content = packet.content();
  content.take_text();  // whose round and step they are is known
  content.take<std::uint64_t>();
  const auto step = content.take<std::uint32_t>();
  const std::size_t half = size() - 1;
  const std::size_t left = (ring_.member + size() - 1) % size();
  // What the left neighbour has sent.
  const std::size_t index =
      step < half ? (left + size() - step) % size() : (left + 1 + size() - (step - half)) % size();
  if (step < half) {
    Part& part = parts_[index];
    part.weight = content.take<double>();
    part.numbers = content.take_list<double>();
    if (whole_vectors_) part.vector = take_vector(content);
  }
  if (whole_vectors_) return;
  const std::vector<float> values = content.take_list<float>();
  const std::span<float> mine = piece(index);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    mine[i] = step < half ? values[i] + mine[i] : values[i];
  }
}

void RingAverage::arrived(std::uint32_t step, Packet& packet) {
  if (step == next_ && !has_come_)
    take(packet);
  else  // this member is behind, or a small piece has overtaken a large one
    early_.emplace(step, std::move(packet));
  go_on();
}

void RingAverage::go_on() {
  if (!has_come_ || !has_gone_) return;
  has_come_ = has_gone_ = false;
  if (++next_ == steps()) {
    done_();
    return;
  }
  send(next_);
  const auto early = early_.find(next_);
  if (early == early_.end()) return;
  take(early->second);
  early_.erase(early);
}

Parameters RingAverage::mean() {
  double total = 0;
  for (const Part& part : parts_) total += part.weight;
  if (!whole_vectors_) {
    sum_ *= static_cast<float>(1 / total);
    return std::move(sum_);
  }
  std::vector<const Parameters*> vectors;
  std::vector<float> shares;
  for (const Part& part : parts_) {
    vectors.push_back(&part.vector);
    shares.push_back(static_cast<float>(part.weight / total));
  }
  return weighted_sum(vectors, shares, ring_.context.pool());
}

NotesOfAll RingAverage::numbers() const {
  auto all = std::make_shared<std::vector<std::vector<double>>>();
  bool any = false;
  for (const Part& part : parts_) {
    any = any || !part.numbers.empty();
    all->push_back(part.numbers);
  }
  return any ? all : nullptr;
}

}  // namespace motley

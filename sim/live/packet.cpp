#include "sim/live/packet.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

namespace motley {
namespace {

enum class Shape : std::uint8_t { empty, whole, sparse, levels };

/// Whether it is another zero than the one that is left out: the sign of a zero counts.
bool is_kept(float value) {
  return std::bit_cast<std::uint32_t>(value) != 0;
}

/// A vector of few different values, as a quantised one is: these, and for each entry which of them it is, in no more
/// bits than that takes.
struct Levels {
  std::vector<float> values;
  std::vector<std::uint32_t> codes;  // by entry

  static unsigned bits_for(std::size_t values) {
    return std::max(1U, static_cast<unsigned>(std::bit_width(values - 1)));
  }
  static std::size_t packed_bytes(std::size_t entries, unsigned bits) {
    return (entries * bits + 7) / 8;
  }

  /// Nothing where whole floats are as short.
  static std::optional<Levels> of(std::span<const float> vector) {
    Levels levels;
    levels.codes.reserve(vector.size());
    std::unordered_map<std::uint32_t, std::uint32_t> known;  // the sign of a zero counts
    for (const float value : vector) {
      const auto [place, is_new] = known.try_emplace(
          std::bit_cast<std::uint32_t>(value), static_cast<std::uint32_t>(levels.values.size()));
      if (is_new) {
        levels.values.push_back(value);
        const std::size_t bytes = levels.values.size() * sizeof(float) +
                                  packed_bytes(vector.size(), bits_for(levels.values.size()));
        if (bytes >= vector.size_bytes()) return {};
      }
      levels.codes.push_back(place->second);
    }
    return levels;
  }

  void put(ByteWriter& to) const {
    const unsigned bits = bits_for(values.size());
    std::vector<std::uint8_t> packed(packed_bytes(codes.size(), bits), 0);
    std::size_t at = 0;
    for (const std::uint32_t code : codes) {
      for (unsigned bit = 0; bit < bits; ++bit, ++at) {
        if ((code >> bit & 1U) != 0) packed[at / 8] |= static_cast<std::uint8_t>(1U << at % 8);
      }
    }
    to.put<std::uint64_t>(codes.size());
    to.put_list(values);
    to.put_list(packed);
  }

  static void take(ByteReader& from, std::span<float> vector) {
    const std::vector<float> values = from.take_list<float>();
    const std::vector<std::uint8_t> packed = from.take_list<std::uint8_t>();
    const unsigned bits = bits_for(values.size());
    std::size_t at = 0;
    for (float& entry : vector) {
      std::uint32_t code = 0;
      for (unsigned bit = 0; bit < bits; ++bit, ++at) {
        code |= (packed.at(at / 8) >> at % 8 & 1U) << bit;
      }
      entry = values.at(code);
    }
  }
};

}  // namespace

void put_vector(ByteWriter& to, const Parameters& vector) {
  if (vector.empty()) {
    to.put(Shape::empty);
    return;
  }
  const std::span<const float> values = vector.values();
  const auto entries = static_cast<std::size_t>(std::ranges::count_if(values, is_kept));
  constexpr std::size_t of_entry = sizeof(std::uint32_t) + sizeof(float);
  if (entries * of_entry >= values.size_bytes()) {
    to.put(Shape::whole);
    to.put_list(values);
    return;
  }
  std::vector<std::uint32_t> places;
  std::vector<float> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_kept(values[i])) continue;
    places.push_back(static_cast<std::uint32_t>(i));
    kept.push_back(values[i]);
  }
  to.put(Shape::sparse);
  to.put<std::uint64_t>(values.size());
  to.put_list(places);
  to.put_list(kept);
}

void put_vector(ByteWriter& to, const Parameters& vector, const Encoding& encoding) {
  if (!vector.empty() && encoding.has_levels()) {
    if (const std::optional<Levels> levels = Levels::of(vector.values())) {
      to.put(Shape::levels);
      levels->put(to);
      return;
    }
  }
  put_vector(to, vector);
}

Parameters take_vector(ByteReader& from) {
  const auto shape = from.take<Shape>();
  if (shape == Shape::empty) return {};
  const auto size = from.take<std::uint64_t>();
  if (shape == Shape::whole) {
    const std::byte* begin = from.next(size * sizeof(float));
    Parameters vector(size);
    std::memcpy(vector.overwritable().data(), begin, size * sizeof(float));
    return vector;
  }
  if (shape == Shape::levels) {
    Parameters vector(size);
    Levels::take(from, vector.overwritable());
    return vector;
  }
  Parameters vector = Parameters::zeros(size);
  const std::vector<std::uint32_t> places = from.take_list<std::uint32_t>();
  const std::vector<float> kept = from.take_list<float>();
  const std::span<float> values = vector.writable();
  for (std::size_t i = 0; i < places.size(); ++i) values[places[i]] = kept[i];
  return vector;
}

namespace {

void put_vectors(ByteWriter& to, const std::vector<Parameters>& vectors) {
  to.put<std::uint32_t>(static_cast<std::uint32_t>(vectors.size()));
  for (const Parameters& vector : vectors) put_vector(to, vector);
}

std::vector<Parameters> take_vectors(ByteReader& from) {
  std::vector<Parameters> vectors(from.take<std::uint32_t>());
  for (Parameters& vector : vectors) vector = take_vector(from);
  return vectors;
}

}  // namespace

void put_model(ByteWriter& to, const Model& model) {
  to.put(model.version);
  to.put<std::uint8_t>(model.notes ? 1 : 0);
  if (model.notes) to.put_list(*model.notes);
  put_vector(to, model);
  put_vectors(to, model.more);
}

Model take_model(ByteReader& from) {
  Model model;
  model.version = from.take<std::uint64_t>();
  if (from.take<std::uint8_t>() != 0) {
    model.notes = std::make_shared<const std::vector<double>>(from.take_list<double>());
  }
  static_cast<Parameters&>(model) = take_vector(from);
  model.more = take_vectors(from);
  return model;
}

void put_message(ByteWriter& to, const Message& message) {
  to.put<std::uint64_t>(message.sender);
  to.put(message.kind);
  to.put_list(message.numbers);
  to.put(message.encoding);
  put_vector(to, message.vector, message.encoding);
  put_vectors(to, message.more);
}

void take_message(ByteReader& from, Message& message) {
  message.sender = from.take<std::uint64_t>();
  message.kind = from.take_text();
  message.numbers = from.take_list<double>();
  message.encoding = from.take<Encoding>();
  message.vector = take_vector(from);
  message.more = take_vectors(from);
}

void put_push(ByteWriter& to, const Push& push) {
  put_message(to, push);
  to.put(push.version);
  to.put(push.samples);
  to.put(push.data_samples);
  to.put(push.compute_s);
  to.put(push.wants_model);
}

Push take_push(ByteReader& from) {
  Push push;
  take_message(from, push);
  push.version = from.take<std::uint64_t>();
  push.samples = from.take<std::uint64_t>();
  push.data_samples = from.take<std::uint64_t>();
  push.compute_s = from.take<double>();
  push.wants_model = from.take<bool>();
  return push;
}

}  // namespace motley

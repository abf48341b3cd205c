#include "sim/scenario/layer_profile.hpp"

#include <cmath>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/scenario/architectures/known_architecture.hpp"
#include "sim/scenario/field_schema.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {
namespace {

constexpr std::size_t most_layers = 1000;
constexpr double most_bytes = 1e12;

/// A layer as a scenario writes it.
struct WrittenLayer {
  double flops = 0;
  std::optional<double> backward;
  double bytes = 0;

  static Fields<WrittenLayer> fields() {
    Fields<WrittenLayer> f;
    f.add({.name = "flops",
           .doc = "of its forward step, for one sample",
           .dimension = Dimension::work,
           .minimum = 0},
          &WrittenLayer::flops);
    f.add({.name = "backward",
           .doc = "of its backward step; when absent, twice those of the forward step",
           .dimension = Dimension::work,
           .minimum = 0},
          &WrittenLayer::backward);
    f.add({.name = "bytes",
           .doc = "of its weights, and of their gradient, on the wire",
           .dimension = Dimension::data,
           .minimum = 1,
           .maximum = most_bytes},
          &WrittenLayer::bytes);
    return f;
  }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const KnownArchitecture& architecture : known_architectures())
    all.push_back(architecture.name);
  return all;
}

LayerProfile of_architecture(const KnownArchitecture& architecture) {
  LayerProfile profile{architecture.name, {}};
  for (const KnownLayer& layer : architecture.layers) {
    profile.layers.push_back({layer.forward_flops(), layer.backward_flops(), layer.bytes()});
  }
  return profile;
}

LayerProfile read_list(const Json& value, const Place& place) {
  if (value.empty() || value.size() > most_layers) {
    throw InputError(place, "must have from 1 to " + std::to_string(most_layers) + " layers, has " +
                                std::to_string(value.size()));
  }
  LayerProfile profile;
  for (std::size_t i = 0; i < value.size(); ++i) {
    Json layer = value[i];
    WrittenLayer written;
    fields_of<WrittenLayer>().read(layer, place / i, written);
    profile.layers.push_back({written.flops, written.backward.value_or(2 * written.flops),
                              static_cast<std::uint64_t>(std::llround(written.bytes))});
  }
  if (!(profile.flops_per_sample() > 0)) {
    throw InputError(place, "must have a layer that computes something: all have 0 flops");
  }
  if (static_cast<double>(profile.bytes()) > most_bytes) {
    throw InputError(place, "must have at most 1TB in all layers together");
  }
  return profile;
}

}  // namespace

double LayerProfile::flops_per_sample() const {
  double flops = 0;
  for (const Layer& layer : layers) flops += layer.forward_flops + layer.backward_flops;
  return flops;
}

std::uint64_t LayerProfile::bytes() const {
  std::uint64_t bytes = 0;
  for (const Layer& layer : layers) bytes += layer.bytes;
  return bytes;
}

std::string LayerProfile::described() const {
  return name.empty() ? counted(layers.size(), "layer") : name;
}

LayerProfile LayerProfile::read(const Json& value, const Place& place) {
  if (value.is_array()) return read_list(value, place);
  const std::string must = "must be the name of an architecture (" + listed(names()) +
                           ") or a list of layers, such as [{\"flops\": \"2Gf\", \"bytes\": "
                           "\"10MB\"}]";
  if (!value.is_string()) throw InputError(place, must, value);
  const std::string name = value.get<std::string>();
  for (const KnownArchitecture& architecture : known_architectures()) {
    if (architecture.name == name) return of_architecture(architecture);
  }
  throw InputError(place, must + did_you_mean(name, names()), value);
}

JsonValue LayerProfile::schema() {
  return Json{{"anyOf",
               {{{"enum", names()}},
                {{"type", "array"},
                 {"minItems", 1},
                 {"maxItems", most_layers},
                 {"items", object_schema(WrittenLayer::fields().infos())}}}}};
}

}  // namespace motley

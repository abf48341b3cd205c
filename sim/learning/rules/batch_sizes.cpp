#include "sim/learning/rules/batch_sizes.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"

namespace motley {
namespace {

std::size_t read_size(const Json& value, const Place& place) {
  std::int64_t size = 0;
  fields_detail::read_integer(BatchSizes::field(), value, place, size);
  return static_cast<std::size_t>(size);
}

}  // namespace

FieldInfo BatchSizes::field() {
  return {.name = "batch_size",
          .doc =
              "samples of one gradient of one worker; or by class of workers: "
              "{\"a100\": 128, \"t4\": 16}",
          .minimum = 1,
          .type = "integer"};
}

BatchSizes BatchSizes::read(const Json& value, const Place& place) {
  BatchSizes sizes;
  if (!value.is_object()) {
    sizes.everybody_ = read_size(value, place);
    return sizes;
  }
  for (const auto& [name, size] : value.items()) {
    if (!name.starts_with("//")) sizes.by_class_.emplace_back(name, read_size(size, place / name));
  }
  if (sizes.by_class_.empty()) {
    throw InputError(place, "must have one number for each class of workers", value);
  }
  return sizes;
}

JsonValue BatchSizes::schema() {
  const Json number = {{"type", "integer"}, {"minimum", 1}, {"maximum", limits::largest_count}};
  return Json{{"anyOf",
               {number,
                {{"type", "object"},
                 {"minProperties", 1},
                 {"patternProperties", {{"^//", Json::object()}}},
                 {"additionalProperties", number}}}}};
}

void BatchSizes::hand_out(const std::vector<std::string>& class_of, const Place& place) {
  workers_ = class_of.size();
  by_rank_.clear();
  for (std::size_t rank = 0; !by_class_.empty() && rank < class_of.size(); ++rank) {
    const auto found =
        std::ranges::find(by_class_, class_of[rank], &std::pair<std::string, std::size_t>::first);
    if (found == by_class_.end()) {
      throw InputError(place, "has no number for class " + class_of[rank]);
    }
    by_rank_.push_back(found->second);
  }
  if (!by_rank_.empty() && std::ranges::count(by_rank_, by_rank_[0]) == std::ssize(by_rank_)) {
    everybody_ = by_rank_[0];
    by_rank_.clear();
  }
  sum_ = by_rank_.empty() ? everybody_ * class_of.size()
                          : std::accumulate(by_rank_.begin(), by_rank_.end(), std::size_t{0});
}

std::vector<std::size_t> BatchSizes::by_rank() const {
  return by_rank_.empty() ? std::vector<std::size_t>(workers_, everybody_) : by_rank_;
}

std::size_t BatchSizes::largest() const {
  return by_rank_.empty() ? everybody_ : std::ranges::max(by_rank_);
}

std::vector<double> BatchSizes::step_rates(std::span<const double> speeds) const {
  std::vector<double> rates(speeds.begin(), speeds.end());
  if (are_equal()) return rates;
  const auto most = static_cast<double>(largest());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i] *= most / static_cast<double>(by_rank_[i]);
  }
  return rates;
}

}  // namespace motley

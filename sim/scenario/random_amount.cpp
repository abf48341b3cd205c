#include "sim/scenario/random_amount.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/json.hpp"
#include "sim/base/random_laws.hpp"
#include "sim/scenario/field_schema.hpp"

namespace motley {
namespace {

FieldInfo positive(const char* name, const char* doc, Dimension dimension,
                   std::vector<std::string> kinds) {
  return {.name = name,
          .doc = doc,
          .dimension = dimension,
          .minimum = 0,
          .above_minimum = true,
          .kinds = std::move(kinds)};
}

FieldInfo constant_field(Dimension dimension) {
  FieldInfo info = positive("constant", "always the same", dimension, {});
  info.type = "quantity";
  return info;
}

Fields<AmountLaw> amount_fields(Dimension dimension) {
  const bool of_time = dimension == Dimension::time;
  Fields<AmountLaw> f;
  FieldInfo law{.name = "law",
                .doc =
                    "uniform (between from and to), exponential, lognormal (mean exp(sigma N - "
                    "sigma^2/2)), pareto (at least `least`, with a heavy tail)",
                .choices = {"uniform", "exponential", "lognormal", "pareto"}};
  if (of_time) {
    law.doc += ", geometric (a chance every period)";
    law.choices.emplace_back("geometric");
  }
  f.add(law, &AmountLaw::law);
  FieldInfo from = positive("from", "the smallest", dimension, {"uniform"});
  from.above_minimum = false;
  f.add(from, &AmountLaw::from);
  f.add(positive("to", "the largest", dimension, {"uniform"}), &AmountLaw::to);
  f.add(positive("step", "only from, from + step, ... up to `to`, each as likely as the others",
                 dimension, {"uniform"}),
        &AmountLaw::step);
  f.add(positive("mean", "of the law", dimension, {"exponential", "lognormal"}), &AmountLaw::mean);
  f.add({.name = "sigma",
         .doc = "standard deviation of the logarithm",
         .minimum = 0,
         .maximum = 10,
         .kinds = {"lognormal"}},
        &AmountLaw::sigma);
  f.add(positive("least", "the smallest", dimension, {"pareto"}), &AmountLaw::least);
  f.add({.name = "alpha",
         .doc = "tail index: P(x > t) = (t / least)^-alpha",
         .minimum = 1,
         .above_minimum = true,
         .kinds = {"pareto"}},
        &AmountLaw::alpha);
  if (!of_time) return f;
  f.add(positive("period", "between two chances", dimension, {"geometric"}), &AmountLaw::period);
  f.add({.name = "chance",
         .doc = "that it is now, at the end of each period",
         .minimum = 0,
         .maximum = 1,
         .above_minimum = true,
         .kinds = {"geometric"}},
        &AmountLaw::chance);
  return f;
}

template <class Spec>
void check_order(const Spec& spec, const Json& value, const Place& place) {
  if (spec.from > spec.to) throw InputError(place / "to", "must be at least \"from\"", value["to"]);
}

Fields<RandomSlowness> slowness_fields() {
  Fields<RandomSlowness> f;
  f.add({.name = "law",
         .doc = "uniform (between from and to), half_normal (1 + sigma |N|), exponential (1 + mean "
                "E), pareto (at least 1, with a heavy tail)",
         .choices = {"uniform", "half_normal", "exponential", "pareto"}},
        &RandomSlowness::law);
  f.add({.name = "from",
         .doc = "the smallest",
         .minimum = 1,
         .maximum = largest_change,
         .kinds = {"uniform"}},
        &RandomSlowness::from);
  f.add({.name = "to",
         .doc = "the largest",
         .minimum = 1,
         .maximum = largest_change,
         .kinds = {"uniform"}},
        &RandomSlowness::to);
  f.add({.name = "sigma",
         .doc = "standard deviation of the normal draw",
         .minimum = 0,
         .maximum = largest_change,
         .kinds = {"half_normal"}},
        &RandomSlowness::sigma);
  f.add({.name = "mean",
         .doc = "mean of what is above 1",
         .minimum = 0,
         .maximum = largest_change,
         .kinds = {"exponential"}},
        &RandomSlowness::mean);
  f.add({.name = "alpha",
         .doc = "tail index: P(x > t) = t^-alpha",
         .minimum = 1,
         .above_minimum = true,
         .kinds = {"pareto"}},
        &RandomSlowness::alpha);
  return f;
}

FieldInfo constant_slowness() {
  FieldInfo info{
      .name = "slower", .doc = "always the same", .minimum = 1, .maximum = largest_change};
  info.type = "number";
  return info;
}

double of_whole_steps(const AmountLaw& law, double u) {
  // As many as fit, the last one though its sum is a rounding error beyond the end.
  const double count = std::floor((law.to - law.from) / *law.step * (1 + 1e-12)) + 1;
  return law.from + *law.step * std::min(std::floor(u * count), count - 1);
}

}  // namespace

double AmountLaw::draw(RandomStream& random) const {
  RandomStream own = random;
  const double u = open_uniform(random);  // of every law, so that all take as many numbers
  if (constant) return *constant;
  switch (law) {
    case Law::uniform:
      return step ? of_whole_steps(*this, u) : from + (to - from) * u;
    case Law::exponential:
      return mean * exponential(own);
    case Law::lognormal:
      return mean * std::exp(sigma * standard_normal(own) - sigma * sigma / 2);
    case Law::pareto:
      return least * pareto(own, alpha);
    case Law::geometric:
      // P(more than k periods) = (1 - chance)^k.
      return chance == 1 ? period : period * std::ceil(std::log(u) / std::log1p(-chance));
  }
  return 0;
}

double AmountLaw::mean_amount() const {
  if (constant) return *constant;
  switch (law) {
    case Law::uniform:
      // The first and the last are as likely, and so on inwards.
      return step ? (from + of_whole_steps(*this, 1)) / 2 : (from + to) / 2;
    case Law::exponential:
    case Law::lognormal:
      return mean;
    case Law::pareto:
      return least * alpha / (alpha - 1);
    case Law::geometric:
      return period / chance;
  }
  return 0;
}

void AmountLaw::halve() {
  for (double* amount : {&from, &to, &mean, &least, &period}) *amount /= 2;
  for (std::optional<double>* amount : {&step, &constant}) {
    if (*amount) **amount /= 2;
  }
}

template <Dimension dimension>
RandomAmount<dimension> RandomAmount<dimension>::read(const Json& value, const Place& place) {
  RandomAmount amount;
  if (!value.is_object()) {
    fields_detail::read_number(constant_field(dimension), value, place, amount.constant.emplace());
    return amount;
  }
  static const Fields<AmountLaw> fields = amount_fields(dimension);
  Json given = value;
  fields.read(given, place, amount);
  check_order(amount, given, place);
  return amount;
}

template <Dimension dimension>
JsonValue RandomAmount<dimension>::schema() {
  const Json one = {{"type", "string"}, {"pattern", quantity_pattern(dimension, false)}};
  return Json{{"anyOf", {one, object_schema(amount_fields(dimension).infos())}}};
}

template struct RandomAmount<Dimension::time>;
template struct RandomAmount<Dimension::data>;

RandomSlowness RandomSlowness::read(const Json& value, const Place& place) {
  RandomSlowness slowness;
  if (!value.is_object()) {
    fields_detail::read_number(constant_slowness(), value, place, slowness.constant.emplace());
    return slowness;
  }
  static const Fields<RandomSlowness> fields = slowness_fields();
  Json given = value;
  fields.read(given, place, slowness);
  check_order(slowness, given, place);
  return slowness;
}

JsonValue RandomSlowness::schema() {
  const Json number = {{"type", "number"}, {"minimum", 1}, {"maximum", largest_change}};
  return Json{{"anyOf", {number, object_schema(slowness_fields().infos())}}};
}

double RandomSlowness::draw(RandomStream& random) const {
  RandomStream own = random;
  const double u = open_uniform(random);  // as above
  if (constant) return *constant;
  switch (law) {
    case Law::uniform:
      return from + (to - from) * u;
    case Law::half_normal:
      return std::min(largest_change, 1 + sigma * std::abs(standard_normal(own)));
    case Law::exponential:
      return std::min(largest_change, 1 + mean * exponential(own));
    case Law::pareto:
      return std::min(largest_change, pareto(own, alpha));
  }
  return 1;
}

}  // namespace motley

#include "sim/vocabulary/exchange_spec.hpp"

namespace motley {

Fields<ExchangeSpec> ExchangeSpec::fields(const char* compress_fallback) {
  Fields<ExchangeSpec> f;
  f.add(
      {.name = "overlap",
       .doc = "none (whole models and gradients travel) or layers (a layer's gradient leaves when "
              "its backward step is done, its forward step waits for its own weights only)",
       .fallback = "none",
       .choices = {"none", "layers"}},
      &ExchangeSpec::overlap);
  f.add(
      {.name = "placement",
       .doc = "of the model on several servers: even (equal parts, layers may be cut), fast_first "
              "(whole layers, the input's on the fastest server) or slow_first",
       .fallback = "even",
       .choices = {"even", "fast_first", "slow_first"}},
      &ExchangeSpec::placement);
  f.add(compress_field(compress_fallback), &ExchangeSpec::compress);
  return f;
}

FieldInfo ExchangeSpec::compress_field(const char* fallback) {
  return {.name = "compress",
          .doc =
              "how pushed gradients are made smaller; encoding takes no time unless encode_flops "
              "says so",
          .fallback = JsonValue::parse(fallback)};
}

const std::vector<std::string>& ExchangeSpec::collectives() {
  static const std::vector<std::string> names = {"ring", "hierarchical", "tree",
                                                 "halving_doubling"};
  return names;
}

const std::string& ExchangeSpec::name_of(Collective collective) {
  return collectives()[static_cast<std::size_t>(collective)];
}

Fields<AllReduceSpec> AllReduceSpec::fields() {
  return Fields<AllReduceSpec>().add(
      {.name = "collective",
       .doc = "how an all-reduce is carried out: ring, hierarchical (a tree inside each node, a "
              "ring between the nodes), tree (binomial, there and back) or halving_doubling; the "
              "result has the same bits",
       .fallback = "ring",
       .choices = ExchangeSpec::collectives()},
      &AllReduceSpec::collective);
}

Fields<GradientAllReduceSpec> GradientAllReduceSpec::fields() {
  Fields<GradientAllReduceSpec> f;
  f.include(AllReduceSpec::fields());
  f.add({.name = "bucket_size",
         .doc = "gradients are averaged in buckets of whole layers, from the output on: a bucket "
                "is full when it has this many bytes. Its all-reduce begins when the backward step "
                "has made it and the bucket before it is through, while the backward step goes on. "
                "When absent, the whole gradient is averaged at the end",
         .dimension = Dimension::data,
         .minimum = 1},
        &GradientAllReduceSpec::bucket_bytes);
  return f;
}

}  // namespace motley

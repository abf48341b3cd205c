#include "sim/scenario/architectures/known_architecture.hpp"

namespace motley {

KnownArchitecture bert_base_architecture() {
  constexpr std::uint64_t tokens = 128;  // of a sample
  constexpr std::uint64_t width = 768;
  constexpr std::uint64_t inner = 3072;
  constexpr std::uint64_t words = 30522;
  constexpr std::uint64_t positions = 512;
  constexpr std::uint64_t segments = 2;
  constexpr std::uint64_t blocks = 12;
  constexpr std::uint64_t normalised = 2 * width;
  constexpr std::uint64_t square = width * width;

  KnownArchitecture net{"bert_base",
                        "Devlin et al. 2019, arXiv 1810.04805",
                        "a sequence of 128 tokens",
                        "uncased, with its pooler; embeddings are looked up and take no flops",
                        {}};
  net.layers.push_back({"embeddings", (words + positions + segments) * width + normalised, 0});
  for (std::uint64_t b = 1; b <= blocks; ++b) {
    const std::string block = "block" + std::to_string(b);
    // Query, key, value and output; and each token against each, for the weights and for the sums.
    net.layers.push_back({block + "_attention", 4 * (square + width) + normalised,
                          4 * tokens * square + 2 * tokens * tokens * width});
    net.layers.push_back({block + "_feed_forward", 2 * width * inner + inner + width + normalised,
                          2 * tokens * width * inner});
  }
  net.layers.push_back({"pooler", square + width, square});
  return net;
}

}  // namespace motley

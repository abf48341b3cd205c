#include <cstdint>
#include <vector>

#include "sim/base/random.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

std::vector<std::uint32_t> first_numbers(RandomStream stream) {
  std::vector<std::uint32_t> numbers(9);  // more than two blocks of the generator
  for (std::uint32_t& number : numbers) number = stream();
  return numbers;
}

}  // namespace

TEST_CASE("a random stream repeats itself for the same arguments") {
  CHECK(first_numbers({7, Purpose::data_order, 3, 5}) ==
        first_numbers({7, Purpose::data_order, 3, 5}));
}

TEST_CASE("rank and substream of a random stream are 0 unless given") {
  CHECK(first_numbers({7, Purpose::data_order}) == first_numbers({7, Purpose::data_order, 0, 0}));
}

TEST_CASE("random streams differ in seed, purpose, rank and substream") {
  const auto base = first_numbers({7, Purpose::data_order, 3, 5});
  CHECK(base != first_numbers({8, Purpose::data_order, 3, 5}));
  CHECK(base != first_numbers({7 + (std::uint64_t{1} << 32), Purpose::data_order, 3, 5}));
  CHECK(base != first_numbers({7, Purpose::partition, 3, 5}));
  CHECK(base != first_numbers({7, Purpose::data_order, 4, 5}));
  CHECK(base != first_numbers({7, Purpose::data_order, 3, 6}));
  CHECK(base != first_numbers({7, Purpose::data_order, 5, 3}));
}

TEST_CASE("a random stream does not repeat a block") {
  const auto numbers = first_numbers({7, Purpose::data_order});
  CHECK(std::vector(numbers.begin(), numbers.begin() + 4) !=
        std::vector(numbers.begin() + 4, numbers.begin() + 8));
}

TEST_CASE("the first numbers of a random stream are those of Philox4x32-10") {
  // A change here changes every result of the simulator.
  RandomStream stream(1, Purpose::initial_model);
  CHECK(stream() == 966115081U);
  CHECK(stream() == 2138557278U);
}

}  // namespace motley

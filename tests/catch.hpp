#pragma once
// Catch2 2 and 3 keep their header in different places; the tests include this one.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace Catch {
inline auto Contains(const std::string& part) {
  return Matchers::ContainsSubstring(part);
}
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif

#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/scenario/units.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

const Place somewhere{"s.json", "/x"};

double parsed(const std::string& text, Dimension dimension) {
  return parse_quantity(Json(text), dimension, somewhere);
}

/// What parse_quantity says about a value, without the place before it.
std::string complaint(const Json& value, Dimension dimension) {
  try {
    parse_quantity(value, dimension, somewhere);
  } catch (const InputError& e) {
    const std::string text = e.what();
    const std::string place = "s.json: /x: ";
    REQUIRE(text.substr(0, place.size()) == place);
    return text.substr(place.size());
  }
  return "(nothing)";
}

struct KnownUnit {
  std::string name;
  double si;
};

struct KnownDimension {
  Dimension dimension;
  std::string name;
  std::vector<KnownUnit> units;
};

const std::vector<KnownUnit> flop_units = {{"f", 1.0},  {"kf", 1e3},  {"Mf", 1e6},
                                           {"Gf", 1e9}, {"Tf", 1e12}, {"Pf", 1e15}};

const std::vector<KnownDimension> known = {
    {Dimension::time,
     "time",
     {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}},
    {Dimension::data,
     "data size",
     {{"B", 1.0},
      {"kB", 1e3},
      {"MB", 1e6},
      {"GB", 1e9},
      {"KiB", 1024.0},
      {"MiB", 1024.0 * 1024.0},
      {"GiB", 1024.0 * 1024.0 * 1024.0}}},
    {Dimension::rate,
     "data rate",
     {{"bps", 1.0 / 8},
      {"kbps", 1e3 / 8},
      {"Mbps", 1e6 / 8},
      {"Gbps", 1e9 / 8},
      {"Tbps", 1e12 / 8},
      {"Bps", 1.0},
      {"kBps", 1e3},
      {"MBps", 1e6},
      {"GBps", 1e9},
      {"TBps", 1e12}}},
    {Dimension::speed, "speed in flops per second", flop_units},
    {Dimension::work, "number of flops", flop_units},
};

TEST_CASE("Every unit of every dimension has its SI value, and there are no others") {
  for (const KnownDimension& dimension : known) {
    CHECK(dimension_name(dimension.dimension) == dimension.name);
    std::vector<std::string> names;
    for (const KnownUnit& unit : dimension.units) {
      INFO(unit.name);
      names.push_back(unit.name);
      CHECK(parsed("1" + unit.name, dimension.dimension) == unit.si);
      CHECK(parsed("2.5 " + unit.name, dimension.dimension) == 2.5 * unit.si);
    }
    CHECK(units_of(dimension.dimension) == names);
  }
  CHECK(dimension_name(Dimension::none) == "number");
  CHECK(units_of(Dimension::none).empty());
}

TEST_CASE("The number of a quantity may be written in any decimal way") {
  const std::vector<std::pair<std::string, double>> cases = {
      {"10s", 10},  {"+10s", 10},         {"-10s", -10}, {"0.5s", 0.5},
      {".5s", 0.5}, {"5.s", 5},           {"1e3s", 1e3}, {"1E-3s", 1e-3},
      {"0s", 0},    {"1.5e+2 min", 9000}, {"007s", 7.0}, {"10   s", 10},
  };
  for (const auto& [text, seconds] : cases) {
    INFO(text);
    CHECK(parsed(text, Dimension::time) == seconds);
  }
}

TEST_CASE("A number without its unit is refused with the likely unit") {
  const std::vector<std::pair<Dimension, std::string>> cases = {
      {Dimension::time, R"(must be a time with its unit, such as "5s" in quotes, got 5)"},
      {Dimension::data, R"(must be a data size with its unit, such as "5MB" in quotes, got 5)"},
      {Dimension::rate, R"(must be a data rate with its unit, such as "5Gbps" in quotes, got 5)"},
      {Dimension::speed,
       R"(must be a speed in flops per second with its unit, such as "5Tf" in quotes, got 5)"},
      {Dimension::work,
       R"(must be a number of flops with its unit, such as "5Gf" in quotes, got 5)"},
  };
  for (const auto& [dimension, message] : cases) CHECK(complaint(5, dimension) == message);
  CHECK(complaint(0.25, Dimension::time) ==
        R"(must be a time with its unit, such as "0.25s" in quotes, got 0.25)");
  CHECK(complaint("5", Dimension::time) ==
        R"(must be a time with its unit, such as "5s", got "5")");
  CHECK(complaint("5 ", Dimension::time) ==
        R"(must be a time with its unit, such as "5s", got "5 ")");
}

TEST_CASE("What is not a decimal number and a unit is refused") {
  // "inf", "nan" and hexadecimals are numbers for the C library; here none is a quantity.
  const std::vector<Json> values = {"",
                                    " ",
                                    "s",
                                    "inf",
                                    "infs",
                                    "nan",
                                    "nans",
                                    "0x10s",
                                    " 5s",
                                    "5e",
                                    "1-2s",
                                    "1.2.3s",
                                    "--5s",
                                    "e5s",
                                    "five s",
                                    nullptr,
                                    true,
                                    Json::array({"5s"}),
                                    Json::object()};
  for (const Json& value : values) {
    const std::string message = complaint(value, Dimension::time);
    INFO(value.dump());
    if (value == "0x10s") {
      CHECK(message ==
            R"(unknown unit 'x10s' for a time, use one of ns, us, ms, s, min, h, got "0x10s")");
    } else {
      CHECK(message == R"(must be a time with its unit, such as "10s", got )" + value.dump());
    }
  }
}

TEST_CASE("A unit that is unknown or of another dimension is refused with those there are") {
  CHECK(complaint("10GBs", Dimension::rate) ==
        "unknown unit 'GBs' for a data rate (did you mean 'GBps'?), use one of bps, kbps, Mbps, "
        R"(Gbps, Tbps, Bps, kBps, MBps, GBps, TBps, got "10GBs")");
  CHECK(complaint("5 days", Dimension::time) ==
        R"(unknown unit 'days' for a time, use one of ns, us, ms, s, min, h, got "5 days")");
  CHECK(complaint("10Tf", Dimension::data) ==
        "unknown unit 'Tf' for a data size, use one of B, kB, MB, GB, KiB, MiB, GiB, got "
        R"("10Tf")");
  CHECK(complaint("5s ", Dimension::time) ==
        "unknown unit 's ' for a time (did you mean 's'?), use one of ns, us, ms, s, min, h, got "
        R"("5s ")");
  for (const KnownDimension& here : known) {
    for (const KnownDimension& other : known) {
      if (other.units.front().name == here.units.front().name) continue;
      for (const KnownUnit& unit : other.units) {
        INFO(unit.name << " for a " << here.name);
        CHECK_THROWS_AS(parsed("1" + unit.name, here.dimension), InputError);
      }
    }
  }
}

TEST_CASE("The case of a unit matters: a bit is not a byte") {
  for (const char* text : {"1S", "1MS", "1Min", "1US"}) {
    INFO(text);
    CHECK_THROWS_AS(parsed(text, Dimension::time), InputError);
  }
  CHECK_THROWS_AS(parsed("1mb", Dimension::data), InputError);
  CHECK_THROWS_AS(parsed("1gbps", Dimension::rate), InputError);
  CHECK(parsed("8Gbps", Dimension::rate) == parsed("1GBps", Dimension::rate));
}

TEST_CASE("A quantity of a size that nothing has is refused with the sizes there are") {
  const std::string time = "must be of a size from 1e-15s to 1e+12s, got ";
  for (const std::string text : {"1e999s", "-1e999s", "1.1e12s", "-1.1e12s", "1e9h", "1e-16s",
                                 "1e-7ns", "-1e-16s", "1e-320s"}) {
    CHECK(complaint(text, Dimension::time) == time + "\"" + text + "\"");
  }
  CHECK(complaint("1e300Tf", Dimension::speed) ==
        R"(must be of a size from 0.001f to 1e+27f, got "1e300Tf")");
  CHECK(complaint("1e300f", Dimension::work) ==
        R"(must be of a size from 0.001f to 1e+27f, got "1e300f")");
  CHECK(complaint("1e-3bps", Dimension::rate) ==
        R"(must be of a size from 0.001Bps to 1e+18Bps, got "1e-3bps")");
  CHECK(complaint("1e19B", Dimension::data) ==
        R"(must be of a size from 0.001B to 1e+18B, got "1e19B")");
  CHECK(parsed("1e12s", Dimension::time) == 1e12);
  CHECK(parsed("1e-15s", Dimension::time) == 1e-15);
  CHECK(parsed("1e27f", Dimension::speed) == 1e27);
  CHECK(parsed("0.0e5s", Dimension::time) == 0);
}

}  // namespace
}  // namespace motley

#include "sim/learning/data/csv_files.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "sim/base/machine_memory.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/base/text.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;

std::optional<double> number(std::string_view text) {
  // A plus sign is customary in labels (+1, -1) but foreign to from_chars.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(static_cast<float>(value))) return {};
  return value;
}

/// What many programs write for a value that is missing.
bool is_nan(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  constexpr std::string_view nan = "nan";
  return std::equal(text.begin(), text.end(), nan.begin(), nan.end(), same);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The cells of a line; a quoted cell may hold commas and doubled quotes. False if a quote is not
/// closed or something other than a comma follows it.
bool split(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  for (;;) {
    line = trimmed(line);
    if (!line.starts_with('"')) {
      const std::size_t comma = line.find(',');
      cells.emplace_back(trimmed(line.substr(0, comma)));
      if (comma == std::string_view::npos) return true;
      line.remove_prefix(comma + 1);
      continue;
    }
    std::string& cell = cells.emplace_back();
    std::size_t at = 1;
    for (; at < line.size(); ++at) {
      if (line[at] == '"' && line.substr(at, 2) != "\"\"") break;
      if (line[at] == '"') ++at;
      cell += line[at];
    }
    if (at == line.size()) return false;
    line = trimmed(line.substr(at + 1));
    if (line.empty()) return true;
    if (line[0] != ',') return false;
    line.remove_prefix(1);
  }
}

/// Numbers the distinct label texts of all files in order of appearance.
class LabelTexts {
 public:
  std::uint32_t id(const std::string& text) {
    const auto [entry, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return entry->second;
  }

  /// The class of each id; different spellings of one number are one class.
  std::vector<std::size_t> classes() const {
    std::vector<std::optional<double>> numbers;
    for (const std::string& text : texts_) numbers.push_back(number(text));
    if (std::find(numbers.begin(), numbers.end(), std::nullopt) == numbers.end())
      return ranks(numbers);
    return ranks(texts_);
  }

 private:
  template <class T>
  static std::vector<std::size_t> ranks(const std::vector<T>& values) {
    std::map<T, std::size_t> rank;
    for (const T& value : values) rank.emplace(value, 0);
    std::size_t next = 0;
    for (auto& entry : rank) entry.second = next++;
    std::vector<std::size_t> result;
    for (const T& value : values) result.push_back(rank.at(value));
    return result;
  }

  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
};

struct Table {
  std::string file;
  Place place;
  std::vector<std::string> columns;
  std::vector<double> values;
  std::vector<std::uint32_t> label_ids;

  [[noreturn]] void fail(const std::string& why) const { throw InputError(place, file + why); }
  [[noreturn]] void fail(std::size_t line, const std::string& why) const {
    fail(", line " + std::to_string(line) + why);
  }
};

std::string content(const fs::path& file, const Place& place) {
  const std::string why_not = why_not_regular(file);
  if (!why_not.empty()) throw InputError(place, file.string() + ": " + why_not);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(place, file.string() + ": cannot be read (no permission)");
  std::error_code ignored;
  check_fits_memory(static_cast<double>(fs::file_size(file, ignored)), file.string(), place);
  std::string text(std::istreambuf_iterator<char>(in), {});
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;  // the byte order mark of some
}

Table read_table(const fs::path& file, const Place& place, const std::string& label,
                 const Place& label_place, LabelTexts& texts) {
  Table table{file.string(), place, {}, {}, {}};
  const std::string text = content(file, place);
  std::size_t label_column = 0;
  std::vector<std::string> cells;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(std::string_view(text).substr(at, end - at));
    at = end + 1;
    ++line_number;
    if (line.empty()) continue;
    if (!split(line, cells))
      table.fail(line_number, ": a quoted cell must end in '\"' and a comma");

    if (table.columns.empty()) {
      table.columns = cells;
      const auto found = std::find(cells.begin(), cells.end(), label);
      if (found == cells.end())
        throw InputError(label_place, table.file + " has no column '" + label + "'" +
                                          did_you_mean(label, cells));
      if (std::count(cells.begin(), cells.end(), label) > 1)
        throw InputError(label_place, table.file + " has more than one column '" + label + "'");
      if (cells.size() == 1) table.fail(": must have a column besides '" + label + "'");
      label_column = static_cast<std::size_t>(found - cells.begin());
      continue;
    }

    if (cells.size() != table.columns.size())
      table.fail(line_number, ": must have " + std::to_string(table.columns.size()) +
                                  " cells like the line of column names, got " +
                                  std::to_string(cells.size()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto complain = [&](const std::string& what_must_hold) {
        table.fail(line_number,
                   ", column '" + shortened(table.columns[c]) + "': " + what_must_hold);
      };
      if (c == label_column) {
        if (cells[c].empty()) complain("must not be empty");
        if (is_nan(cells[c])) complain("must be a class, got '" + cells[c] + "', a missing value");
        table.label_ids.push_back(texts.id(cells[c]));
      } else if (const std::optional<double> value = number(cells[c])) {
        table.values.push_back(*value);
      } else {
        complain("must be a number, got '" + shortened(cells[c]) + "'");
      }
    }
  }
  if (table.columns.empty()) table.fail(": is empty, must start with a line of column names");
  if (table.label_ids.empty()) table.fail(": must have rows below the column names");
  return table;
}

void check_same_columns(const Table& train, const Table& test) {
  const auto [a, b] = std::mismatch(train.columns.begin(), train.columns.end(),
                                    test.columns.begin(), test.columns.end());
  if (a == train.columns.end() && b == test.columns.end()) return;
  const auto name = [](const auto& at, const Table& table) {
    return at == table.columns.end() ? "missing" : "'" + shortened(*at) + "'";
  };
  test.fail(": must have the columns of " + train.file + ": column " +
            std::to_string(a - train.columns.begin() + 1) + " is " + name(b, test) + ", there " +
            name(a, train));
}

/// The rows of the table that `order` lists.
CsvData::Part rows(const Table& table, const std::vector<std::size_t>& classes,
                   std::span<const Sample> order) {
  const std::size_t features = table.columns.size() - 1;
  CsvData::Part part;
  part.values.reserve(order.size() * features);
  part.labels.reserve(order.size());
  for (const Sample row : order) {
    const auto from = table.values.begin() + static_cast<std::ptrdiff_t>(row * features);
    part.values.insert(part.values.end(), from, from + static_cast<std::ptrdiff_t>(features));
    part.labels.push_back(static_cast<std::uint16_t>(classes[table.label_ids[row]]));
  }
  return part;
}

}  // namespace

CsvData read_csv(const fs::path& train_file, const fs::path& test_file, const std::string& label,
                 std::uint64_t seed, const Place& place) {
  LabelTexts texts;
  Table train = read_table(train_file, place / "path", label, place / "label", texts);
  Table test;
  if (!test_file.empty()) {
    test = read_table(test_file, place / "test_path", label, place / "label", texts);
    check_same_columns(train, test);
  }

  const std::vector<std::size_t> classes = texts.classes();
  CsvData data;
  data.features = train.columns.size() - 1;
  data.classes = *std::max_element(classes.begin(), classes.end()) + 1;
  constexpr std::size_t most_classes = 65536;
  if (data.classes > most_classes)
    throw InputError(place / "label", "column '" + label + "' of " + train.file + " has " +
                                          std::to_string(data.classes) +
                                          " different labels, must have at most " +
                                          std::to_string(most_classes));

  const std::size_t count = train.label_ids.size();
  if (!test_file.empty()) {
    const auto as_is = [](std::size_t n) {
      std::vector<Sample> order(n);
      std::iota(order.begin(), order.end(), Sample{0});
      return order;
    };
    data.train = rows(train, classes, as_is(count));
    data.test = rows(test, classes, as_is(test.label_ids.size()));
    return data;
  }
  if (count < 2) train.fail(": must have at least 2 rows, some of them are set aside for testing");
  const std::vector<Sample> order = random_order(count, RandomStream(seed, Purpose::split));
  const std::size_t kept = count - std::max<std::size_t>(1, count / 5);
  data.train = rows(train, classes, std::span(order).first(kept));
  data.test = rows(train, classes, std::span(order).subspan(kept));
  return data;
}

Dataset standardised(const CsvData& csv, std::size_t train, std::size_t test) {
  using Table = Eigen::Map<const Eigen::ArrayXXd>;
  const auto features = static_cast<Eigen::Index>(csv.features);
  const auto count = static_cast<Eigen::Index>(train);
  const Table known(csv.train.values.data(), features, count);

  // Sample after sample, so that the order of summation is the same on every machine.
  Eigen::ArrayXd mean = Eigen::ArrayXd::Zero(features);
  for (Eigen::Index i = 0; i < count; ++i) mean += known.col(i);
  mean /= static_cast<double>(count);
  Eigen::ArrayXd variance = Eigen::ArrayXd::Zero(features);
  for (Eigen::Index i = 0; i < count; ++i) variance += (known.col(i) - mean).square();
  variance /= static_cast<double>(count);
  // Rounding may leave a constant column a tiny variance; compare its values instead.
  const Eigen::ArrayXd scale = (known.rowwise().maxCoeff() == known.rowwise().minCoeff())
                                   .select(0.0, variance.sqrt().inverse());

  const auto scaled = [&](const CsvData::Part& part, std::size_t n) {
    const Table values(part.values.data(), features, static_cast<Eigen::Index>(n));
    Samples samples;
    samples.features = ((values.colwise() - mean).colwise() * scale).cast<float>().matrix();
    samples.labels.assign(part.labels.begin(),
                          part.labels.begin() + static_cast<std::ptrdiff_t>(n));
    return samples;
  };
  Dataset data;
  data.classes = csv.classes;
  data.train = scaled(csv.train, train);
  data.test = scaled(csv.test, test);
  return data;
}

}  // namespace motley

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
#include "sim/learning/data/random_order.hpp"

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

/// Numbers the distinct texts of a column, in all files, in order of appearance.
class DistinctTexts {
 public:
  std::uint32_t id(const std::string& text) {
    const auto [entry, is_new] = ids_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return entry->second;
  }

  /// The rank of each id among all; different spellings of one number have one rank.
  std::vector<std::size_t> ranks() const {
    const std::vector<std::optional<double>> values = numbers();
    return are_all_numbers(values) ? ranks_of(values) : ranks_of(texts_);
  }

  bool are_numbers() const { return are_all_numbers(numbers()); }
  /// One that is a number and not a whole one, where all are numbers.
  std::optional<std::string> not_whole() const {
    const std::vector<std::optional<double>> values = numbers();
    if (!are_all_numbers(values)) return {};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (*values[i] != std::floor(*values[i])) return texts_[i];
    }
    return {};
  }

 private:
  std::vector<std::optional<double>> numbers() const {
    std::vector<std::optional<double>> values;
    for (const std::string& text : texts_) values.push_back(number(text));
    return values;
  }

  static bool are_all_numbers(const std::vector<std::optional<double>>& values) {
    return std::find(values.begin(), values.end(), std::nullopt) == values.end();
  }

  template <class T>
  static std::vector<std::size_t> ranks_of(const std::vector<T>& values) {
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
  std::vector<std::uint32_t> owner_ids;  // when there is a column of owners

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

/// A column that is no feature, and the texts in it.
struct SpecialColumn {
  std::string name;
  Place place;
  DistinctTexts texts = {};
};

/// Where the column is among these; InputError at the place that names it.
std::size_t find_column(const SpecialColumn& column, const std::vector<std::string>& columns,
                        const std::string& file) {
  const auto found = std::find(columns.begin(), columns.end(), column.name);
  if (found == columns.end())
    throw InputError(column.place, file + " has no column '" + column.name + "'" +
                                       did_you_mean(column.name, columns));
  if (std::count(columns.begin(), columns.end(), column.name) > 1)
    throw InputError(column.place, file + " has more than one column '" + column.name + "'");
  return static_cast<std::size_t>(found - columns.begin());
}

/// `owner` may be null.
Table read_table(const fs::path& file, const Place& place, SpecialColumn& label,
                 SpecialColumn* owner) {
  Table table{file.string(), place, {}, {}, {}, {}};
  const std::string text = content(file, place);
  std::size_t label_column = 0;
  std::optional<std::size_t> owner_column;
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
      label_column = find_column(label, cells, table.file);
      if (owner != nullptr) owner_column = find_column(*owner, cells, table.file);
      if (cells.size() == 1) table.fail(": must have a column besides '" + label.name + "'");
      if (owner != nullptr && cells.size() == 2) {
        table.fail(": must have a column besides '" + label.name + "' and '" + owner->name + "'");
      }
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
        table.label_ids.push_back(label.texts.id(cells[c]));
      } else if (c == owner_column) {
        if (cells[c].empty()) complain("must not be empty: it says whose the row is");
        table.owner_ids.push_back(owner->texts.id(cells[c]));
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

/// Refuses what is a quantity, or a name, and not a class.
void check_classes(const SpecialColumn& label, std::size_t classes, std::size_t rows,
                   const std::string& file) {
  const std::string column = "column '" + label.name + "' of " + file;
  const std::string only_classes =
      "; only classes can be learnt, no quantities: make a few classes of it, such as ranges";
  if (const std::optional<std::string> text = label.texts.not_whole())
    throw InputError(label.place, column + " holds numbers that are not whole, such as " +
                                      shortened(*text) + only_classes);
  constexpr std::size_t most_classes = 65536;
  if (classes > most_classes)
    throw InputError(label.place, column + " has " + std::to_string(classes) +
                                      " different labels, must have at most " +
                                      std::to_string(most_classes));
  constexpr std::size_t many = 100;
  constexpr std::size_t least_rows = 5;
  if (classes >= many && rows < least_rows * classes)
    throw InputError(label.place, column + " has " + std::to_string(classes) +
                                      " different labels in " + std::to_string(rows) +
                                      " rows, fewer than " + std::to_string(least_rows) +
                                      " rows each" + only_classes);
}

/// What the ids of a table stand for.
struct Meanings {
  std::vector<std::size_t> classes;
  std::vector<std::size_t> owners;
};

/// The rows of the table that `order` lists.
CsvData::Part rows(const Table& table, const Meanings& meanings, std::size_t features,
                   std::span<const Sample> order) {
  CsvData::Part part;
  part.values.reserve(order.size() * features);
  part.labels.reserve(order.size());
  for (const Sample row : order) {
    const auto from = table.values.begin() + static_cast<std::ptrdiff_t>(row * features);
    part.values.insert(part.values.end(), from, from + static_cast<std::ptrdiff_t>(features));
    part.labels.push_back(static_cast<std::uint16_t>(meanings.classes[table.label_ids[row]]));
    if (!table.owner_ids.empty())
      part.owners.push_back(static_cast<std::uint32_t>(meanings.owners[table.owner_ids[row]]));
  }
  return part;
}

}  // namespace

CsvData read_csv(const fs::path& train_file, const fs::path& test_file, const CsvColumns& columns,
                 std::uint64_t seed, const Place& place) {
  SpecialColumn label{columns.label, place / "label"};
  SpecialColumn owner{columns.owner.value_or(""), place / "partition" / "column"};
  SpecialColumn* const owner_if_any = columns.owner ? &owner : nullptr;
  if (columns.owner == columns.label)
    throw InputError(owner.place, "must be another column than the label");
  Table train = read_table(train_file, place / "path", label, owner_if_any);
  Table test;
  if (!test_file.empty()) {
    test = read_table(test_file, place / "test_path", label, owner_if_any);
    check_same_columns(train, test);
  }

  const Meanings meanings{label.texts.ranks(), owner.texts.ranks()};
  CsvData data;
  data.features = train.columns.size() - (owner_if_any != nullptr ? 2 : 1);
  data.classes = *std::max_element(meanings.classes.begin(), meanings.classes.end()) + 1;
  data.has_numbers_for_labels = label.texts.are_numbers();
  check_classes(label, data.classes, train.label_ids.size() + test.label_ids.size(), train.file);

  const std::size_t count = train.label_ids.size();
  if (!test_file.empty()) {
    const auto as_is = [](std::size_t n) {
      std::vector<Sample> order(n);
      std::iota(order.begin(), order.end(), Sample{0});
      return order;
    };
    data.train = rows(train, meanings, data.features, as_is(count));
    data.test = rows(test, meanings, data.features, as_is(test.label_ids.size()));
    return data;
  }
  if (count < 2) train.fail(": must have at least 2 rows, some of them are set aside for testing");
  const std::vector<Sample> order = random_order(count, RandomStream(seed, Purpose::split));
  const std::size_t kept = count - std::max<std::size_t>(1, count / 5);
  data.train = rows(train, meanings, data.features, std::span(order).first(kept));
  data.test = rows(train, meanings, data.features, std::span(order).subspan(kept));
  return data;
}

namespace {

/// Of the training rows taken: those who own none of them are not counted.
void count_owners(const std::vector<std::uint32_t>& owners, std::size_t taken, Dataset& data) {
  if (owners.empty()) return;
  data.owners.assign(owners.begin(), owners.begin() + static_cast<std::ptrdiff_t>(taken));
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (const std::uint32_t owner : data.owners) numbers.emplace(owner, 0);
  std::uint32_t next = 0;
  for (auto& entry : numbers) entry.second = next++;
  for (std::uint32_t& owner : data.owners) owner = numbers.at(owner);
  data.owner_count = numbers.size();
}

}  // namespace

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
  data.has_numbers_for_labels = csv.has_numbers_for_labels;
  data.train = scaled(csv.train, train);
  data.test = scaled(csv.test, test);
  count_owners(csv.train.owners, train, data);
  return data;
}

}  // namespace motley

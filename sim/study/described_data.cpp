#include "sim/study/described_data.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/image_model.hpp"
#include "sim/study/experiment.hpp"

namespace motley {
namespace {

/// "7" or "3 to 7".
std::string range(std::size_t least, std::size_t most) {
  return std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
}

std::string range_of(const std::vector<std::size_t>& numbers) {
  const auto [least, most] = std::ranges::minmax(numbers);
  return range(least, most);
}

std::vector<std::size_t> samples_by_class(const Dataset& data) {
  std::vector<std::size_t> counts(data.classes, 0);
  for (const std::uint16_t label : data.train.labels) ++counts[label];
  return counts;
}

std::string shape_of(const Dataset& data) {
  if (!data.shape) return counted(data.features(), "feature");
  const ImageShape& shape = *data.shape;
  return "images of " + image_size(shape) + " pixels, " + counted(shape.channels, "channel");
}

std::size_t median(std::vector<std::size_t> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// What each worker has, by rank.
struct Parts {
  std::vector<std::size_t> samples;
  std::vector<std::size_t> labels;  ///< different ones

  Parts(const Partition& partition, const Dataset& data, std::size_t workers) {
    for (std::size_t rank = 0; rank < workers; ++rank) {
      std::set<std::uint16_t> mine;
      for (std::size_t i = 0; i < partition.size(rank); ++i) {
        mine.insert(data.train.labels[partition.at(rank, i)]);
      }
      samples.push_back(partition.size(rank));
      labels.push_back(mine.size());
    }
  }
};

/// Of the algorithm with the largest batches. Empty when everybody has a batch or more.
std::string warning_of_few(const Experiment& experiment, const Parts& parts) {
  std::string label;
  std::vector<std::size_t> few;
  for (const RunPlan& plan : experiment.runs()) {
    std::vector<std::size_t> of_this;
    for (std::size_t rank = 0; rank < parts.samples.size(); ++rank) {
      if (parts.samples[rank] < plan.batches[rank]) of_this.push_back(rank);
    }
    if (of_this.size() <= few.size()) continue;
    few = of_this;
    label = plan.label;
  }
  if (few.empty()) return "";
  constexpr std::size_t most_named = 4;
  std::ranges::stable_sort(few, {}, [&](std::size_t rank) { return parts.samples[rank]; });
  std::ostringstream text;
  text << "\nwarning: " << few.size() << " of " << parts.samples.size()
       << " workers have fewer samples than a batch of " << label << " takes: ";
  for (std::size_t i = 0; i < std::min(few.size(), most_named); ++i) {
    text << (i > 0 ? ", " : "") << experiment.facts().names[few[i]] << " has "
         << parts.samples[few[i]];
  }
  if (few.size() > most_named) text << ", ...";
  text << "; they learn from the same few again and again";
  return text.str();
}

/// What is odd about the labels; empty when nothing is.
std::string warnings_of_labels(const Dataset& data) {
  constexpr std::size_t many = 20;
  const std::vector<std::size_t> counts = samples_by_class(data);
  std::string text;
  if (data.has_numbers_for_labels && data.classes > many) {
    text += "\nwarning: the labels are " + std::to_string(data.classes) +
            " different numbers: if they are a quantity, make a few classes of it, such as ranges; "
            "only classes can be learnt";
  }
  const auto untrained = static_cast<std::size_t>(std::ranges::count(counts, std::size_t{0}));
  if (untrained > 0) {
    text += "\nwarning: " + std::to_string(untrained) + " of " + std::to_string(data.classes) +
            " classes have no training sample: no model can learn " +
            (untrained == 1 ? "it" : "them");
  }
  return text;
}

/// Empty when all training samples are enough for a batch of everybody.
std::string warning_of_large_batch(const Experiment& experiment, const Dataset& data) {
  for (const RunPlan& plan : experiment.runs()) {
    for (std::size_t rank = 0; rank < experiment.facts().workers; ++rank) {
      if (plan.batches[rank] <= data.train.size()) continue;
      return "\nwarning: a batch of " + plan.label + " has " + std::to_string(plan.batches[rank]) +
             " samples, more than there are for training: some are drawn several times";
    }
  }
  return "";
}

}  // namespace

std::string described_data(const Experiment& experiment) {
  const Dataset* data = experiment.data();
  if (data == nullptr) return "";
  std::ostringstream text;
  text << "data: " << data->train.size() << " training and " << data->test.size()
       << " test samples, " << shape_of(*data) << ", " << data->classes << " classes of "
       << range_of(samples_by_class(*data)) << " training samples" << warnings_of_labels(*data);
  const Partition& partition = experiment.partition();
  if (partition.is_shared()) {
    text << "\npartition: every worker draws from all training samples"
         << warning_of_large_batch(experiment, *data);
    return text.str();
  }
  const Parts parts(partition, *data, experiment.facts().workers);
  text << "\npartition: " << range_of(parts.samples) << " samples per worker, median "
       << median(parts.samples) << ", with " << range_of(parts.labels) << " of the "
       << data->classes << " labels";
  if (data->owner_count > 0) {
    text << "; the rows of " << data->owner_count << " owners";
  }
  text << warning_of_few(experiment, parts);
  return text.str();
}

}  // namespace motley

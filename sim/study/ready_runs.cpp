#include "sim/study/ready_runs.hpp"

namespace motley {

ReadyRuns::ReadyRuns(Study& study, ResultsFolder& folder, const std::vector<std::size_t>& runs,
                     bool again)
    : study_(study), folder_(folder), reported_(runs.begin(), runs.end()), again_(again) {
  for (const std::size_t run : runs) {
    if (study.unit_of(run))
      units_.insert(*study.unit_of(run));
    else
      add_reported(run);
  }
  stirred_ = units_;
}

const RunResult* ReadyRuns::result(const std::string& hash) {
  const RunResult* found = folder_.find(hash);
  return folder_.is_done(hash) || finished_.contains(hash) ? found : nullptr;
}

void ReadyRuns::add(std::size_t run) {
  if (taken_.insert(study_.entry(run).hash).second) ready_.push_back(run);
}

void ReadyRuns::add_reported(std::size_t run) {
  if (!reported_.contains(run)) return;
  if (again_ || result(study_.entry(run).hash) == nullptr) add(run);
}

void ReadyRuns::look() {
  if (stirred_.empty()) return;
  const auto results = [this](const std::string& hash) { return result(hash); };
  for (const std::size_t unit : stirred_) {
    for (const std::size_t run : study_.advance(unit, results)) {
      waiting_[study_.entry(run).hash].insert(unit);
      add(run);
    }
    if (!study_.units()[unit].state.chosen) continue;
    for (const std::size_t run : study_.units()[unit].reported) add_reported(run);
  }
  folder_.set_plan(study_.table());
  stirred_.clear();
}

std::vector<std::size_t> ReadyRuns::take() {
  look();
  std::vector<std::size_t> ready;
  ready.swap(ready_);
  return ready;
}

void ReadyRuns::finished(std::size_t run) {
  const std::string& hash = study_.entry(run).hash;
  finished_.insert(hash);
  const auto waiting = waiting_.find(hash);
  if (waiting == waiting_.end()) return;
  stirred_.insert(waiting->second.begin(), waiting->second.end());
  waiting_.erase(waiting);
}

std::size_t ReadyRuns::tuning_done() const {
  std::vector<std::string> hashes;
  for (const std::size_t unit : units_) {
    for (const auto& [name, run] : study_.units()[unit].trials) {
      hashes.push_back(study_.entry(run).hash);
    }
  }
  return folder_.kept(hashes);
}

std::size_t ReadyRuns::tuning_runs() const {
  std::size_t most = 0;
  for (const std::size_t index : units_) {
    const TuningUnit& unit = study_.units()[index];
    most += unit.state.chosen ? unit.state.runs : unit.budgeted_runs();
  }
  return most;
}

ReadyRuns::Work ReadyRuns::left() const {
  Work work;
  const auto is_left = [this](std::size_t run) {
    const std::string& hash = study_.entry(run).hash;
    return !finished_.contains(hash) && (again_ || !folder_.is_done(hash));
  };
  for (const std::size_t run : reported_) {
    if (!is_left(run)) continue;
    ++work.runs;
    work.cost += study_.cost(run);
  }
  for (const std::size_t index : units_) {
    const TuningUnit& unit = study_.units()[index];
    if (unit.state.chosen) continue;
    std::size_t known = 0;
    for (const auto& [name, run] : unit.trials) {
      const std::string& hash = study_.entry(run).hash;
      known += folder_.is_done(hash) || finished_.contains(hash) ? 1 : 0;
    }
    const std::size_t runs = unit.budgeted_runs() - std::min(known, unit.budgeted_runs());
    work.runs += runs;
    work.cost += unit.cost * static_cast<double>(runs);
  }
  return work;
}

}  // namespace motley

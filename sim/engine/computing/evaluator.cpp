#include "sim/engine/computing/evaluator.hpp"

#include <algorithm>

namespace motley {

Evaluator::Evaluator(const Problem& problem, ThreadPool& pool) : problem_(problem), pool_(pool) {
  constexpr std::size_t samples_per_piece = 512;
  for (unsigned i = 0; i < pool.threads(); ++i) workspaces_.push_back(problem.make_workspace());
  const std::size_t pieces = (problem.test_size() + samples_per_piece - 1) / samples_per_piece;
  sums_.resize(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t begin = i * samples_per_piece;
    const std::size_t end = std::min(begin + samples_per_piece, problem.test_size());
    tasks_.push_back(std::make_unique<ThreadPool::Task>([this, i, begin, end](unsigned thread) {
      sums_[i] = problem_.evaluate(x_, begin, end, workspace(thread));
    }));
  }
}

Evaluation Evaluator::evaluate(const Parameters& x) {
  x_ = x.values();
  for (const auto& task : tasks_) pool_.submit(*task);
  for (const auto& task : tasks_) pool_.finish(*task);
  double loss = 0;
  std::uint64_t correct = 0;
  for (const EvaluationSum& sum : sums_) {
    loss += sum.loss;
    correct += sum.correct;
  }
  const auto samples = static_cast<double>(problem_.test_size());
  Evaluation evaluation{loss / samples, {}};
  if (problem_.has_accuracy()) evaluation.accuracy = static_cast<double>(correct) / samples;
  return evaluation;
}

}  // namespace motley

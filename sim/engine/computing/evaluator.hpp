#pragma once

#include <memory>
#include <vector>

#include "sim/base/thread_pool.hpp"
#include "sim/learning/models/problem.hpp"
#include "sim/learning/rules/parameters.hpp"
#include "sim/results/recorder.hpp"

namespace motley {

/// Tests a model on all test samples, in pieces on all threads; the pieces and the order in which
/// they are added are fixed, so the result does not depend on the number of threads.
class Evaluator {
 public:
  Evaluator(const Problem& problem, ThreadPool& pool);

  Evaluation evaluate(const Parameters& x);
  /// Of a thread of the pool, also for gradients.
  Workspace& workspace(unsigned thread) { return *workspaces_[thread]; }

 private:
  const Problem& problem_;
  ThreadPool& pool_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  std::vector<EvaluationSum> sums_;
  std::vector<std::unique_ptr<ThreadPool::Task>> tasks_;
  std::span<const float> x_;
};

}  // namespace motley

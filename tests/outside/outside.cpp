// An algorithm that Motley does not know, run on a scenario: outside SCENARIO
#include <iostream>

#include "sim/study/experiment.hpp"

namespace {

/// Every worker by itself, and the first one's model counts.
class Alone : public motley::Algorithm {
 public:
  bool needs_server() const override { return false; }
  void worker(motley::Worker& me) const override {
    motley::Model x = me.initial_model();
    for (;;) {
      const motley::Gradient g = me.gradient(x, 4);
      x -= 0.1F * g;
      if (me.rank() == 0) me.finish_update(x);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const motley::Experiment experiment(argv[1], {});
  Alone alone;
  const motley::RunResult result = experiment.run(alone, 1, {});
  std::cout << result.updates << " updates\n";
  return result.status == motley::RunStatus::ok ? 0 : 1;
}

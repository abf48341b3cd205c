#include "sim/results/tables/whatif_table.hpp"

namespace motley {

const ColumnTable<WhatIf>& whatif_table() {
  static const ColumnTable<WhatIf> table = [] {
    ColumnTable<WhatIf> t(
        "whatif",
        "One row per algorithm, point of the sweep and change of the cluster: how "
        "fast the first replica's steps are when they are timed again with that "
        "change, without any learning. It compares updates per second, not times "
        "to the target.");
    const auto rate = [](auto figure) {
      return [figure](const WhatIf& w) -> std::optional<double> {
        return w.throughput ? std::optional<double>(std::invoke(figure, *w.throughput))
                            : std::nullopt;
      };
    };
    t.add("algorithm", "", "label of the algorithm", &WhatIf::algorithm);
    t.add_axes([](const WhatIf& w) -> const std::vector<Json>& { return w.point; });
    t.add(
        "change", "",
        "as_is; bandwidth_x2 (all links), server_bandwidth_x2, no_latency; compute_x2 (all "
        "workers and servers), speed_x2:CLASS, server_speed_x2; no_noise, no_changes, no_failures; "
        "without:CLASS (the slowest); CLASS/slower: those of its workers that are slower than the "
        "geometric mean of its slowest and fastest; a change that would change nothing is left "
        "out",
        &WhatIf::change);
    t.add("updates", "",
          "how many updates were timed, the first of the run; beyond its end where it has fewer "
          "than 20 "
          "gradients per worker",
          rate(&Throughput::updates));
    t.add("updates_per_s", "1/s", "these updates divided by the virtual time they took",
          rate(&Throughput::updates_per_s));
    t.add("gain", "", "updates_per_s divided by that of as_is", &WhatIf::gain);
    t.add("samples_per_s", "1/s", "samples computed in that time, divided by it",
          rate(&Throughput::samples_per_s));
    t.add("reason", "", "why a change could not be tried; its numbers are empty then",
          &WhatIf::why_not);
    t.add("named", "",
          "rank among changes that gain 2 % or more (removing workers last); empty if smaller, or "
          "if part of the change (one class, the server's links) gains nearly as much",
          &WhatIf::named);
    t.add("bottleneck", "",
          "1: what is improved here is the bottleneck of this algorithm at this point",
          &WhatIf::is_bottleneck);
    t.add("note", "",
          "few_updates, at as_is: fewer than 20 gradients per worker were timed, as the cluster "
          "changes, the run ended in its warm-up or the workers are many; lockstep, at no_noise: "
          "slower, as equal "
          "workers keep in step without noise",
          &WhatIf::note);
    return t;
  }();
  return table;
}

}  // namespace motley

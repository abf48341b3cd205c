#include "sim/cli/time_budget.hpp"

#include "sim/base/format.hpp"

namespace motley {

std::string time_budget(const RunResult& r) {
  if (r.workers.empty() || r.virtual_s <= 0) return "nothing happened";
  const double all_s = r.virtual_s * static_cast<double>(r.workers.size());
  std::string text = "compute " + percent(r.compute_s() / all_s) + ", transfer " +
                     percent(r.transfer_s() / all_s) + ", wait " + percent(r.wait_s() / all_s);
  if (r.discarded_s() > 0) text += ", discarded " + percent(r.discarded_s() / all_s);
  const LinkResult* busiest = nullptr;
  double busy = 0;
  for (const LinkResult& link : r.links) {
    const double use = link.bytes / (link.bandwidth_Bps * r.virtual_s);
    if (busiest == nullptr || use > busy) {
      busiest = &link;
      busy = use;
    }
  }
  if (busiest != nullptr) text += "; busiest link " + busiest->name + " " + percent(busy);
  return text;
}

}  // namespace motley

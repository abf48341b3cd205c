#include "sim/results/result_files.hpp"

#include <system_error>

#include "sim/base/atomic_file.hpp"
#include "sim/base/json.hpp"
#include "sim/results/csv_row.hpp"
#include "sim/results/link_use.hpp"
#include "sim/results/statistics/bands.hpp"
#include "sim/results/statistics/summary_file.hpp"
#include "sim/scenario/sweep.hpp"

namespace motley {
ResultFiles::ResultFiles(const std::filesystem::path& folder) : folder_(folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string() + ": the output folder cannot be made: " + error.message() +
                     " (choose another with --out)");
  }
  if (const std::error_code why = trial_of_writing(folder)) {
    if (why == std::errc::no_space_on_device)
      throw WriteError(folder.string() + ": " + why.message());
    throw InputError(folder.string() + ": the output folder cannot be written: " + why.message() +
                     " (choose another with --out)");
  }
}

void ResultFiles::write_json(const std::string& name, const Json& json) const {
  write_atomically(folder_ / name, json.dump(2) + "\n");
}

void ResultFiles::write_csvs(const std::vector<std::string>& axes,
                             const std::vector<RunResult>& results) const {
  std::string runs =
      "run,algorithm,replica,seed,status,virtual_s,updates,gradients,samples,epochs,bytes,"
      "final_test_accuracy,best_test_accuracy,final_test_loss,time_to_target_s,compute_s,"
      "transfer_s,wait_s,discarded_s,mean_staleness,max_staleness,wall_s,peak_rss_mb,reason,"
      "speed_ratio,speed_cv,sync_efficiency";
  for (const std::string& axis : axes) runs += "," + cell(axis);
  runs += "\n";
  std::string curves =
      "run,time_s,updates,samples,epochs,bytes,train_loss,test_loss,test_accuracy\n";
  std::string workers =
      "run,worker,class,speed,compute_s,transfer_s,wait_s,discarded_s,gradients,samples,"
      "mean_staleness,max_staleness,data_samples\n";
  std::string staleness = "run,class,staleness,count\n";
  std::string links = "run,link,bandwidth_Bps,bytes,busy_share,utilisation,max_utilisation,links\n";
  std::string decisions = "run,time_s,worker,quantity,value\n";
  for (const RunResult& r : results) {
    const std::optional<Heterogeneity> uneven = r.cluster_heterogeneity();
    runs +=
        row(r.run, r.algorithm, r.replica, r.seed, r.status, r.virtual_s, r.updates, r.gradients,
            r.samples, r.epochs, r.bytes, r.final_test_accuracy, r.best_test_accuracy,
            r.final_test_loss, r.time_to_target_s, r.compute_s(), r.transfer_s(), r.wait_s(),
            r.discarded_s(), r.mean_staleness, r.max_staleness, r.wall_s, r.peak_rss_mb, r.reason,
            uneven ? std::optional(uneven->speed_ratio) : std::nullopt,
            uneven ? std::optional(uneven->speed_cv) : std::nullopt,
            uneven ? std::optional(uneven->sync_efficiency) : std::nullopt);
    runs.pop_back();  // the end of the line
    for (const Json& value : r.point) runs += "," + cell(shown_value(value));
    runs += "\n";
    for (const CurvePoint& p : r.curve) {
      curves += row(r.run, p.time_s, p.updates, p.samples, p.epochs, p.bytes, p.train_loss,
                    p.test_loss, p.test_accuracy);
    }
    for (const Decision& d : r.decisions) {
      decisions += row(r.run, d.time_s, r.workers[d.rank].name, d.quantity, d.value);
    }
    for (const WorkerResult& w : r.workers) {
      workers += row(r.run, w.name, w.class_name, w.speed_flops, w.compute_s, w.transfer_s,
                     w.wait_s, w.discarded_s, w.gradients, w.samples, w.mean_staleness,
                     w.max_staleness, w.data_samples);
    }
    for (const StalenessCount& s : r.staleness) {
      staleness += row(r.run, s.class_name, s.staleness, s.count);
    }
    for (const LinkUse& l : link_uses(r)) {
      links += row(r.run, l.name, l.bandwidth_Bps, l.bytes, l.busy_share, l.utilisation,
                   l.max_utilisation, l.links);
    }
  }
  write_atomically(folder_ / "staleness.csv", staleness);
  write_atomically(folder_ / "links.csv", links);
  write_atomically(folder_ / "decisions.csv", decisions);
  write_atomically(folder_ / "curves.csv", curves);
  write_atomically(folder_ / "workers.csv", workers);
  // Last: who sees a run here finds its curve and workers, too.
  write_atomically(folder_ / "runs.csv", runs);
}

void ResultFiles::write_statistics(const std::vector<std::string>& axes,
                                   const std::string& baseline,
                                   const std::vector<RunResult>& results) const {
  const std::vector<ComparisonRow> rows = compare(results, baseline);
  write_atomically(folder_ / "summary.csv", summary_csv(axes, baseline, rows));
  write_atomically(folder_ / "bands.csv", bands_csv(axes, rows));
}

}  // namespace motley

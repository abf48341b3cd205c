#include "sim/results/tables/timings_table.hpp"

namespace motley {

const ColumnTable<TimingRow>& timings_table() {
  static const ColumnTable<TimingRow> table = [] {
    ColumnTable<TimingRow> t("timings",
                             "One row per timing of messages and gradients by `motley calibrate`. "
                             "The file has the name of the "
                             "scenario that it wrote, with the ending .csv.");
    t.add("what", "",
          "up: a message from a worker to the server, and an empty one back; down: the other way "
          "round; incast and outcast: the same of several workers at once; ring: everybody sends "
          "one to the next rank; gradient: a worker computes one",
          &TimingRow::what);
    t.add("worker", "", "rank of the worker whose time it is; 0 for incast and outcast",
          &TimingRow::worker);
    t.add("senders", "", "how many workers took part", &TimingRow::senders);
    t.add("bytes", "B", "of each message; 0 for gradients", &TimingRow::bytes);
    t.add("batch", "", "samples of the gradient; 0 for messages", &TimingRow::batch);
    t.add("measured_s", "s", "median of several", &TimingRow::measured_s);
    t.add("fitted_s", "s", "what the calibrated cluster gives", &TimingRow::fitted_s);
    t.add("error", "", "fitted_s / measured_s - 1",
          [](const TimingRow& row) { return row.fitted_s / row.measured_s - 1; });
    return t;
  }();
  return table;
}

}  // namespace motley

#include "sim/results/trace_files.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "sim/results/csv_row.hpp"

namespace motley {
namespace {

std::string quoted(const std::string& text) {
  return Json(text).dump();
}

/// The threads of one host. What overlaps (a server's messages) goes side by side; messages and
/// computing never share a thread.
class Lanes {
 public:
  /// The thread on which this interval has room.
  std::size_t place(const Timeline::Interval& interval) {
    const std::string kind = kind_of(interval.state);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].kind != kind || lanes_[i].busy_until > interval.begin_s) continue;
      lanes_[i].busy_until = interval.end_s;
      return i;
    }
    lanes_.push_back({kind, interval.end_s});
    return lanes_.size() - 1;
  }
  std::size_t size() const { return lanes_.size(); }
  const std::string& kind(std::size_t lane) const { return lanes_[lane].kind; }

 private:
  static std::string kind_of(Timeline::State state) {
    using State = Timeline::State;
    if (state == State::send || state == State::receive) return Timeline::name(state);
    if (state == State::slowed) return Timeline::name(state);
    return state == State::update ? "update" : "work";
  }
  struct Lane {
    std::string kind;
    double busy_until;
  };
  std::vector<Lane> lanes_;
};

/// From top to bottom within a host.
std::size_t order_of(const std::string& kind) {
  const std::vector<std::string> kinds = {"work", "update", "send", "receive", "slowed"};
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  return static_cast<std::size_t>(found - kinds.begin());
}

/// What is known of a slice: {"peer":"server","bytes":100}.
std::string args_of(const Timeline::Interval& interval, const Timeline& timeline) {
  Json args = Json::object();
  if (interval.peer != Timeline::nobody) args["peer"] = timeline.hosts()[interval.peer];
  if (interval.bytes > 0) args["bytes"] = interval.bytes;
  if (interval.batch > 0) args["batch"] = interval.batch;
  if (interval.version) args["version"] = *interval.version;
  if (interval.staleness >= 0) args["staleness"] = interval.staleness;
  return args.empty() ? "" : ",\"args\":" + args.dump();
}

/// What changes by steps: how much there is of it from a time on, by process and name.
using Steps = std::map<std::pair<std::size_t, std::string>, std::map<double, double>>;

/// The process that has the counters of the links: the one after the hosts.
std::size_t links_process(const Timeline& timeline) {
  return timeline.hosts().size();
}

/// Bytes under way over each link; pushes that wait at a server for their update; its updates' staleness.
Steps counters_of(const Timeline& timeline) {
  Steps changes;
  const std::vector<Timeline::Interval>& intervals = timeline.intervals();
  for (const Timeline::Interval& interval : intervals) {
    if (interval.state != Timeline::State::send || interval.bytes == 0) continue;
    for (const std::size_t link : timeline.way(interval.host, interval.peer)) {
      const char* whose = timeline.shows_all_workers() ? "" : ", of the workers shown";
      auto& steps =
          changes[{links_process(timeline), "bytes on " + timeline.links()[link] + whose}];
      steps[interval.begin_s] += static_cast<double>(interval.bytes);
      steps[interval.end_s] -= static_cast<double>(interval.bytes);
    }
  }
  for (const Timeline::Arrow& arrow : timeline.arrows()) {
    if (!arrow.is_push) continue;
    auto& steps = changes[{intervals[arrow.to].host, "pushes that wait"}];
    steps[intervals[arrow.send].end_s] += 1;
    steps[intervals[arrow.to].begin_s] -= 1;
  }
  for (auto& [what, steps] : changes) {
    double sum = 0;
    for (auto& [time, value] : steps) value = sum += value;
  }
  for (const Timeline::Interval& interval : intervals) {
    if (interval.state == Timeline::State::update && interval.staleness >= 0) {
      changes[{interval.host, "staleness"}][interval.end_s] = interval.staleness;
    }
  }
  return changes;
}

template <class Write>
void write_file(const std::filesystem::path& file, Write write) {
  const std::filesystem::path temporary =
      file.parent_path() / ("." + file.filename().string() + ".new");
  std::filesystem::remove(temporary);  // what lies there may be a link to another file
  std::ofstream out(temporary, std::ios::binary);
  write(out);
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written (is the disk full?)");
  std::filesystem::rename(temporary, file);
}

}  // namespace

namespace {

/// Perfetto's clock has whole nanoseconds.
std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

/// As microseconds with decimals. Perfetto reads no exponents: an event at 1e+06 it drops.
std::string us(std::int64_t ns) {
  std::string text = std::to_string(ns / 1000);
  if (ns % 1000 == 0) return text;
  const std::string decimals = std::to_string(1000 + ns % 1000);
  return text + "." + decimals.substr(1);
}

/// Who is which process and thread. Perfetto takes 0 for the idle process of a kernel, which it shows
/// otherwise, and finds the thread that is given a name by its number alone: no two have the same.
class Tracks {
 public:
  explicit Tracks(const Timeline& timeline)
      : links_(links_process(timeline)), lane_(timeline.intervals().size()) {
    for (std::size_t i = 0; i < lane_.size(); ++i) {
      const Timeline::Interval& interval = timeline.intervals()[i];
      lane_[i] = lanes_[interval.host].place(interval);
    }
    std::size_t next = process(links_) + 1;
    first_.emplace(links_, next++);
    for (const auto& [host, of_host] : lanes_) {
      const Lanes& lanes = of_host;
      std::vector<std::size_t> sorted(lanes.size());
      std::iota(sorted.begin(), sorted.end(), std::size_t{0});
      std::ranges::stable_sort(sorted, {}, [&](std::size_t i) { return order_of(lanes.kind(i)); });
      first_.emplace(host, next);
      for (const std::size_t lane : sorted) thread_[{host, lane}] = next++;
    }
  }

  const std::map<std::size_t, Lanes>& lanes() const { return lanes_; }
  static std::size_t process(std::size_t host) { return host + 1; }
  std::size_t thread(std::size_t host, std::size_t lane) const { return thread_.at({host, lane}); }
  /// Of an interval.
  std::size_t thread(const Timeline& timeline, std::size_t interval) const {
    return thread(timeline.intervals()[interval].host, lane_[interval]);
  }
  /// One of its threads, for what concerns the whole process.
  std::size_t any_thread(std::size_t host) const { return first_.at(host); }

 private:
  std::size_t links_;
  std::map<std::size_t, Lanes> lanes_;
  std::vector<std::size_t> lane_;  // of each interval
  std::map<std::size_t, std::size_t> first_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> thread_;
};

}  // namespace

void write_perfetto(std::ostream& out, const std::string& run, const Timeline& timeline) {
  // Perfetto ties an arrow to a slice of some length; an update that takes no time gets this.
  constexpr std::int64_t shortest_ns = 1;
  const std::vector<Timeline::Interval>& intervals = timeline.intervals();
  const Tracks tracks(timeline);

  out << R"({"displayTimeUnit": "ms", "otherData": {"run": )" << quoted(run) << R"(, "shows": )"
      << quoted(timeline.extent()) << R"(}, "traceEvents": [)";
  const char* separator = "\n";
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const Timeline::Interval& interval = intervals[i];
    const std::int64_t begin_ns = nanoseconds(interval.begin_s);
    const std::int64_t length_ns = std::max(nanoseconds(interval.end_s) - begin_ns, shortest_ns);
    out << separator << R"({"ph":"X","name":")" << Timeline::name(interval.state)
        << (interval.state == Timeline::State::slowed ? " to " + cell(interval.factor) : "")
        << R"(","pid":)" << Tracks::process(interval.host) << R"(,"tid":)"
        << tracks.thread(timeline, i) << R"(,"ts":)" << us(begin_ns) << R"(,"dur":)"
        << us(length_ns) << args_of(interval, timeline) << "}";
    separator = ",\n";
  }
  for (std::size_t i = 0; i < timeline.arrows().size(); ++i) {
    const Timeline::Arrow& arrow = timeline.arrows()[i];
    const std::string name = arrow.is_push ? "push" : "message";
    const auto end = [&](const char* phase, std::size_t slice) {
      out << separator << R"({"name":")" << name << R"(","cat":")" << name << R"(","id":)" << i + 1
          << "," << phase << R"(,"pid":)" << Tracks::process(intervals[slice].host) << R"(,"tid":)"
          << tracks.thread(timeline, slice) << R"(,"ts":)"
          << us(nanoseconds(intervals[slice].begin_s)) << "}";
      separator = ",\n";
    };
    end(R"("ph":"s")", arrow.send);
    end(R"("ph":"f","bp":"e")", arrow.to);
  }
  const Steps counters = counters_of(timeline);
  for (const auto& [what, steps] : counters) {
    for (const auto& [time, value] : steps) {
      out << separator << R"({"ph":"C","name":)" << quoted(what.second) << R"(,"pid":)"
          << Tracks::process(what.first) << R"(,"tid":)" << tracks.any_thread(what.first)
          << R"(,"ts":)" << us(nanoseconds(time)) << R"(,"args":{"value":)" << cell(value) << "}}";
      separator = ",\n";
    }
  }
  const auto say = [&](const char* what, std::size_t process, std::size_t thread, const Json& of) {
    out << separator << R"({"ph":"M","name":")" << what << R"(","pid":)" << Tracks::process(process)
        << R"(,"tid":)" << thread << R"(,"ts":0,"args":)" << of.dump() << "}";
    separator = ",\n";
  };
  const auto call = [&](std::size_t process, const std::string& name) {
    const std::size_t thread = tracks.any_thread(process);
    say("process_name", process, thread, {{"name", name}});
    say("process_sort_index", process, thread, {{"sort_index", process}});
  };
  for (const auto& [host, threads] : tracks.lanes()) {
    call(host, timeline.hosts()[host]);
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const std::size_t thread = tracks.thread(host, i);
      say("thread_name", host, thread, {{"name", threads.kind(i)}});
      say("thread_sort_index", host, thread, {{"sort_index", thread}});
    }
  }
  if (!timeline.links().empty()) call(links_process(timeline), "links");
  out << "\n]}\n";
}

const ColumnTable<TimelineEvent>& events_table() {
  static const ColumnTable<TimelineEvent> table = [] {
    ColumnTable<TimelineEvent> t(
        "events",
        "One row per interval of a host's timeline; written with --trace. Sending and receiving go "
        "on behind computing; waiting is when nothing else is.");
    t.add("run", "", "the run, as in runs.csv", [](const TimelineEvent& e) { return e.run; });
    t.add("host", "", "name of the worker or server",
          [](const TimelineEvent& e) { return e.host; });
    t.add("state", "",
          "compute, send, receive, wait, discarded, update or down; or slowed, beside these: its "
          "speed "
          "is lower than it is called",
          [](const TimelineEvent& e) { return Timeline::name(e.interval.state); });
    t.add("begin_s", "s", "virtual time at which it begins",
          [](const TimelineEvent& e) { return e.interval.begin_s; });
    t.add("end_s", "s", "virtual time at which it ends",
          [](const TimelineEvent& e) { return e.interval.end_s; });
    t.add("factor", "", "of its speed while it is slowed; else empty",
          [](const TimelineEvent& e) -> std::optional<double> {
            if (e.interval.state != Timeline::State::slowed) return std::nullopt;
            return e.interval.factor;
          });
    const auto if_any = [](std::uint64_t count) {
      return count > 0 ? std::optional(static_cast<double>(count)) : std::nullopt;
    };
    t.add("peer", "", "of a message: the host at its other end; else empty",
          [](const TimelineEvent& e) { return e.peer; });
    t.add("bytes", "B", "of a message, as it travels; else empty",
          [if_any](const TimelineEvent& e) { return if_any(e.interval.bytes); });
    t.add("batch", "", "of computing: samples, of all steps in it; else empty",
          [if_any](const TimelineEvent& e) { return if_any(e.interval.batch); });
    t.add("version", "",
          "of computing: the number of updates in the server's model it starts from; of a message "
          "between worker and server: the same for the model sent, or for the model that what is "
          "sent was computed from; of an update: the host's updates including this one; else "
          "empty, as where models never come from a server",
          [](const TimelineEvent& e) -> std::optional<double> {
            if (!e.interval.version) return std::nullopt;
            return static_cast<double>(*e.interval.version);
          });
    t.add("staleness", "updates",
          "of computing: how many updates the server's model is ahead of that version when it "
          "ends; of a push that goes into an update: how many it is ahead there; of an update by a "
          "server: mean of what went into it; else empty",
          [](const TimelineEvent& e) -> std::optional<double> {
            if (e.interval.staleness < 0) return std::nullopt;
            return e.interval.staleness;
          });
    return t;
  }();
  return table;
}

void write_events(std::ostream& out, const std::string& run, const Timeline& timeline) {
  out << "# " << timeline.extent() << "\n" << events_table().header();
  for (const Timeline::Interval& interval : timeline.intervals()) {
    const bool has_peer = interval.peer != Timeline::nobody;
    out << events_table().line({run, timeline.hosts()[interval.host], interval,
                                has_peer ? timeline.hosts()[interval.peer] : ""});
  }
}

void write_trace(const TraceRequest& request, const std::string& run, const Timeline& timeline) {
  write_file(request.folder / (run + ".json"),
             [&](std::ostream& out) { write_perfetto(out, run, timeline); });
  write_file(request.folder / (run + ".csv"),
             [&](std::ostream& out) { write_events(out, run, timeline); });
}

std::vector<std::string> join_events(const std::filesystem::path& traces,
                                     const std::vector<std::string>& runs,
                                     const std::filesystem::path& events_csv) {
  std::vector<std::string> notes;
  write_file(events_csv, [&](std::ostream& out) {
    out << events_table().header();
    for (const std::string& run : runs) {
      std::ifstream in(traces / (run + ".csv"), std::ios::binary);
      std::string line;
      if (!std::getline(in, line)) continue;
      notes.push_back(run + ": " + line.substr(2));
      std::getline(in, line);  // the header
      if (in.peek() != std::ifstream::traits_type::eof()) out << in.rdbuf();
    }
  });
  return notes;
}

}  // namespace motley

#include "sim/live/run_log.hpp"

#include "sim/live/packet.hpp"

namespace motley {

void put_log(ByteWriter& to, const RunLog& log, std::size_t first_entry, std::size_t first_model) {
  to.put<std::uint64_t>(log.entries.size() - first_entry);
  for (std::size_t i = first_entry; i < log.entries.size(); ++i) {
    const LogEntry& entry = log.entries[i];
    to.put(entry.kind);
    to.put(entry.time_s);
    to.put(entry.begin_s);
    to.put(entry.value);
    to.put(entry.who);
    to.put(entry.count);
    to.put(entry.number);
    to.put(entry.version.has_value());
    to.put(entry.version.value_or(0));
    to.put(entry.text);
    to.put_list(entry.used);
    to.put(entry.model.has_value());
    to.put(entry.model.value_or(0));
  }
  to.put<std::uint64_t>(log.models.size() - first_model);
  for (std::size_t i = first_model; i < log.models.size(); ++i) put_vector(to, log.models[i]);
  to.put(log.data_samples);
  to.put(log.computations);
  to.put(log.overruns);
  to.put(log.overrun_s);
  to.put(log.computed_s);
  to.put(log.large_messages);
  to.put(log.large_by_bytes);
  to.put(log.averaging_s);
  to.put(log.ending);
}

void take_log(ByteReader& from, RunLog& log) {
  const auto entries = from.take<std::uint64_t>();
  for (std::uint64_t i = 0; i < entries; ++i) {
    LogEntry entry;
    entry.kind = from.take<LogEntry::Kind>();
    entry.time_s = from.take<double>();
    entry.begin_s = from.take<double>();
    entry.value = from.take<double>();
    entry.who = from.take<std::uint64_t>();
    entry.count = from.take<std::uint64_t>();
    entry.number = from.take<std::uint64_t>();
    const auto has_version = from.take<bool>();
    const auto version = from.take<std::uint64_t>();
    if (has_version) entry.version = version;
    entry.text = from.take_text();
    entry.used = from.take_list<std::uint32_t>();
    const auto has_model = from.take<bool>();
    const auto model = from.take<std::uint32_t>();
    if (has_model) entry.model = model;
    log.entries.push_back(std::move(entry));
  }
  const auto models = from.take<std::uint64_t>();
  for (std::uint64_t i = 0; i < models; ++i) log.models.push_back(take_vector(from));
  log.data_samples = from.take<std::uint64_t>();
  log.computations = from.take<std::uint64_t>();
  log.overruns = from.take<std::uint64_t>();
  log.overrun_s = from.take<double>();
  log.computed_s = from.take<double>();
  log.large_messages = from.take<std::uint64_t>();
  log.large_by_bytes = from.take<double>();
  log.averaging_s = from.take<double>();
  log.ending = from.take_text();
}

}  // namespace motley

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/vocabulary/model.hpp"

namespace motley {

class Worker;

/// A collective that was started and goes on whatever its member does meanwhile. T: its result.
template <class T>
class Pending {
 public:
  Pending(std::function<T()> wait, std::function<bool()> is_done)
      : wait_(std::move(wait)), is_done_(std::move(is_done)) {}

  /// Waits for its end and returns the result. To be called once.
  T wait() { return std::exchange(wait_, nullptr)(); }
  /// Whether wait() would return at once.
  bool is_done() { return is_done_(); }

 private:
  std::function<T()> wait_;
  std::function<bool()> is_done_;
};

/// The mean of the members' vectors that an all-reduce made, with the numbers that travelled along.
struct Averaged : Parameters {
  NotesOfAll numbers;  ///< in the group's order; null where nobody gave any
};

/// One worker's place in a named group of workers. Every member calls the collectives of a group, in
/// the same order; those of different groups go on side by side. Each can also be started and waited
/// for later. Several of a group may be under way, but one all-reduce at a time.
///
/// Who is not there is left out, unless failures are waited out; in what is by the group's order, its
/// number is 0, and its list or vector empty.
class Group {
 public:
  virtual ~Group() = default;

  /// Of the members, in the group's order.
  const std::vector<std::size_t>& ranks() const { return *ranks_; }
  std::size_t size() const { return ranks_->size(); }

  /// Whether this worker is the first of those whose vectors are in the last mean.
  virtual bool leads() const = 0;

  /// v becomes the mean of all members' v, weighted. Equal bits for everybody, independent of the
  /// order of arrival. `numbers` travel along at no cost: everybody's come back, in the group's order.
  virtual NotesOfAll all_reduce_mean(Parameters& v, double weight = 1,
                                     std::vector<double> numbers = {}) = 0;
  virtual Pending<Averaged> start_all_reduce_mean(const Parameters& v, double weight = 1,
                                                  std::vector<double> numbers = {}) = 0;

  /// Everybody's numbers, in the group's order, by the messages of an all-reduce of so many bytes: numbers
  /// that are too many to travel along.
  virtual NotesOfAll exchange(std::vector<double> numbers, std::uint64_t bytes);

  /// Waits until every member is here, or has started to wait for that.
  virtual void barrier() = 0;
  virtual Pending<void> start_barrier() = 0;

  /// Waits until every member is here, and returns everybody's number in the group's order. They are
  /// assumed to travel along with larger messages: it takes no other time.
  virtual Notes gather(double number) = 0;
  virtual Pending<Notes> start_gather(double number) = 0;

  /// v becomes the root's v (a rank). The root sends one message to each of the others, and goes on
  /// at once. When the root is left out, everybody keeps its own.
  void broadcast(Parameters& v, std::size_t root) { v = start_broadcast(v, root).wait(); }
  virtual Pending<Parameters> start_broadcast(const Parameters& v, std::size_t root);

  /// The root (a rank) gets everybody's v in the group's order. Each of the others sends it one
  /// message, goes on at once, and gets nothing.
  std::vector<Parameters> gather(const Parameters& v, std::size_t root) {
    return start_gather(v, root).wait();
  }
  virtual Pending<std::vector<Parameters>> start_gather(const Parameters& v, std::size_t root);

 protected:
  /// Members in one process may share `ranks`: one list for each of thousands would be millions.
  Group(Worker& me, std::string name, std::shared_ptr<const std::vector<std::size_t>> ranks)
      : me_(me), name_(std::move(name)), ranks_(std::move(ranks)) {}

 private:
  /// Of the messages of the next broadcast or gathering: those of two may overtake each other.
  std::string next_kind();

  Worker& me_;
  std::string name_;
  std::shared_ptr<const std::vector<std::size_t>> ranks_;
  std::uint64_t rooted_ = 0;  // broadcasts and gatherings so far
};

}  // namespace motley

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/vocabulary/model.hpp"

namespace motley {

class Worker;

/// One worker's place in a named group of workers. Collectives are called by every member; those of
/// different groups go on side by side.
class Group {
 public:
  /// A collective under way.
  class Pending {
   public:
    virtual ~Pending() = default;
    /// Waits for its end and returns the result. Once.
    virtual Parameters wait() = 0;
    virtual bool is_done() const = 0;
  };

  virtual ~Group() = default;

  /// Of the members, in the group's order.
  const std::vector<std::size_t>& ranks() const { return *ranks_; }
  std::size_t size() const { return ranks_->size(); }

  /// Whether this worker is the first of those whose vectors are in the last mean.
  virtual bool leads() const = 0;

  // Who is not there is left out of these, unless failures are waited out; in what is by the group's
  // order, its number is 0 and its list empty.

  /// v becomes the mean of all members' v, weighted. Equal bits for everybody, independent of the
  /// order of arrival. `numbers` travel along at no cost: everybody's come back, in the group's order.
  virtual NotesOfAll all_reduce_mean(Parameters& v, double weight = 1,
                                     std::vector<double> numbers = {}) = 0;
  /// The same, but goes on at once; the result comes from wait(). One at a time in a group.
  virtual std::unique_ptr<Pending> start_all_reduce_mean(const Parameters& v,
                                                         double weight = 1) = 0;
  /// Waits until every member is here.
  virtual void barrier() = 0;
  /// Waits until every member is here, and returns everybody's number in the group's order. They are
  /// assumed to travel along with larger messages: it takes no other time.
  virtual Notes gather(double number) = 0;

  /// v becomes the root's v (a rank). The root sends one message to each of the others.
  void broadcast(Parameters& v, std::size_t root);
  /// The root (a rank) gets everybody's v in the group's order, the others nothing: each sends it one
  /// message.
  std::vector<Parameters> gather(const Parameters& v, std::size_t root);

 protected:
  /// Members in one process may share `ranks`: one list for each of thousands would be millions.
  Group(Worker& me, std::string name, std::shared_ptr<const std::vector<std::size_t>> ranks)
      : me_(me), name_(std::move(name)), ranks_(std::move(ranks)) {}

 private:
  Worker& me_;
  std::string name_;
  std::shared_ptr<const std::vector<std::size_t>> ranks_;
};

}  // namespace motley

#pragma once

#include <exception>
#include <functional>
#include <string>

#include <simgrid/s4u.hpp>

#include "sim/base/thread_pool.hpp"
#include "sim/engine/agenda.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/results/recorder.hpp"
#include "sim/vocabulary/message.hpp"

namespace motley {

/// Ends a run, once: by the stop rule, by what a body throws, or because it cannot go on. Its actor is
/// the only one that is no daemon, so the others end when it does. It waits for the end and not for a
/// timer, so that a stuck algorithm is a deadlock and not slow convergence.
class Ending {
 public:
  Ending(Recorder& recorder, Network& network, Agenda& agenda)
      : recorder_(recorder), network_(network), agenda_(agenda) {}

  /// The body of its actor.
  void wait_for_end() { end_->acquire(); }

  bool is_over() const { return over_; }
  double end_time() const { return end_time_; }
  /// Why the run could not go on; empty: it could.
  const std::string& failure() const { return failure_; }
  /// What a body has thrown, if any has.
  void rethrow_error() const {
    if (error_) std::rethrow_exception(error_);
  }

  void end_at(double time);
  /// Now.
  void end() { end_at(agenda_.now()); }
  /// The run cannot go on, since `time`.
  void fail_at(double time, const std::string& reason);
  void fail(const std::string& reason) { fail_at(agenda_.now(), reason); }
  /// The same when SimGrid has found that nothing is left to happen.
  void deadlock_at(double time, const std::string& reason);

  /// Ends the run if the stop rule says so. The calling actor never returns from this when it is over.
  void stop_if_over();

  /// Runs the body of an actor: what it throws ends the run.
  template <class Body>
  void guard(Body body) {
    try {
      flush_denormals();
      body();
    } catch (const std::exception&) {  // SimGrid's own kill is not one and must pass
      if (!error_) error_ = std::current_exception();
      if (!over_) end();
    }
  }
  /// What the handler of messages throws ends the run, too.
  std::function<void(const Message&)> guarded(std::function<void(const Message&)> handler);

 private:
  /// Nothing happens any more.
  void close_at(double time);

  Recorder& recorder_;
  Network& network_;
  Agenda& agenda_;
  simgrid::s4u::SemaphorePtr end_ = simgrid::s4u::Semaphore::create(0);    // released once
  simgrid::s4u::SemaphorePtr never_ = simgrid::s4u::Semaphore::create(0);  // nobody releases it
  bool over_ = false;
  double end_time_ = 0;
  std::exception_ptr error_;
  std::string failure_;
};

}  // namespace motley

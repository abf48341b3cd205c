#include "sim/results/worker_account.hpp"

#include <algorithm>
#include <stdexcept>

namespace motley {

void WorkerAccount::settle(double now) {
  if (now < since_) throw std::logic_error("virtual time went back");
  const double passed = now - since_;
  since_ = now;
  if (down_)
    down_s_ += passed;
  else if (computing_)
    compute_s_ += passed;
  else if (messages_ > 0)
    transfer_s_ += passed;
  else
    wait_s_ += passed;
}

void WorkerAccount::start_computing(double now) {
  settle(now);
  computing_ = true;
  computing_since_ = now;
}

void WorkerAccount::stop_computing(double now) {
  settle(now);
  computing_ = false;
  if (timeline_ != nullptr) timeline_->computed(host_, computing_since_, now);
}

void WorkerAccount::lose_work(double now) {
  if (!computing_) return;
  stop_computing(now);
  const double before = discarded_s_;
  discard(now - computing_since_);
  lost_s_ += discarded_s_ - before;
}

void WorkerAccount::fail(double now) {
  lose_work(now);
  settle(now);
  down_ = true;
  down_since_ = now;
  ++failures_;
}

void WorkerAccount::come_back(double now) {
  settle(now);
  down_ = false;
  if (timeline_ != nullptr) timeline_->was_down(host_, down_since_, now);
}

void WorkerAccount::close(double now) {
  if (down_)
    come_back(now);
  else if (computing_)
    stop_computing(now);
  else
    settle(now);
}

void WorkerAccount::message_departs(double now) {
  settle(now);
  ++messages_;
}

void WorkerAccount::message_arrives(double now) {
  if (messages_ == 0) throw std::logic_error("a message arrived that never departed");
  settle(now);
  --messages_;
}

void WorkerAccount::discard(double seconds) {
  const double moved = std::min(seconds, compute_s_);
  compute_s_ -= moved;
  discarded_s_ += moved;
  if (timeline_ != nullptr) timeline_->discarded(host_, moved);
}

void WorkerAccount::count_gradient(std::uint64_t samples) {
  ++gradients_;
  samples_ += samples;
}

void WorkerAccount::count_staleness(std::uint64_t staleness) {
  ++staleness_count_;
  staleness_sum_ += staleness;
  staleness_max_ = std::max(staleness_max_, staleness);
  if (histogram_ != nullptr) ++(*histogram_)[staleness];
}

}  // namespace motley

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace simgrid::kernel::timer {
class Timer;
}

namespace motley {

/// What happens at given moments of virtual time, outside of any actor. SimGrid's timers do the
/// same, but their queue is slow with thousands in it; here it holds the next one, and those that
/// were the next before something earlier came up.
class Agenda {
 public:
  /// Something that can be on the agenda once at a time. Must live as long as the agenda.
  class Event {
   public:
    virtual ~Event() = default;

    /// Of others than the algorithm: it neither keeps a run alive nor from being found stuck.
    void set_background(bool background) { background_ = background; }

   protected:
    /// In SimGrid's kernel: may fill inboxes and wake actors, not block.
    virtual void happen() = 0;

   private:
    friend class Agenda;
    std::uint64_t entry_ = 0;  // the valid one of its entries; 0: none
    bool background_ = false;
  };

  Agenda();
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  /// SimGrid's clock, kept here because it is read dozens of times per step. Not while SimGrid changes
  /// its resources by profiles: then its clock is ahead for a moment.
  double now() const { return *now_; }
  /// Not before now. What is set for the same moment happens in the order in which it was set.
  void set(double time, Event& event);
  /// Harmless when it is not on the agenda.
  void cancel(Event& event) { event.entry_ = 0; }
  /// Whether all that will happen is background.
  bool has_only_background() const;
  /// When something last happened that is not background; before the first, less than any time.
  double last_foreground() const { return last_foreground_; }
  /// Nothing happens any more.
  void close();

 private:
  struct Entry {
    double time;
    std::uint64_t number;
    Event* event;
    bool operator>(const Entry& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  /// Not cancelled, nor set anew since.
  static bool is_valid(const Entry& entry) { return entry.event->entry_ == entry.number; }
  void drop_first();
  void arm();
  void run_due();

  std::shared_ptr<double> now_;  // SimGrid, which outlives the agenda, keeps what sets it
  std::vector<Entry> entries_;   // a heap, the next on top
  std::uint64_t last_number_ = 0;
  struct Armed {
    double time;
    simgrid::kernel::timer::Timer* timer;
  };
  std::vector<Armed> armed_;  // the next last
  double last_foreground_ = -std::numeric_limits<double>::infinity();
  bool running_ = false;
  bool closed_ = false;
};

}  // namespace motley

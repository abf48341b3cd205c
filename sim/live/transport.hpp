#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace motley {

/// What is on its way. The memory of one that has arrived or gone is used again for the next of its size:
/// fresh pages for every message of ten megabytes would cost more than the message.
using Buffer = std::vector<std::byte>;

/// Messages between the ranks of a live run. One thread calls it; nothing moves unless it is called.
class Transport {
 public:
  /// One that has arrived as a whole.
  struct Arrived {
    std::size_t from = 0;
    Buffer bytes;
  };

  virtual ~Transport() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  /// A buffer of so many bytes, of any value.
  virtual Buffer buffer(std::size_t size) = 0;
  /// Gives one back.
  virtual void give_back(Buffer buffer) = 0;
  /// Sends it and goes on at once; what MPI was not handed yet moves on by poll(). Of two messages to one rank the
  /// second is announced after the first, but may be there before it. `gone` is called by the poll() that finds that
  /// MPI needs its bytes no more: they are on the wire, or in the system's buffers.
  virtual void send(std::size_t to, Buffer bytes, std::function<void()> gone = {}) = 0;
  /// Moves everything on, and returns a message that has arrived.
  virtual std::optional<Arrived> poll() = 0;
  /// Whether any message to or from here is under way, as far as is known.
  virtual bool is_busy() const = 0;
  /// Whether all that was sent has left.
  virtual bool has_sent_all() const = 0;
  /// How many messages, or pieces of long ones, have come from it.
  virtual std::uint64_t pieces_from(std::size_t rank) const = 0;
  /// By which ranks of one machine are told from those of another. Called by all ranks together, as is
  /// exchange().
  virtual std::vector<std::string> machines() = 0;
  /// Everybody's text, by rank. As end(), it throws when it has waited for another rank for five minutes.
  virtual std::vector<std::string> exchange(const std::string& mine) = 0;
  /// Waits for the others and ends MPI; the last call. A job whose ranks end without it takes that for a failure.
  virtual void end() = 0;
};

/// What MPI says it is, such as "Open MPI v4.1.4"; empty when the program was built without it.
std::string mpi_version();

/// Whether mpirun or srun has started this process as one of several.
bool is_started_by_mpi();
/// As which of them, as far as can be told before MPI is.
std::size_t rank_by_environment();

/// The ranks that mpirun or srun has started; one when nobody has. Once per process. InputError when the
/// program was built without MPI.
std::unique_ptr<Transport> mpi_transport();

}  // namespace motley

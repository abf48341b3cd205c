// The only file that knows MPI.

#include <cstdlib>

#include "sim/base/place.hpp"
#include "sim/live/transport.hpp"

namespace motley {

namespace {

/// Of Open MPI's mpirun, of srun with PMIx, and of srun with PMI.
const char* given_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) return rank;
  }
  return nullptr;
}

}  // namespace

bool is_started_by_mpi() {
  return given_rank() != nullptr;
}

std::size_t rank_by_environment() {
  const char* rank = given_rank();
  return rank != nullptr ? std::strtoul(rank, nullptr, 10) : 0;
}

}  // namespace motley

#ifdef MOTLEY_HAVE_MPI

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <fstream>
#include <list>
#include <map>
#include <mpi.h>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace motley {
namespace {

// A message of one piece; or how many bytes the next message of several pieces has, then those pieces.
constexpr int whole_tag = 1;
constexpr int size_tag = 2;
constexpr int piece_tag = 3;
/// Less than Open MPI sends by TCP without asking the receiver first (64 kB with its header). The receiver's
/// consent would wait behind whatever it is sending itself: messages that cross would go one after the other.
constexpr std::size_t longest_piece = std::size_t{60} * 1024;
/// By TCP MPI copies what it cannot send yet. So it is handed no more of a message than lasts until the next look.
constexpr std::size_t most_pieces = 64;

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw std::runtime_error(std::string(what) + ": " +
                           std::string(text.data(), static_cast<std::size_t>(length)));
}

/// The same for all processes of a running machine, in whichever container or network namespace.
std::string this_machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  if (std::getline(file, id)) return id;
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    // SimGrid brings an MPI of its own for simulated programs, under the same names.
    if (mpi_version().find("SMPI") != std::string::npos) {
      throw std::logic_error("the program is linked with SimGrid's MPI before the real one");
    }
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_FUNNELED) {
      throw std::runtime_error("this MPI cannot be used by a program with threads");
    }
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    int number = 0;
    MPI_Comm_rank(world_, &number);
    rank_ = static_cast<std::size_t>(number);
    MPI_Comm_size(world_, &number);
    size_ = static_cast<std::size_t>(number);
    pieces_from_.resize(size_, 0);
  }

  void end() override {
    constexpr double patience_s = 2;
    for (const double begin = MPI_Wtime(); is_busy() && MPI_Wtime() < begin + patience_s;) poll();
    if (is_busy()) throw std::runtime_error("a message has not arrived at the end of the job");
    MPI_Request all_here = MPI_REQUEST_NULL;
    check(MPI_Ibarrier(world_, &all_here), "MPI_Ibarrier");
    wait_until_all_are_here(all_here);
    MPI_Finalize();
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  Buffer buffer(std::size_t size) override {
    std::vector<Buffer>& kept = spare_[capacity_for(size)];
    if (kept.empty()) {
      Buffer fresh;
      fresh.reserve(capacity_for(size));
      fresh.resize(size);
      return fresh;
    }
    Buffer buffer = std::move(kept.back());
    kept.pop_back();
    buffer.resize(size);
    return buffer;
  }
  void give_back(Buffer buffer) override {
    constexpr std::size_t most_kept = 32;
    std::vector<Buffer>& kept = spare_[buffer.capacity()];
    if (kept.size() < most_kept) kept.push_back(std::move(buffer));
  }

  void send(std::size_t to, Buffer bytes, std::function<void()> gone) override {
    const bool must_wait = std::ranges::any_of(outgoing_, [&](const Outgoing& message) {
      return message.to == to && !message.is_handed_to_mpi();
    });
    Outgoing& message = outgoing_.emplace_back();
    message.to = to;
    message.bytes = std::move(bytes);
    message.gone = std::move(gone);
    message.size = message.bytes.size();
    if (!must_wait) hand_to_mpi(message);
  }

  std::optional<Arrived> poll() override {
    std::vector<std::function<void()>> gone;  // they may send again
    std::erase_if(outgoing_, [&](Outgoing& message) {
      if (!are_done(message.pieces, "MPI_Isend") || !message.is_handed_to_mpi()) return false;
      give_back(std::move(message.bytes));
      if (message.gone) gone.push_back(std::move(message.gone));
      return true;
    });
    for (const std::function<void()>& tell : gone) tell();
    hand_to_mpi();
    begin_to_receive();
    for (auto message = incoming_.begin(); message != incoming_.end(); ++message) {
      const std::size_t pieces = message->pieces.size();
      const bool is_here = are_done(message->pieces, "MPI_Irecv");
      pieces_from_[message->from] += pieces - message->pieces.size();
      if (!is_here) continue;
      Arrived arrived{message->from, std::move(message->bytes)};
      incoming_.erase(message);
      return arrived;
    }
    return std::nullopt;
  }

  bool is_busy() const override { return !outgoing_.empty() || !incoming_.empty(); }
  bool has_sent_all() const override { return outgoing_.empty(); }

  std::uint64_t pieces_from(std::size_t rank) const override { return pieces_from_[rank]; }

  std::vector<std::string> machines() override { return exchange(this_machine()); }

  std::vector<std::string> exchange(const std::string& mine) override {
    int length = static_cast<int>(mine.size());
    std::vector<int> lengths(size_);
    MPI_Request all_here = MPI_REQUEST_NULL;
    check(MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, world_, &all_here),
          "MPI_Iallgather");
    wait_until_all_are_here(all_here);
    std::vector<int> begins(size_, 0);
    std::partial_sum(lengths.begin(), lengths.end() - 1, begins.begin() + 1);
    std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), ' ');
    check(MPI_Iallgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(),
                          MPI_CHAR, world_, &all_here),
          "MPI_Iallgatherv");
    wait_until_all_are_here(all_here);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < size_; ++i) {
      texts.push_back(
          all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
    }
    return texts;
  }

 private:
  using Pieces = std::deque<MPI_Request>;  // under way, in their order
  struct Outgoing {
    std::size_t to = 0;
    Buffer bytes;
    std::function<void()> gone;
    std::uint64_t size = 0;  // of its bytes, where MPI can read it
    bool is_announced = false;
    std::size_t handed = 0;  // bytes that MPI has
    Pieces pieces;

    bool is_handed_to_mpi() const { return is_announced && handed == size; }
  };
  struct Incoming {
    std::size_t from = 0;
    Buffer bytes;
    Pieces pieces;
  };

  /// In naps, and not for ever: a rank may have stopped. Or it makes its data, which takes some longer than others.
  static void wait_until_all_are_here(MPI_Request& all_here) {
    constexpr double patience_s = 300;
    constexpr auto nap = std::chrono::milliseconds(1);
    const double until = MPI_Wtime() + patience_s;
    for (int done = 0;;) {
      check(MPI_Test(&all_here, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done != 0) return;
      if (MPI_Wtime() > until) {
        throw std::runtime_error(
            "a rank has stopped, or takes too long to begin or to end: this one has waited for 300 "
            "s");
      }
      std::this_thread::sleep_for(nap);
    }
  }

  static std::size_t capacity_for(std::size_t size) {
    constexpr std::size_t step = 4096;
    return (size + step - 1) / step * step;
  }

  /// As much of every message as may be under way. Of two to one rank the second begins when MPI has all of the
  /// first: pieces belong to the message whose size came last.
  void hand_to_mpi() {
    if (outgoing_.empty()) return;
    must_wait_.assign(size_, false);
    for (Outgoing& message : outgoing_) {
      if (must_wait_[message.to]) continue;
      hand_to_mpi(message);
      must_wait_[message.to] = !message.is_handed_to_mpi();
    }
  }

  void hand_to_mpi(Outgoing& message) {
    const auto send_part = [&](const void* begin, std::size_t length, int tag) {
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Isend(begin, static_cast<int>(length), MPI_BYTE, static_cast<int>(message.to), tag,
                      world_, &request),
            "MPI_Isend");
      message.pieces.push_back(request);
    };
    if (!message.is_announced && message.size <= longest_piece) {
      send_part(message.bytes.data(), message.size, whole_tag);
      message.handed = message.size;
      message.is_announced = true;
    } else if (!message.is_announced) {
      send_part(&message.size, sizeof(message.size), size_tag);
      message.is_announced = true;
    }
    while (message.handed < message.size && message.pieces.size() < most_pieces) {
      const std::size_t length = std::min(longest_piece, message.size - message.handed);
      send_part(message.bytes.data() + message.handed, length, piece_tag);
      message.handed += length;
    }
  }

  /// Each look moves MPI on, so that as many are done as have come or can leave.
  static bool are_done(Pieces& pieces, const char* what) {
    while (!pieces.empty()) {
      int done = 0;
      check(MPI_Test(&pieces.front(), &done, MPI_STATUS_IGNORE), what);
      if (done == 0) return false;
      pieces.pop_front();
    }
    return true;
  }

  /// Begins to receive what others have announced. Pieces come in the order in which they were sent, and those of a
  /// rank belong to the message whose size came last from it.
  void begin_to_receive() {
    for (;;) {
      int there = 0;
      MPI_Message announced = MPI_MESSAGE_NULL;
      MPI_Status status;
      check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &there, &announced, &status),
            "MPI_Improbe");
      if (there == 0) return;
      const auto from = static_cast<std::size_t>(status.MPI_SOURCE);
      if (status.MPI_TAG == whole_tag) {
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        Incoming& message = begin_message(from, static_cast<std::size_t>(size));
        message.pieces.push_back(MPI_REQUEST_NULL);
        check(MPI_Imrecv(message.bytes.data(), size, MPI_BYTE, &announced, &message.pieces.back()),
              "MPI_Imrecv");
      } else if (status.MPI_TAG == size_tag) {
        std::uint64_t size = 0;
        check(MPI_Mrecv(&size, sizeof(size), MPI_BYTE, &announced, MPI_STATUS_IGNORE), "MPI_Mrecv");
        Incoming& message = begin_message(from, size);
        for (std::size_t begin = 0; begin < size; begin += longest_piece) {
          const auto length = static_cast<int>(std::min(longest_piece, size - begin));
          message.pieces.push_back(MPI_REQUEST_NULL);
          check(MPI_Irecv(message.bytes.data() + begin, length, MPI_BYTE, status.MPI_SOURCE,
                          piece_tag, world_, &message.pieces.back()),
                "MPI_Irecv");
        }
      } else {
        throw std::logic_error("a piece of a message that nobody has announced");
      }
    }
  }

  Incoming& begin_message(std::size_t from, std::size_t size) {
    Buffer bytes = buffer(size);
    incoming_.push_back({from, std::move(bytes), {}});
    return incoming_.back();
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  // Lists, since MPI knows where their bytes are: others may come and go, these stay.
  std::list<Outgoing> outgoing_;
  std::list<Incoming> incoming_;
  std::vector<bool> must_wait_;                       // by rank; of hand_to_mpi()
  std::vector<std::uint64_t> pieces_from_;            // by rank
  std::map<std::size_t, std::vector<Buffer>> spare_;  // by capacity
};

}  // namespace

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

std::unique_ptr<Transport> mpi_transport() {
  return std::make_unique<MpiTransport>();
}

}  // namespace motley

#else

namespace motley {

std::string mpi_version() {
  return "";
}

std::unique_ptr<Transport> mpi_transport() {
  throw InputError(
      "this program was built without MPI: install libopenmpi-dev and openmpi-bin (or what they "
      "are called "
      "here) and build again; ./motley live does both");
}

}  // namespace motley

#endif

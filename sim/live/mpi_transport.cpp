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
#include <fstream>
#include <limits>
#include <map>
#include <mpi.h>
#include <numeric>
#include <stdexcept>
#include <unistd.h>

namespace motley {
namespace {

constexpr int tag = 18;

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

/// So many bytes, as MPI is told of them. It counts in int, so that more than 2 GB are one piece of a type that
/// is made for them: whole blocks, and what is left.
class ByteType {
 public:
  explicit ByteType(std::size_t size) : count_(static_cast<int>(size)) {
    if (size <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return;
    constexpr std::size_t block = std::size_t{1} << 20U;
    count_ = 1;
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    check(MPI_Type_vector(static_cast<int>(size / block), block, block, MPI_BYTE, &blocks),
          "MPI_Type_vector");
    const std::array<int, 2> lengths = {1, static_cast<int>(size % block)};
    const std::array<MPI_Aint, 2> begins = {0, static_cast<MPI_Aint>(size / block * block)};
    const std::array<MPI_Datatype, 2> types = {blocks, MPI_BYTE};
    check(MPI_Type_create_struct(2, lengths.data(), begins.data(), types.data(), &made_),
          "MPI_Type_create_struct");
    MPI_Type_free(&blocks);
    check(MPI_Type_commit(&made_), "MPI_Type_commit");
  }
  /// MPI keeps it for as long as a message of it is under way.
  ~ByteType() {
    if (made_ != MPI_DATATYPE_NULL) MPI_Type_free(&made_);
  }
  ByteType(const ByteType&) = delete;
  ByteType& operator=(const ByteType&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return made_ != MPI_DATATYPE_NULL ? made_ : MPI_BYTE; }

 private:
  int count_;
  MPI_Datatype made_ = MPI_DATATYPE_NULL;
};

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
  }

  ~MpiTransport() override {
    // With somebody gone this would wait for ever; then the process ends without it.
    try {
      constexpr double patience_s = 2;
      for (const double begin = MPI_Wtime(); is_busy() && MPI_Wtime() < begin + patience_s;) poll();
    } catch (const std::exception&) {
      return;
    }
    if (!is_busy()) MPI_Finalize();
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
    outgoing_.emplace_back();
    Outgoing& message = outgoing_.back();
    message.bytes = std::move(bytes);
    message.gone = std::move(gone);
    const ByteType type(message.bytes.size());
    check(MPI_Isend(message.bytes.data(), type.count(), type.type(), static_cast<int>(to), tag,
                    world_, &message.request),
          "MPI_Isend");
  }

  std::optional<Arrived> poll() override {
    std::vector<std::function<void()>> gone;  // they may send again
    std::erase_if(outgoing_, [&](Outgoing& message) {
      if (!is_done(message.request, "MPI_Isend")) return false;
      give_back(std::move(message.bytes));
      if (message.gone) gone.push_back(std::move(message.gone));
      return true;
    });
    for (const std::function<void()>& tell : gone) tell();
    announce();
    for (auto message = incoming_.begin(); message != incoming_.end(); ++message) {
      if (!is_done(message->request, "MPI_Imrecv")) continue;
      Arrived arrived{message->from, std::move(message->bytes)};
      incoming_.erase(message);
      return arrived;
    }
    return std::nullopt;
  }

  bool is_busy() const override { return !outgoing_.empty() || !incoming_.empty(); }
  bool has_sent_all() const override { return outgoing_.empty(); }
  bool is_receiving() const override { return !incoming_.empty(); }

  std::vector<std::string> machines() override { return exchange(this_machine()); }

  std::vector<std::string> exchange(const std::string& mine) override {
    int length = static_cast<int>(mine.size());
    std::vector<int> lengths(size_);
    check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, world_), "MPI_Allgather");
    std::vector<int> begins(size_, 0);
    std::partial_sum(lengths.begin(), lengths.end() - 1, begins.begin() + 1);
    std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), ' ');
    check(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(),
                         MPI_CHAR, world_),
          "MPI_Allgatherv");
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < size_; ++i) {
      texts.push_back(
          all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
    }
    return texts;
  }

 private:
  struct Outgoing {
    Buffer bytes;
    std::function<void()> gone;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Incoming {
    std::size_t from = 0;
    Buffer bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static std::size_t capacity_for(std::size_t size) {
    constexpr std::size_t step = 4096;
    return (size + step - 1) / step * step;
  }

  static bool is_done(MPI_Request& request, const char* what) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    return done != 0;
  }

  /// Begins to receive what others have announced.
  void announce() {
    for (;;) {
      int there = 0;
      MPI_Message announced = MPI_MESSAGE_NULL;
      MPI_Status status;
      check(MPI_Improbe(MPI_ANY_SOURCE, tag, world_, &there, &announced, &status), "MPI_Improbe");
      if (there == 0) return;
      MPI_Count size = 0;
      MPI_Get_elements_x(&status, MPI_BYTE, &size);
      incoming_.emplace_back();
      Incoming& message = incoming_.back();
      message.from = static_cast<std::size_t>(status.MPI_SOURCE);
      message.bytes = buffer(static_cast<std::size_t>(size));
      const ByteType type(message.bytes.size());
      check(
          MPI_Imrecv(message.bytes.data(), type.count(), type.type(), &announced, &message.request),
          "MPI_Imrecv");
    }
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
  // Moving an element leaves its bytes where they are.
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
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

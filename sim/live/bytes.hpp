#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace motley {

/// Puts numbers, texts and lists into bytes, one after another, as this machine has them: all ranks of
/// a run are of one kind of machine.
class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof(T));
  }
  template <class T>
  void put_list(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put<std::uint64_t>(values.size());
    const auto* begin = reinterpret_cast<const std::byte*>(values.data());
    bytes_.insert(bytes_.end(), begin, begin + values.size_bytes());
  }
  template <class T>
  void put_list(const std::vector<T>& values) {
    put_list(std::span<const T>(values));
  }
  void put(const std::string& text) { put_list(std::span<const char>(text)); }

  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes them out again in the same order. std::runtime_error when there are too few.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, next(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> take_list() {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto count = take<std::uint64_t>();
    if (count > bytes_.size() / sizeof(T)) fail();
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), next(count * sizeof(T)), count * sizeof(T));
    return values;
  }
  std::string take_text() {
    const std::vector<char> letters = take_list<char>();
    return {letters.begin(), letters.end()};
  }
  /// So many bytes, where they are.
  const std::byte* next(std::size_t count) {
    if (count > bytes_.size()) fail();
    const std::byte* begin = bytes_.data();
    bytes_ = bytes_.subspan(count);
    return begin;
  }

 private:
  [[noreturn]] static void fail() {
    throw std::runtime_error("a message of another rank is cut short: is it the same program?");
  }

  std::span<const std::byte> bytes_;
};

}  // namespace motley

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace motley {

struct FieldInfo;

/// The keys of an object. Those that a type describes are made when somebody asks for them: a run reads
/// few of the hundreds there are, and none of their documentation.
class FieldList {
 public:
  using Make = const std::vector<FieldInfo>& (*)();

  FieldList() = default;
  /// Of a type; what it returns must stay.
  explicit FieldList(Make make) : make_(make) {}
  FieldList(std::vector<FieldInfo> fields);

  const std::vector<FieldInfo>& all() const;
  operator const std::vector<FieldInfo>&() const { return all(); }
  bool empty() const;
  const FieldInfo& front() const;
  std::vector<FieldInfo>::const_iterator begin() const;
  std::vector<FieldInfo>::const_iterator end() const;

 private:
  friend bool are_same_list(const FieldList& a, const FieldList& b);

  Make make_ = nullptr;
  std::shared_ptr<const std::vector<FieldInfo>> own_;  // immutable, so copies may share it
};

/// Whether both are the very same, without making them; false says nothing.
bool are_same_list(const FieldList& a, const FieldList& b);

}  // namespace motley

#include "sim/scenario/field_list.hpp"

#include "sim/scenario/fields.hpp"

namespace motley {

FieldList::FieldList(std::vector<FieldInfo> fields)
    : own_(std::make_shared<const std::vector<FieldInfo>>(std::move(fields))) {}

const std::vector<FieldInfo>& FieldList::all() const {
  static const std::vector<FieldInfo> none;
  if (make_ != nullptr) return make_();
  return own_ ? *own_ : none;
}

bool FieldList::empty() const {
  return all().empty();
}

const FieldInfo& FieldList::front() const {
  return all().front();
}

std::vector<FieldInfo>::const_iterator FieldList::begin() const {
  return all().begin();
}

std::vector<FieldInfo>::const_iterator FieldList::end() const {
  return all().end();
}

bool are_same_list(const FieldList& a, const FieldList& b) {
  return a.make_ == b.make_ && a.own_ == b.own_;
}

}  // namespace motley

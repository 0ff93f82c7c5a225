// SPDX-License-Identifier: Apache-2.0
#include "bench/cycle_model/operations.h"

namespace isopatch::cycle_model {

namespace {

Operations all_operations() {
  Operations all = float_operations();
  all.merge(integer_operations());
  all.merge(memory_operations());
  all.merge(control_operations());
  return all;
}

}  // namespace

Operation find_operation(const Instruction& i) {
  static const Operations all = all_operations();
  auto found = all.find(i.name);
  if (found == all.end() && i.name[0] == 'U') found = all.find(i.name.substr(1));
  return found == all.end() ? Operation() : found->second(i);
}

Comparison comparison(const std::string& name) {
  static const std::map<std::string, int> known = {
      {"LT", Comparison::kLess},
      {"EQ", Comparison::kEqual},
      {"GT", Comparison::kGreater},
      {"LE", Comparison::kLess | Comparison::kEqual},
      {"NUM", 7},
      {"GE", Comparison::kGreater | Comparison::kEqual},
      {"NAN", Comparison::kUnordered},
      {"NE", Comparison::kLess | Comparison::kGreater},
  };
  if (const auto found = known.find(name); found != known.end()) return {found->second};
  if (name.empty() || name.back() != 'U') return {};
  const auto found = known.find(name.substr(0, name.size() - 1));  // "GEU": or not ordered
  return found == known.end() ? Comparison() : Comparison{found->second | Comparison::kUnordered};
}

Join join_of(const Instruction& i) { return i.has("OR") ? Join::kOr : i.has("XOR") ? Join::kXor : Join::kAnd; }

u32 joined(Join join, u32 a, u32 b) {
  switch (join) {
    case Join::kAnd:
      return a & b;
    case Join::kOr:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace isopatch::cycle_model

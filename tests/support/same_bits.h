// SPDX-License-Identifier: Apache-2.0
//
// Whether results have the same bytes in every output, the parts of polygons and contacts too.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/compare_bits.h"

namespace isopatch::test {

/// The records of an environment as bytes, in ascending order.
template <class Record>
std::vector<std::string> sorted_records(const Record* first, std::int32_t count) {
  std::vector<std::string> records;
  for (std::int32_t i = 0; i < count; ++i) {
    records.emplace_back(reinterpret_cast<const char*>(first + i), sizeof(Record));
  }
  std::sort(records.begin(), records.end());
  return records;
}

/// Whether environment x of `a` is environment y of `b`.
inline bool same_environment(const UnwrittenResults& a, std::size_t x, const UnwrittenResults& b, std::size_t y) {
  bool same = true;
  for_each_output(
      [&](const ArrayInfo& info, const auto& of_a, const auto& of_b) {
        using Element = typename std::remove_cvref_t<decltype(of_a)>::value_type;
        if (info.is_packed()) return;
        if (of_a.empty() || of_b.empty()) {
          same = same && of_a.empty() == of_b.empty();
        } else if constexpr (std::is_arithmetic_v<Element>) {
          const std::size_t row = of_a.size() / static_cast<std::size_t>(a.num_environments);
          same = same && std::memcmp(&of_a[x * row], &of_b[y * row], row * sizeof(Element)) == 0;
        } else {
          const auto records = [&](const UnwrittenResults& r, const auto& values, std::size_t e) {
            const RecordRows rows = record_rows(info, r, e);
            return sorted_records(values.data() + e * static_cast<std::size_t>(rows.capacity), rows.count);
          };
          same = same && records(a, of_a, x) == records(b, of_b, y);
        }
      },
      a, b);
  return same;
}

/// What differs first; empty where nothing does. Both have the same environments and outputs.
inline std::string first_difference(const UnwrittenResults& a, const UnwrittenResults& b) {
  for (std::size_t e = 0; e < static_cast<std::size_t>(a.num_environments); ++e) {
    if (same_environment(a, e, b, e)) continue;
    std::string text = "environment " + std::to_string(e) + ":";
    for (const std::string& line : first_differences(a, b, e)) text += "\n  " + line;
    return text;
  }
  return {};
}

}  // namespace isopatch::test

// SPDX-License-Identifier: Apache-2.0
//
// Which values of two sides have not the same bytes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "isopatch/isopatch.h"

namespace isopatch::cycle_model {

/// Gives an array values that no result has, so that one which is never written is found.
template <class T>
void spoil(std::vector<T>& values) {
  constexpr int kByte = 0xa5;
  if (!values.empty()) std::memset(static_cast<void*>(values.data()), kByte, values.size() * sizeof(T));
}

struct Differences {
  std::size_t compared = 0, different = 0;
  std::string first;  // of those that differ

  template <class T>
  void add(const char* name, const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) throw Error(fmt::format("{} has {} and {} values", name, a.size(), b.size()));
    compared += a.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
      const void *one = &a[i], *other = &b[i];
      if (std::memcmp(one, other, sizeof(T)) == 0) continue;
      if (different++ == 0) first = fmt::format("{}[{}]{}", name, i, text(a[i], b[i]));
    }
  }

  /// The same for rows of records that come in any order: those of each environment are sorted before.
  template <class T>
  void add_rows(const char* name, std::vector<T> a, std::vector<T> b, std::int64_t environments) {
    const auto sort = [&](std::vector<T>& rows) {
      const auto count = static_cast<std::ptrdiff_t>(rows.size()) / environments;
      const auto less = [](const T& x, const T& y) {
        const void *one = &x, *other = &y;
        return std::memcmp(one, other, sizeof(T)) < 0;
      };
      for (auto begin = rows.begin(); begin != rows.end(); begin += count) std::sort(begin, begin + count, less);
    };
    sort(a);
    sort(b);
    add(name, a, b);
  }

 private:
  template <class T>
  static std::string text(const T& a, const T& b) {
    if constexpr (std::is_arithmetic_v<T>) {
      return fmt::format(": {} and {}", a, b);
    } else {
      return {};
    }
  }
};

}  // namespace isopatch::cycle_model

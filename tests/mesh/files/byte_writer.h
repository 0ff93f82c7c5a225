// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text and as bytes, for files that the tests write themselves.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

namespace isopatch::testing {

/// With 17 significant digits, which give back every bit.
inline std::string exact(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

template <typename T>
std::string bytes_of(T value, std::endian order = std::endian::little) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (order != std::endian::native) std::reverse(raw, raw + sizeof(T));
  return std::string(raw, sizeof(T));
}

}  // namespace isopatch::testing

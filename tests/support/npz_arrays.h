// SPDX-License-Identifier: Apache-2.0
//
// Whole arrays of NumPy's files in memory.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "host/numpy/npz.h"

namespace isopatch::detail {

inline NpyArray read_whole(const LazyArray& lazy) {
  NpyArray array{lazy.header().type, lazy.header().shape, ""};
  lazy.read([&array](std::string_view piece) { array.bytes += piece; });
  return array;
}

/// The array of a .npy file.
inline NpyArray parse_npy(const std::string& bytes, const std::string& source) {
  return read_whole(LazyArray(std::make_shared<const std::string>(bytes), source));
}

/// All arrays of an archive.
inline std::map<std::string, NpyArray> parse_npz(const std::string& bytes, const std::string& source) {
  std::map<std::string, NpyArray> arrays;
  for (const auto& [name, lazy] : open_npz(std::make_shared<const std::string>(bytes), source)) {
    arrays[name] = read_whole(lazy);
  }
  return arrays;
}

}  // namespace isopatch::detail

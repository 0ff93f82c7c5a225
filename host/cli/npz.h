// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy arrays and .npz archives: what numpy.save, savez and savez_compressed write of plain little-endian
// arrays.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isopatch::cli {

enum class DType : std::uint8_t { kFloat32, kFloat64, kInt32, kInt64, kUint8, kUint32 };

/// An array in C order.
struct NpyArray {
  DType type = DType::kFloat64;
  std::vector<std::int64_t> shape;
  std::string bytes;  // little-endian, as long as shape and type say

  std::int64_t size() const;  // elements
};

std::string dtype_name(DType type);                              // "float32"
std::string shape_text(const std::vector<std::int64_t>& shape);  // "(4, 2, 7)"

/// Reads one .npy file from memory; numpy's bool is read as uint8. Throws Error naming `source` for anything else than
/// the types above in C order, and for a length that does not fit the shape.
NpyArray parse_npy(const std::string& bytes, const std::string& source);

/// Reads every array of an .npz archive from memory, stored or deflated, by its name without ".npy".
/// Throws Error naming `source` for a damaged, encrypted, split or 64-bit archive, and a wrong checksum.
std::map<std::string, NpyArray> parse_npz(const std::string& bytes, const std::string& source);

/// Reads a file of either kind, told apart by its first bytes; the array of an .npy file is called `npy_name`.
std::map<std::string, NpyArray> read_arrays(const std::string& path, const std::string& npy_name);

std::string npy_bytes(const NpyArray& array);

/// An archive of stored arrays, at most 4 GiB.
std::string npz_bytes(const std::map<std::string, NpyArray>& arrays);

}  // namespace isopatch::cli

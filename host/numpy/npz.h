// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy arrays and .npz archives, as numpy.save, savez and savez_compressed write them for plain little-endian
// arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "isopatch/results/records.h"

namespace isopatch::detail {

/// kRecord: structs of elements of 4 bytes, NumPy's structured arrays.
enum class DType : std::uint8_t { kFloat32, kFloat64, kInt32, kInt64, kUint8, kUint32, kRecord };

/// The type of results.
template <class T>
inline constexpr DType kDType = std::is_same_v<T, double>         ? DType::kFloat64
                                : std::is_same_v<T, std::int32_t> ? DType::kInt32
                                : std::is_same_v<T, std::int64_t> ? DType::kInt64
                                                                  : DType::kUint32;

/// What an array is, before its data is read.
struct NpyHeader {
  DType type = DType::kFloat64;
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;  // of the data, after the header
  std::size_t bytes = 0;  // of the data
};

/// An array in C order.
struct NpyArray {
  DType type = DType::kFloat64;
  std::vector<std::int64_t> shape;
  std::string bytes;        // little-endian, as long as shape and type say
  std::string record = {};  // kRecord: its members, as record_text() has them; not kept by what reads a file
};

std::string dtype_name(DType type);                              // "float32"
std::string shape_text(const std::vector<std::int64_t>& shape);  // "(4, 2, 7)"

/// An array of these values, as many as the shape says.
template <class T>
NpyArray npy_array(DType type, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  return {type, std::move(shape), {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}};
}

/// The members of a record as NumPy names them: "[('pair', '<i4'), ('point', '<f4', (3,))]".
std::string record_text(std::span<const RecordField> fields);

/// An array of these records, which have no gaps between their members.
template <class Record>
NpyArray npy_records(std::span<const RecordField> fields, std::vector<std::int64_t> shape,
                     const std::vector<Record>& values) {
  NpyArray array = npy_array(DType::kRecord, std::move(shape), values);
  array.record = record_text(fields);
  return array;
}

/// An .npy file. Throws Error for records without the text of their members.
std::string npy_bytes(const NpyArray& array);

/// The header at the beginning of an .npy file of `total` bytes; `bytes` has the first 64 KiB of it, or all. numpy's
/// bool is read as uint8, and a structured type of int32 and float32 as kRecord. Throws Error naming `source` for
/// anything but the types above in C order, and for a length that does not fit the shape.
NpyHeader parse_npy_header(std::string_view bytes, std::size_t total, const std::string& source);

/// An array in a file, of which only the header has been read.
class LazyArray {
 public:
  enum class Compression : std::uint8_t { kNone, kStored, kDeflated };
  struct Entry {
    Compression compression = Compression::kNone;
    std::string_view data;       // in `file`, perhaps compressed
    std::size_t bytes = 0;       // inflated, with the header
    std::uint32_t checksum = 0;  // of those; unused for kNone
  };

  /// `source` names the array in errors. Throws Error as parse_npy_header().
  LazyArray(std::shared_ptr<const std::string> file, Entry entry, std::string source);
  /// An array in memory.
  LazyArray(const NpyArray& array, std::string source)
      : LazyArray(std::make_shared<const std::string>(npy_bytes(array)), std::move(source)) {}
  /// A whole .npy file.
  LazyArray(const std::shared_ptr<const std::string>& file, std::string source)
      : LazyArray(file, {Compression::kNone, *file, file->size(), 0}, std::move(source)) {}

  const NpyHeader& header() const { return header_; }

  /// Calls `visit` with the data in order, in pieces of at most 64 KiB if it is deflated, each of whole elements.
  /// Throws Error, perhaps after some calls, if the data does not match its size and checksum.
  void read(const std::function<void(std::string_view)>& visit) const;

 private:
  [[noreturn]] void fail(const std::string& problem) const;
  void read_deflated(const std::function<void(std::string_view)>& visit) const;
  std::string beginning() const;

  std::shared_ptr<const std::string> file_;
  Entry entry_;
  std::string source_;
  NpyHeader header_;
};

/// The arrays of an .npz archive, stored or deflated, by their names without ".npy". Nothing is inflated but headers.
/// Throws Error naming `source` for a damaged, encrypted, split or 64-bit archive, and if the arrays take more than
/// 256 MiB and 16 times the archive.
std::map<std::string, LazyArray> open_npz(const std::shared_ptr<const std::string>& bytes, const std::string& source);

/// Opens an .npz or .npy file, distinguished by its first bytes; the array of an .npy file is called `npy_name`.
std::map<std::string, LazyArray> open_arrays(const std::string& path, const std::string& npy_name);

/// What the arrays of an archive may take together, bytes; its directory is beyond this.
inline constexpr std::uint64_t kMaxArchiveBytes = 0xffffffff - (1 << 16);

/// An archive of stored arrays. Throws Error if they take more than kMaxArchiveBytes.
std::string npz_bytes(const std::map<std::string, NpyArray>& arrays);

}  // namespace isopatch::detail

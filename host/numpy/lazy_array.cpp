// SPDX-License-Identifier: Apache-2.0
//
// The LazyArray of npz.h.
#include <zlib.h>

#include <algorithm>

#include "host/numpy/npz.h"
#include "isopatch/error.h"

namespace isopatch::detail {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // whole elements of every type
constexpr std::size_t kMaxHeader = kPiece + 12;

/// Inflates piece by piece, and keeps the checksum of the inflated data.
class Inflater {
 public:
  explicit Inflater(std::string_view data) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));  // zlib does not write there
    stream_.avail_in = static_cast<uInt>(data.size());
    started_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// The next bytes, as many as there are up to `count`; fewer at the end or if the data is damaged.
  std::size_t read(char* to, std::size_t count) {
    if (!started_) return 0;
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(count);
    int result = Z_OK;
    while (result == Z_OK && stream_.avail_out > 0) result = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t found = count - stream_.avail_out;
    checksum_ = crc32_z(checksum_, reinterpret_cast<const Bytef*>(to), found);
    return found;
  }

  /// Whether the data ends here.
  bool at_end() {
    char more = 0;
    stream_.next_out = reinterpret_cast<Bytef*>(&more);
    stream_.avail_out = 1;
    return started_ && inflate(&stream_, Z_FINISH) == Z_STREAM_END && stream_.avail_out == 1;
  }
  std::uint32_t checksum() const { return static_cast<std::uint32_t>(checksum_); }

 private:
  z_stream stream_ = {};
  bool started_ = false;
  uLong checksum_ = 0;
};

}  // namespace

LazyArray::LazyArray(std::shared_ptr<const std::string> file, Entry entry, std::string source)
    : file_(std::move(file)),
      entry_(entry),
      source_(std::move(source)),
      header_(parse_npy_header(beginning(), entry_.bytes, source_)) {}

void LazyArray::fail(const std::string& problem) const { throw Error(source_ + ": damaged archive: " + problem); }

std::string LazyArray::beginning() const {
  if (entry_.compression != Compression::kDeflated) return std::string(entry_.data.substr(0, kMaxHeader));
  std::string bytes(std::min(kMaxHeader, entry_.bytes), '\0');
  bytes.resize(Inflater(entry_.data).read(bytes.data(), bytes.size()));
  return bytes;
}

void LazyArray::read(const std::function<void(std::string_view)>& visit) const {
  if (entry_.compression == Compression::kDeflated) return read_deflated(visit);
  if (entry_.compression == Compression::kStored) {
    const auto* data = reinterpret_cast<const Bytef*>(entry_.data.data());
    if (crc32_z(0, data, entry_.data.size()) != entry_.checksum) fail("wrong checksum");
  }
  visit(entry_.data.substr(header_.begin));
}

void LazyArray::read_deflated(const std::function<void(std::string_view)>& visit) const {
  constexpr const char* kOtherSize = "the compressed data is not what its directory says";
  Inflater data(entry_.data);
  std::string piece(std::max(kPiece, header_.begin), '\0');
  if (data.read(piece.data(), header_.begin) != header_.begin) fail(kOtherSize);
  for (std::size_t left = header_.bytes; left > 0;) {
    const std::size_t count = std::min(left, kPiece);
    if (data.read(piece.data(), count) != count) fail(kOtherSize);
    visit(std::string_view(piece).substr(0, count));
    left -= count;
  }
  if (!data.at_end()) fail(kOtherSize);
  if (data.checksum() != entry_.checksum) fail("wrong checksum");
}

}  // namespace isopatch::detail

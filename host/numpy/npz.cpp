// SPDX-License-Identifier: Apache-2.0
//
// The .npz part of npz.h: zip archives (PKWARE APPNOTE 6.3) read by their central directory, every offset checked.
#include "host/numpy/npz.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "host/files/input_file.h"
#include "host/text/quote.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"

namespace isopatch::detail {

namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50, kEntrySignature = 0x02014b50, kEndSignature = 0x06054b50;
constexpr std::size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22;
constexpr std::size_t kMaxEntries = 64;
constexpr std::uint64_t kMaxDeflateRatio = 1032;  // zlib's technical page: the most deflate can do
constexpr std::uint64_t kMaxArchive = 0xffffffff;
/// Real states hardly compress: a small archive that inflates to much data is a mistake or an attack.
constexpr std::uint64_t kMaxInflated = std::uint64_t{256} << 20, kMaxInflatedRatio = 16;

class Bytes {
 public:
  Bytes(const std::string& data, const std::string& source) : data_(data), source_(source) {}

  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> problem, Values&&... values) const {
    throw Error(source_ + ": " + fmt::format(problem, std::forward<Values>(values)...));
  }

  std::string_view view(std::size_t offset, std::size_t count) const {
    if (offset > data_.size() || count > data_.size() - offset)
      fail("damaged archive: an entry reaches beyond the end of the file");
    return std::string_view(data_).substr(offset, count);
  }

  std::uint32_t number(std::size_t offset, std::size_t count) const {
    const std::string_view digits = view(offset, count);
    std::uint32_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
    return value;
  }
  std::uint32_t u16(std::size_t offset) const { return number(offset, 2); }
  std::uint32_t u32(std::size_t offset) const { return number(offset, 4); }

  std::size_t size() const { return data_.size(); }

 private:
  const std::string& data_;
  const std::string& source_;
};

struct Entry {
  std::string name;
  std::uint32_t method, checksum, stored_bytes, bytes, offset;
};

/// Where the end record starts; only its own comment follows it in the file.
std::size_t find_end(const Bytes& archive) {
  if (archive.size() < kEndBytes) archive.fail("not an .npz archive");
  const std::size_t last = archive.size() - kEndBytes;
  for (std::size_t comment = 0; comment <= 0xffff && comment <= last; ++comment) {
    if (archive.u32(last - comment) == kEndSignature && archive.u16(last - comment + 20) == comment) {
      return last - comment;
    }
  }
  archive.fail("not an .npz archive, or cut off");
}

Entry read_entry(const Bytes& archive, std::size_t at, std::size_t& next) {
  if (archive.u32(at) != kEntrySignature) archive.fail("damaged archive: no entry where its directory should have one");
  Entry entry;
  entry.method = archive.u16(at + 10);
  entry.checksum = archive.u32(at + 16);
  entry.stored_bytes = archive.u32(at + 20);
  entry.bytes = archive.u32(at + 24);
  entry.offset = archive.u32(at + 42);
  const std::size_t name_bytes = archive.u16(at + 28);
  entry.name = archive.view(at + kEntryBytes, name_bytes);
  next = at + kEntryBytes + name_bytes + archive.u16(at + 30) + archive.u16(at + 32);

  if (archive.u16(at + 8) & 1) archive.fail("encrypted archives are not supported");
  if (entry.stored_bytes == kMaxArchive || entry.bytes == kMaxArchive || entry.offset == kMaxArchive) {
    archive.fail("archives with arrays of 4 GiB or more are not supported");
  }
  return entry;
}

LazyArray::Entry locate(const Bytes& archive, const Entry& entry) {
  if (archive.u32(entry.offset) != kLocalSignature) archive.fail("damaged archive: no entry where its directory says");
  const std::size_t start = std::size_t{entry.offset} + kLocalBytes + archive.u16(std::size_t{entry.offset} + 26) +
                            archive.u16(std::size_t{entry.offset} + 28);
  const std::string_view data = archive.view(start, entry.stored_bytes);
  if (entry.method != 0 && entry.method != 8) {
    archive.fail("compression method {} is not supported; use numpy.savez or savez_compressed", entry.method);
  }
  if (entry.method == 0 && entry.bytes != entry.stored_bytes) {
    archive.fail("damaged archive: a stored entry with two sizes");
  }
  if (entry.method == 8 && entry.bytes > data.size() * kMaxDeflateRatio + 64) {
    archive.fail("damaged archive: more data than deflate can hold");
  }
  return {entry.method == 0 ? LazyArray::Compression::kStored : LazyArray::Compression::kDeflated, data, entry.bytes,
          entry.checksum};
}

std::string array_name(const Bytes& archive, const std::string& file) {
  constexpr std::string_view kExtension = ".npy";
  if (!file.ends_with(kExtension)) archive.fail("{} is not an array: its name does not end in .npy", in_quotes(file));
  return file.substr(0, file.size() - kExtension.size());
}

void put(std::string& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 255);
}

/// The fields that the local header and the directory share.
void put_common(std::string& bytes, std::uint32_t checksum, std::uint32_t size, std::size_t name_bytes) {
  put(bytes, 20, 2);    // version needed
  put(bytes, 0, 2);     // flags
  put(bytes, 0, 2);     // stored
  put(bytes, 0, 2);     // time: constant, so that the same arrays give the same file
  put(bytes, 0x21, 2);  // date: 1980-01-01
  put(bytes, checksum, 4);
  put(bytes, size, 4);
  put(bytes, size, 4);
  put(bytes, static_cast<std::uint32_t>(name_bytes), 2);
  put(bytes, 0, 2);  // extra field
}

constexpr std::size_t kPiece = std::size_t{1} << 16;  // whole elements of every type
constexpr std::size_t kMaxHeaderEnd = kPiece + 12;

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

std::map<std::string, LazyArray> open_npz(const std::shared_ptr<const std::string>& bytes, const std::string& source) {
  const Bytes archive(*bytes, source);
  if (bytes->size() > kMaxArchive) archive.fail("archives of 4 GiB or more are not supported");
  const std::size_t end = find_end(archive);
  const std::size_t count = archive.u16(end + 10);
  if (archive.u16(end + 4) != 0 || archive.u16(end + 8) != count) archive.fail("split archives are not supported");
  if (count > kMaxEntries) archive.fail("{} arrays, the limit is {}", count, kMaxEntries);

  std::vector<Entry> entries;
  std::uint64_t total = 0;  // several entries may refer to the same stored bytes
  std::size_t at = archive.u32(end + 16);
  for (std::size_t i = 0; i < count; ++i) {
    entries.push_back(read_entry(archive, at, at));
    total += entries.back().bytes;
  }
  const std::uint64_t most = std::min(kMaxArchive, kMaxInflated + kMaxInflatedRatio * bytes->size());
  if (total > most) {
    archive.fail(
        "its arrays take {} bytes; {} can be read, 256 MiB and {} times the archive; store them with numpy.savez, "
        "without compression",
        total, most, kMaxInflatedRatio);
  }

  std::map<std::string, LazyArray> arrays;
  for (const Entry& entry : entries) {
    const std::string name = array_name(archive, entry.name);
    LazyArray array(bytes, locate(archive, entry), source + ": " + escaped(name));
    if (!arrays.emplace(name, std::move(array)).second) archive.fail("two arrays are named {}", in_quotes(name));
  }
  return arrays;
}

std::map<std::string, LazyArray> open_arrays(const std::string& path, const std::string& npy_name) {
  const auto bytes = std::make_shared<const std::string>(read_input_file(path, limits::kMaxStatesBytes));
  if (bytes->starts_with("\x93NUMPY")) return {{npy_name, LazyArray(bytes, path)}};
  return open_npz(bytes, path);
}

std::string npz_bytes(const std::map<std::string, NpyArray>& arrays) {
  std::string archive, directory;
  for (const auto& [name, array] : arrays) {
    const std::string file = name + ".npy";
    const std::string data = npy_bytes(array);
    if (archive.size() + data.size() > kMaxArchiveBytes) {
      throw Error("results of 4 GiB or more do not fit an .npz archive; evaluate fewer environments at a time");
    }
    const auto offset = static_cast<std::uint32_t>(archive.size());
    const auto size = static_cast<std::uint32_t>(data.size());
    const auto checksum =
        static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));

    put(archive, kLocalSignature, 4);
    put_common(archive, checksum, size, file.size());
    archive += file + data;

    put(directory, kEntrySignature, 4);
    put(directory, 20, 2);  // version made by
    put_common(directory, checksum, size, file.size());
    put(directory, 0, 2);  // comment
    put(directory, 0, 2);  // disk
    put(directory, 0, 2);  // internal attributes
    put(directory, 0, 4);  // external attributes
    put(directory, offset, 4);
    directory += file;
  }

  const auto start = static_cast<std::uint32_t>(archive.size());
  archive += directory;
  put(archive, kEndSignature, 4);
  put(archive, 0, 4);  // disks
  put(archive, static_cast<std::uint32_t>(arrays.size()), 2);
  put(archive, static_cast<std::uint32_t>(arrays.size()), 2);
  put(archive, static_cast<std::uint32_t>(directory.size()), 4);
  put(archive, start, 4);
  put(archive, 0, 2);  // comment
  return archive;
}

LazyArray::LazyArray(std::shared_ptr<const std::string> file, Entry entry, std::string source)
    : file_(std::move(file)),
      entry_(entry),
      source_(std::move(source)),
      header_(parse_npy_header(beginning(), entry_.bytes, source_)) {}

void LazyArray::fail(const std::string& problem) const { throw Error(source_ + ": damaged archive: " + problem); }

std::string LazyArray::beginning() const {
  if (entry_.compression != Compression::kDeflated) return std::string(entry_.data.substr(0, kMaxHeaderEnd));
  std::string bytes(std::min(kMaxHeaderEnd, entry_.bytes), '\0');
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

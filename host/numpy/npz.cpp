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

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#include "host/numpy/npz.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "isopatch/error.h"
#include "isopatch/results/potential_contacts.h"
#include "tests/support/npz_arrays.h"

namespace isopatch::detail {
namespace {

std::string bytes_of(const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

NpyArray matrix() { return {DType::kFloat64, {2, 3}, bytes_of({1, 2, 3, 4, 5, 6})}; }

// A version 1 file with this header and data.
std::string npy(std::string header, const std::string& data) {
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return bytes + header + data;
}

std::string error_of(const std::string& bytes) {
  try {
    bytes.starts_with("\x93") ? void(parse_npy(bytes, "x")) : void(parse_npz(bytes, "x"));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// numpy.savez_compressed(poses=numpy.zeros((1, 2, 7)), pair_mask=numpy.array([[True]])) as NumPy writes it.
std::string compressed_archive();

TEST(Npy, ComesBackAsWritten) {
  const std::vector<NpyArray> arrays = {matrix(),
                                        {DType::kFloat32, {1}, "abcd"},
                                        {DType::kUint8, {2, 2, 1}, "wxyz"},
                                        {DType::kInt64, {0, 5}, ""},
                                        {DType::kInt32, {}, "1234"},
                                        {DType::kUint32, {1, 1}, "1234"}};
  for (const NpyArray& array : arrays) {
    const std::string bytes = npy_bytes(array);
    EXPECT_EQ((bytes.size() - array.bytes.size()) % 64, 0u) << "NumPy aligns the data";
    const NpyArray back = parse_npy(bytes, "x");
    EXPECT_EQ(back.type, array.type);
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(back.bytes, array.bytes);
  }
}

TEST(Npy, TakesHeadersAsPythonMayWriteThem) {
  EXPECT_EQ(parse_npy(npy("{'shape': (2,), 'descr': '|u1', 'fortran_order': False}", "ab"), "x").shape,
            (std::vector<std::int64_t>{2}));
  EXPECT_EQ(parse_npy(npy("{\"descr\":\"|b1\",\"fortran_order\":False,\"shape\":(1,2)}", "ab"), "x").type,
            DType::kUint8);
}

TEST(Npy, HasRecordsAsStructuredArrays) {
  std::vector<PotentialContact> contacts(3);
  contacts[1].kind = 2;
  contacts[1].normal[2] = -1;
  const NpyArray array = npy_records(kRecordFields<PotentialContact>, {1, 3}, contacts);
  EXPECT_EQ(record_text(kRecordFields<Relation>),
            "[('pair', '<i4'), ('kind', '<i4'), ('first', '<i4'), ('count', '<i4')]");
  EXPECT_NE(array.record.find("('point', '<f4', (3,)), ('normal', '<f4', (3,)), ('gap', '<f4')"), std::string::npos)
      << array.record;
  EXPECT_NE(record_text(kRecordFields<Polygon>).find("('vertices', '<f4', (8, 3)), ('pressures', '<f4', (8,))"),
            std::string::npos);
  const std::string bytes = npy_bytes(array);
  const NpyArray back = parse_npy(bytes, "x");
  EXPECT_EQ(back.type, DType::kRecord);
  EXPECT_EQ(back.shape, array.shape);
  EXPECT_EQ(back.bytes, array.bytes);
  EXPECT_THROW(npy_bytes(back), Error) << "a file's members are not kept";
  EXPECT_NE(error_of(bytes.substr(0, bytes.size() - 4)).find("shape (1, 3) of records needs a different number"),
            std::string::npos);
  EXPECT_EQ(parse_npy(npy_bytes(npy_records(kRecordFields<Relation>, {2, 0}, std::vector<Relation>())), "x").shape,
            (std::vector<std::int64_t>{2, 0}));
}

TEST(Npy, RefusesRecordsThatItDoesNotKnow) {
  const std::string tail = ", 'fortran_order': False, 'shape': (1,), }";
  for (const char* members :
       {"[]", "[('a',)]", "[('a', '<i4', 3)]", "[('a', '<i4', (0,))]", "[('a', '<i4', (-1,))]", "['a', '<i4']",
        "[('a', [('b', '<i4')])]", "[('a', '<i4', (1000, 1000, 1000, 1000, 1000, 1000, 1000))]", "[('a', '|u1')]"}) {
    EXPECT_NE(error_of(npy(std::string("{'descr': ") + members + tail, "1234")).find("structured dtype"),
              std::string::npos)
        << members;
  }
}

TEST(Npy, RefusesWhatItWouldMisread) {
  const std::string tail = ", 'shape': (1,), }";
  EXPECT_NE(error_of(npy("{'descr': '>f8', 'fortran_order': False" + tail, "12345678")).find("has dtype '>f8'"),
            std::string::npos);
  EXPECT_NE(error_of(npy("{'descr': '<f8', 'fortran_order': True" + tail, "12345678")).find("Fortran"),
            std::string::npos);
  EXPECT_NE(error_of(npy("{'descr': '<f8', 'fortran_order': False" + tail, "1234567")).find("7 bytes"),
            std::string::npos);
  EXPECT_NE(error_of(npy("{'descr': [('a', '<f8')], 'fortran_order': False" + tail, "12345678")).find("structured"),
            std::string::npos);
  for (const char* header :
       {"{'descr': '<f8'}", "{", "", "{'descr'", "{'descr': '<f8', 'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }"})
    EXPECT_NE(error_of(npy(header, "")), "no error") << header;
}

TEST(Npz, ComesBackAsWritten) {
  const auto back = parse_npz(npz_bytes({{"one", matrix()}, {"two", {DType::kInt32, {1}, "1234"}}}), "x");
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back.at("one").shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(back.at("one").bytes, matrix().bytes);
  EXPECT_EQ(back.at("two").type, DType::kInt32);
  EXPECT_TRUE(parse_npz(npz_bytes({}), "x").empty());
}

TEST(Npz, ReadsWhatNumPyCompresses) {
  const auto arrays = parse_npz(compressed_archive(), "x");
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("poses").shape, (std::vector<std::int64_t>{1, 2, 7}));
  EXPECT_EQ(arrays.at("poses").bytes, std::string(14 * 8, '\0'));
  EXPECT_EQ(arrays.at("pair_mask").type, DType::kUint8);
  EXPECT_EQ(arrays.at("pair_mask").bytes, std::string(1, '\1'));
}

TEST(Npz, RefusesEveryTruncation) {
  for (const std::string& whole : {npz_bytes({{"one", matrix()}}), compressed_archive()})
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_THROW(parse_npz(whole.substr(0, length), "x"), Error) << length;
}

// A flipped bit may be in fields that are not read (times, versions), but never changes the data unnoticed.
TEST(Npz, NeverReadsOtherDataFromADamagedArchive) {
  for (const std::string& whole : {npz_bytes({{"one", matrix()}}), compressed_archive()}) {
    const auto original = parse_npz(whole, "x");
    for (std::size_t i = 0; i < whole.size() * 8; ++i) {
      std::string damaged = whole;
      damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << i % 8));
      try {
        for (const auto& [name, array] : parse_npz(damaged, "x")) {
          if (original.contains(name)) {
            EXPECT_EQ(array.bytes, original.at(name).bytes) << "bit " << i;
          }
        }
      } catch (const Error&) {
      }
    }
  }
}

std::string compressed_archive() {
  const std::string digits =
      "504b03042d000000080000002100713efc89ffffffffffffffff09001400706f7365732e6e707901001000f0000000000000"
      "004c000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1aea3a09e965f54529498179f5f94920a"
      "12774bcc294e058a17672416a402f91a863a0a463a0ae69a3a0ab50ae4012e063a0300504b03042d000000080000002100db"
      "e00a03ffffffffffffffff0d001400706169725f6d61736b2e6e707901001000810000000000000047000000000000009bec"
      "17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e9364a8aea3a09e965f54529498179f5f94920a12774bcc294e058a176724"
      "16a402f91a863a0a869a3a0ab50a64032e4600504b01022d032d000000080000002100713efc894c000000f0000000090000"
      "000000000000000000800100000000706f7365732e6e7079504b01022d032d000000080000002100dbe00a03470000008100"
      "00000d0000000000000000000000800187000000706169725f6d61736b2e6e7079504b05060000000002000200720000000d"
      "0100000000";
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

}  // namespace
}  // namespace isopatch::detail

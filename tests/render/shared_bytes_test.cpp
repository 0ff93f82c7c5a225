// SPDX-License-Identifier: Apache-2.0
#include "host/render/page.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace isopatch::detail {
namespace {

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = 4; k-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes.at(at + k));
  return number;
}

/// As record.js does it.
std::string joined(const std::string& pieces, const std::string& first) {
  std::string bytes;
  for (std::size_t at = 0; at < pieces.size();) {
    const std::uint32_t from = number_at(pieces, at), shared = number_at(pieces, at + 4),
                        own = number_at(pieces, at + 8);
    bytes += first.substr(from, shared) + pieces.substr(at + 12, own);
    at += 12 + own;
  }
  return bytes;
}

std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST(SharedBytes, AreLeftOutWhereverTheyAreAligned) {
  const std::string mesh = random_bytes(20'000, 1), other = random_bytes(4'000, 2);
  const std::string first = random_bytes(100, 3) + mesh + random_bytes(1'000, 4) + other;
  for (const std::size_t shift : {0, 4, 1'236}) {
    const std::string bytes = random_bytes(shift, 5) + other + random_bytes(40, 6) + mesh + random_bytes(7, 7);
    const std::string pieces = without_shared(bytes, first);
    EXPECT_EQ(joined(pieces, first), bytes);
    EXPECT_LT(pieces.size(), shift + 47 + 5 * 12 + 16) << shift;
  }
}

TEST(SharedBytes, OfEqualOrShortOrUnlikeTextsMakeTheTextAgain) {
  const std::string text = random_bytes(3'001, 1), zeros(5'000, '\0');
  for (const std::string& first : {text, zeros, std::string(), text.substr(0, 255)}) {
    for (const std::string& bytes : {text, zeros, std::string(), text.substr(4, 700), zeros + text + zeros}) {
      EXPECT_EQ(joined(without_shared(bytes, first), first), bytes) << first.size() << " " << bytes.size();
    }
  }
  EXPECT_LT(without_shared(text, text).size(), 32u);
}

}  // namespace
}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// Results as one number, so that "the same bits" is one comparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/scenes.h"

namespace isopatch::test {

/// FNV-1a.
class Hash {
 public:
  Hash& bytes(const void* data, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ at[i]) * 0x100000001B3u;
    return *this;
  }
  template <class T>
  Hash& row(const std::vector<T>& array, std::size_t environment, std::size_t environments) {
    const std::size_t size = array.size() / environments;
    return bytes(array.data() + environment * size, size * sizeof(T));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

/// The records of a buffer: room for `capacity` in each environment, of which one has `count`.
struct RecordRows {
  std::int32_t capacity, count;
};

inline RecordRows record_rows(const ArrayInfo& info, const UnwrittenResults& r, std::size_t environment) {
  const auto capacity = static_cast<std::int32_t>(r.counts()[info.per]);
  const std::int32_t needed = info.per == Per::kContactCapacity            ? r.contacts_needed[environment]
                              : info.per == Per::kPotentialContactCapacity ? r.relations_needed[3 * environment]
                              : info.per == Per::kRelationCapacity         ? r.relations_needed[3 * environment + 1]
                                                                           : r.polygons_needed[environment];
  return {capacity, std::min(capacity, needed)};
}

/// The bytes of a record that are hashed: of polygons and discrete contacts those before their parts, so that a hash of
/// simple bodies is what it was before bodies had parts. tests/support/same_bits.h compares the parts too.
template <class Record>
inline constexpr std::size_t kHashedBytes = sizeof(Record);
template <>
inline constexpr std::size_t kHashedBytes<Polygon> = offsetof(Polygon, part_a);
template <>
inline constexpr std::size_t kHashedBytes<DiscreteContact> = offsetof(DiscreteContact, part_a);

static_assert(kHashedBytes<Polygon> == 4 * (2 + 24 + 8 + 3 + 1),
              "a polygon without padding, so that its bytes can be hashed");

static_assert(kHashedBytes<DiscreteContact> == 4 * 13, "likewise");

/// All results of one environment but packed arrays. Polygons and contacts come in no particular order, so theirs are
/// added.
inline std::uint64_t environment_hash(const UnwrittenResults& r, std::size_t environment) {
  Hash hash;
  for_each_output(
      [&](const ArrayInfo& info, const auto& values) {
        using Element = typename std::remove_cvref_t<decltype(values)>::value_type;
        if (values.empty() || info.is_packed()) return;
        if constexpr (std::is_arithmetic_v<Element>) {
          hash.row(values, environment, static_cast<std::size_t>(r.num_environments));
        } else {
          const RecordRows rows = record_rows(info, r, environment);
          const auto* first = values.data() + environment * static_cast<std::size_t>(rows.capacity);
          std::uint64_t sum = 0;
          for (std::int32_t i = 0; i < rows.count; ++i) {
            sum += Hash().bytes(first + i, kHashedBytes<Element>).value();
          }
          hash.bytes(&sum, sizeof(sum));
        }
      },
      r);
  return hash.value();
}

inline std::vector<std::uint64_t> environment_hashes(const UnwrittenResults& r) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t e = 0; e < static_cast<std::size_t>(r.num_environments); ++e)
    hashes.push_back(environment_hash(r, e));
  return hashes;
}

/// One number for a whole batch.
inline std::uint64_t hash_of(const UnwrittenResults& r) {
  const std::vector<std::uint64_t> hashes = environment_hashes(r);
  return Hash().bytes(hashes.data(), hashes.size() * sizeof(std::uint64_t)).value();
}

/// Of each environment: where it is, how it moves and what its contacts remember.
inline std::vector<std::uint64_t> state_hashes(const RolloutStateArrays& states) {
  const auto environments = static_cast<std::size_t>(states.num_environments);
  std::vector<std::uint64_t> hashes;
  for (std::size_t e = 0; e < environments; ++e) {
    Hash hash;
    for (const auto* array : {&states.poses, &states.velocities, &states.contact_state}) {
      hash.row(*array, e, environments);
    }
    hashes.push_back(hash.value());
  }
  return hashes;
}

}  // namespace isopatch::test

// SPDX-License-Identifier: Apache-2.0
//
// Where the relations of an environment go, in an order that does not depend on lanes. What does not fit is counted and
// not written, so a call with capacities of 0 counts.
#pragma once

#include "isopatch/detail/polytope/feature_memory.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// How many there are of each.
struct RelationCounts {
  std::int32_t contacts, relations, members;
};

/// The arrays of an environment and their sizes; null arrays if these are 0. write_contact() fills a Contact.
template <class Contact>
struct RelationArraysOf {
  Contact* contacts;
  Relation* relations;
  std::int32_t* members;  // indices into contacts
  RelationCounts capacity;
};

using RelationArrays = RelationArraysOf<PotentialContact>;

/// What a part pair is named in its records.
struct PartPairNames {
  std::int32_t pair, part_a, part_b;
};

ISOPATCH_HD void write_contact(PotentialContact& to, const PartPairNames& names, ContactCode code,
                               const ContactGeometry& contact, const Transform<double>& X_WA) {
  const Vec3f point = cast<float>(apply(X_WA, contact.point)), normal = cast<float>(rotate(X_WA, contact.normal));
  to = {names.pair,
        names.part_a,
        names.part_b,
        kind_of(code),
        feature_a_of(code),
        feature_b_of(code),
        {point.x, point.y, point.z},
        {normal.x, normal.y, normal.z},
        cast<float>(contact.gap),
        cast<float>(contact.applicability)};
}

/// The value before this lane's in a sum over all lanes, and the sum. Called by all lanes.
struct LaneSum {
  std::int32_t before, total;
};

template <class Warp>
ISOPATCH_HD LaneSum sum_before(Warp& warp, std::int32_t* lane_values, std::int32_t value) {
  if constexpr (Warp::kSize == 1) {
    return {0, value};
  } else {
    lane_values[warp.lane()] = value;
    warp.sync();
    LaneSum sum{0, 0};
    for (int l = 0; l < Warp::kSize; ++l) {
      if (l == warp.lane()) sum.before = sum.total;
      sum.total += lane_values[l];
    }
    warp.sync();
    return sum;
  }
}

/// Takes the members of one relation: writes them, marks them among the contacts, or only counts them. One type for all
/// of that, so that the code that finds members is there once.
template <class Warp>
struct MemberSink {
  Warp& warp;
  const FeatureMemory& memory;
  bool is_written;        // and marked; else counted
  std::int32_t* members;  // null if there is no room at all
  std::int32_t at, capacity;
  bool is_hashed = false;
  std::int32_t count = 0;
  std::uint64_t hash = 0;  // of the set of members: two sets share it only if they are equal, but for a chance of 2^-64

  ISOPATCH_HD void add(ContactCode code, double /*gap*/) {
    if (is_hashed) hash += mixed(static_cast<std::uint64_t>(code) + 1);
    if (is_written) {
      warp.set_bits(&memory.contacts[memory.bits.word_of(code)], ContactBits::bit_of(code));
      if (at + count < capacity) members[at + count] = code;
    }
    ++count;
  }

  /// The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
  ISOPATCH_HD static std::uint64_t mixed(std::uint64_t x) {
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
};

/// Appends the relations of one part pair to those of an environment.
template <class Warp, class Contact = PotentialContact>
class RelationList {
 public:
  /// `counts` are what the environment has already.
  ISOPATCH_HD RelationList(Warp& warp, const FeatureMemory& memory, const RelationArraysOf<Contact>& arrays,
                           RelationCounts& counts, const PartPairNames& names)
      : warp_(warp), memory_(memory), arrays_(arrays), counts_(counts), first_(counts), names_(names) {
    for (int w = warp.lane(); w < memory.bits.size; w += Warp::kSize) memory.contacts[w] = 0;
    warp.sync();
  }

  /// Appends a relation of each lane that has one. build(sink) adds its members and returns its kind, which is U for a
  /// single member whatever it returns. Called by all lanes, of which each may call `build` twice.
  template <class Build>
  ISOPATCH_HD void add(bool has, const Build& build) {
    const std::uint32_t ballot = warp_.ballot(has);
    if (ballot == 0u) return;
    LaneSum sum{0, 0};
    ISOPATCH_NO_UNROLL
    for (int pass = Warp::kSize == 1 ? 1 : 0; pass < 2; ++pass) {  // one code for both, as there is much in `build`
      const bool writes = pass == 1;
      MemberSink<Warp> sink{
          warp_, memory_, writes, arrays_.members, counts_.members + sum.before, arrays_.capacity.members};
      if (has) {
        const std::int32_t kind = build(sink);
        const std::int32_t at = counts_.relations + rank_in(ballot, warp_.lane());
        if (writes && at < arrays_.capacity.relations) {
          arrays_.relations[at] = {names_.pair, sink.count == 1 ? kUnilateralRelation : kind, sink.at, sink.count};
        }
      }
      warp_.sync();  // lanes meet here before they sum, however the compiler arranges both branches
      if (Warp::kSize == 1 || !writes) sum = sum_before(warp_, memory_.lane_values, sink.count);
    }
    counts_.members += sum.total;
    counts_.relations += count_bits(ballot);
  }

  /// Appends a relation U of each lane that has one.
  ISOPATCH_HD void add_unilateral(bool has, ContactCode code) {
    add(has, [code](auto& sink) {
      sink.add(code, 0.0);
      return kUnilateralRelation;
    });
  }

  /// Writes the contacts of all relations and replaces their codes by indices. Called by all lanes.
  ISOPATCH_HD void finish(const PolytopePair& pair, const Transform<double>& X_WA) {
    warp_.sync();
    count_contacts();
    const int size = memory_.bits.size;
    for (int w = warp_.lane(); w < size; w += Warp::kSize) {
      std::int32_t at = first_.contacts + memory_.before[w];
      for (std::uint32_t left = memory_.contacts[w]; left != 0u; left &= left - 1u, ++at) {
        if (at >= arrays_.capacity.contacts) break;
        const ContactCode code = memory_.bits.code_of(w) + lowest_bit(left);
        write_contact(arrays_.contacts[at], names_, code, contact_geometry(pair, code), X_WA);
      }
    }
    const std::int32_t end = min(counts_.members, arrays_.capacity.members);
    for (std::int32_t k = first_.members + warp_.lane(); k < end; k += Warp::kSize) {
      arrays_.members[k] = index_of(arrays_.members[k]);
    }
    warp_.sync();
  }

 private:
  /// Each lane counts a piece of the words.
  ISOPATCH_HD void count_contacts() {
    const int size = memory_.bits.size, piece = (size + Warp::kSize - 1) / Warp::kSize;
    const int begin = min(piece * warp_.lane(), size), end = min(begin + piece, size);
    std::int32_t count = 0;
    for (int w = begin; w < end; ++w) {
      memory_.before[w] = count;
      count += count_bits(memory_.contacts[w]);
    }
    const LaneSum sum = sum_before(warp_, memory_.lane_values, count);
    if (Warp::kSize > 1) {
      for (int w = begin; w < end; ++w) memory_.before[w] += sum.before;
    }
    counts_.contacts += sum.total;
    warp_.sync();
  }

  ISOPATCH_HD std::int32_t index_of(ContactCode code) const {
    const int w = memory_.bits.word_of(code);
    return first_.contacts + memory_.before[w] + count_bits(memory_.contacts[w] & (ContactBits::bit_of(code) - 1u));
  }

  Warp& warp_;
  const FeatureMemory& memory_;
  const RelationArraysOf<Contact>& arrays_;
  RelationCounts& counts_;
  RelationCounts first_;
  PartPairNames names_;
};

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// The tables of members of records, by which other languages make views of them.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isopatch/arrays.h"

namespace isopatch {
namespace {

/// Whether the members follow each other without a gap and fill the record.
template <class Record, std::size_t count>
constexpr bool fill(const std::array<RecordField, count>& fields) {
  std::size_t end = 0;
  for (const RecordField& field : fields) {
    if (field.offset != end) return false;
    end += 4 * static_cast<std::size_t>(field.rows * field.width);
  }
  return end == sizeof(Record);
}

/// Whether a field has the type and the size of a member.
template <class Member>
constexpr bool describes(const RecordField& field) {
  using Element = std::remove_all_extents_t<Member>;
  const bool is_float = std::is_same_v<Element, float>;
  return sizeof(Element) == 4 &&
         (is_float || std::is_same_v<Element, std::int32_t>)&&std::string_view(field.type) ==
             (is_float ? "float32" : "int32") &&
         sizeof(Member) == 4 * static_cast<std::size_t>(field.rows * field.width) &&
         (std::rank_v<Member> < 2 || field.rows == 8);
}

static_assert(fill<Polygon>(kRecordFields<Polygon>) && sizeof(Polygon) == 160);
static_assert(fill<DiscreteContact>(kRecordFields<DiscreteContact>) && sizeof(DiscreteContact) == 60);

static_assert(describes<decltype(Polygon::pair)>(kRecordFields<Polygon>[0]));
static_assert(describes<decltype(Polygon::num_vertices)>(kRecordFields<Polygon>[1]));
static_assert(describes<decltype(Polygon::vertices)>(kRecordFields<Polygon>[2]));
static_assert(describes<decltype(Polygon::pressures)>(kRecordFields<Polygon>[3]));
static_assert(describes<decltype(Polygon::normal)>(kRecordFields<Polygon>[4]));
static_assert(describes<decltype(Polygon::area)>(kRecordFields<Polygon>[5]));
static_assert(describes<decltype(Polygon::part_a)>(kRecordFields<Polygon>[6]));
static_assert(describes<decltype(Polygon::part_b)>(kRecordFields<Polygon>[7]));

static_assert(describes<decltype(DiscreteContact::pair)>(kRecordFields<DiscreteContact>[0]));
static_assert(describes<decltype(DiscreteContact::point)>(kRecordFields<DiscreteContact>[1]));
static_assert(describes<decltype(DiscreteContact::normal)>(kRecordFields<DiscreteContact>[2]));
static_assert(describes<decltype(DiscreteContact::area)>(kRecordFields<DiscreteContact>[3]));
static_assert(describes<decltype(DiscreteContact::friction)>(kRecordFields<DiscreteContact>[8]));
static_assert(describes<decltype(DiscreteContact::part_a)>(kRecordFields<DiscreteContact>[9]));
static_assert(describes<decltype(DiscreteContact::part_b)>(kRecordFields<DiscreteContact>[10]));

/// Element `column` of a field of record `i`, read as from an array of words.
template <class T, class Record>
T word(const std::vector<Record>& records, std::size_t i, const RecordField& field, std::size_t column) {
  T value;
  const auto* bytes = reinterpret_cast<const char*>(records.data());
  std::memcpy(&value, bytes + i * sizeof(Record) + field.offset + 4 * column, 4);
  return value;
}

TEST(RecordFields, AreTheMembersOfTheirName) {
  std::vector<DiscreteContact> contacts(2);
  contacts[1] = {1, {2, 3, 4}, {5, 6, 7}, 8, 9, 10, 11, 12, 13, 14, 15};
  const auto member = [&](const std::string& name, std::size_t k) -> double {
    const DiscreteContact& c = contacts[1];
    if (name == "point") return c.point[k];
    if (name == "normal") return c.normal[k];
    return name == "pair"          ? c.pair
           : name == "area"        ? c.area
           : name == "pressure"    ? c.pressure
           : name == "stiffness"   ? c.stiffness
           : name == "distance"    ? c.distance
           : name == "dissipation" ? c.dissipation
           : name == "friction"    ? c.friction
           : name == "part_a"      ? c.part_a
           : name == "part_b"      ? c.part_b
                                   : -1;
  };
  for (const RecordField& field : kRecordFields<DiscreteContact>) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(field.width); ++k) {
      const double found = std::string(field.type) == "float32" ? word<float>(contacts, 1, field, k)
                                                                : word<std::int32_t>(contacts, 1, field, k);
      EXPECT_EQ(found, member(field.name, k)) << field.name;
    }
  }
}

TEST(RecordFields, OfAPolygonHaveARowForEachVertex) {
  std::vector<Polygon> polygons(2);
  polygons[1].vertices[5][1] = 7;
  polygons[1].pressures[6] = 8;
  EXPECT_EQ(word<float>(polygons, 1, kRecordFields<Polygon>[2], 5 * 3 + 1), 7);
  EXPECT_EQ(word<float>(polygons, 1, kRecordFields<Polygon>[3], 6), 8);
}

}  // namespace
}  // namespace isopatch

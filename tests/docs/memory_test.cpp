// SPDX-License-Identifier: Apache-2.0
//
// The sizes in include/isopatch/MEMORY.md are the sizes of the structs and arrays.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>

#include "host/cpu/pressure_field/solver_contact_kernels.h"
#include "host/cpu/simd/simd_workspace.h"
#include "host/scene/scene_data.h"
#include "isopatch/arrays.h"
#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/overlap/part_overlap.h"
#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"
#include "isopatch/detail/pressure_field/polygon_window.h"
#include "isopatch/detail/pressure_field/stages/begin.h"
#include "isopatch/detail/pressure_field/stages/candidates.h"
#include "isopatch/detail/pressure_field/stages/list_for_solver.h"
#include "isopatch/detail/pressure_field/stages/polygon_list.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

using namespace detail;

void expect_in_document(const std::string& row) {
  static const std::string text = [] {
    std::ifstream file(source_path("include/isopatch/MEMORY.md"), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  EXPECT_NE(text.find(row), std::string::npos) << row;
}

TEST(Memory, OfASceneIsAsDocumented) {
  const std::size_t index = sizeof(decltype(SceneData::body_pairs)::value_type);
  const std::size_t placed = sizeof(decltype(SceneData::placed_geometries)::value_type);
  expect_in_document(fmt::format("| body | {}, and {} for", sizeof(BodyView), index));
  expect_in_document(fmt::format("| part | {}; with an offset {} more for each", sizeof(PartView), placed));
  expect_in_document(fmt::format("| pair | {}, and {} in the lists", sizeof(PairView), 2 * index));
  expect_in_document(fmt::format("| part pair | {} |", sizeof(PartPairView)));
  expect_in_document(
      fmt::format("| {}; for each tet or triangle {}, for each node of a hierarchy {}; for each tet {} more for the "
                  "energy, and {} more",
                  sizeof(GeometryView) + sizeof(FieldGeometry), sizeof(Cell) + sizeof(CoarseCell), sizeof(Node),
                  sizeof(CellFlux), sizeof(SmoothedGradient)));
}

TEST(Memory, OfContactsWithMemoryIsAsDocumented) {
  expect_in_document(
      fmt::format("`volumetric` has {} bytes of working memory for each part pair", sizeof(PartOverlap)));
  expect_in_document(fmt::format("contacts with state has {} bytes more for each pair", sizeof(PairForceLaw)));
  expect_in_document(fmt::format("A `Simulator` of it has {} more for each part pair", sizeof(PlateContact)));
}

TEST(Memory, OfTheSumsIsAsDocumented) {
  expect_in_document(fmt::format("{} bytes for each pair that several warps share", sizeof(SharedWrenchSums)));
  expect_in_document(fmt::format("that evaluates it, {} bytes", 2 * sizeof(StoredWrenchSums)));
}

TEST(Memory, OfTheStagesIsAsDocumented) {
  const std::size_t pair = sizeof(StagedPair) + sizeof(StoredWrenchSums);
  const auto megabytes = [](std::size_t bytes, int log_of_count) {
    return ((bytes << log_of_count) + 500000) / 1000000;
  };
  expect_in_document(fmt::format("| pair | {} for what it leaves open | none |", sizeof(UnfinishedPair)));
  expect_in_document(fmt::format("| pair | {}, with sums; of bodies of several parts {} | 2²⁰ pairs, {} MB ({} MB) |",
                                 pair, pair + sizeof(StoredWrenchSums), megabytes(pair, 20),
                                 megabytes(pair + sizeof(StoredWrenchSums), 20)));
  expect_in_document(fmt::format("there is room for 8 a pair | {} | 2²⁰, {} MB |", sizeof(StagedPartPair),
                                 megabytes(sizeof(StagedPartPair), 20)));
  expect_in_document(
      fmt::format("1 650 000 ({:.0f} MB; in steps four times as much), or if that is more for a quarter of the largest "
                  "mesh's cells "
                  "less 64 a pair, at least 64 | {} | 2²⁵, {} MB |",
                  1.65 * sizeof(CellWork), sizeof(CellWork), megabytes(sizeof(CellWork), 25)));
  const std::size_t call =
      sizeof(std::int64_t) + sizeof(UnfinishedPair) + pair + sizeof(StagedPartPair) + 64 * sizeof(CellWork);
  expect_in_document(fmt::format("with one pair of bodies need {} MB of working memory", megabytes(call, 16)));
  expect_in_document(
      fmt::format("a `CandidateCache` has {} bytes for each part pair of each environment", sizeof(CandidateList)));
  expect_in_document(fmt::format("{} bytes a pair for what is found of it", sizeof(ContactsOfPair)));
  const std::size_t padding = 2 * 2 * SimdTraversalMemory::kMaxLanes * sizeof(std::int32_t);
  expect_in_document(fmt::format("With `kCpu` it has {} bytes and 8", sizeof(KeptList) + padding));
}

TEST(Memory, OfPackedArraysIsAsDocumented) {
  const std::size_t listed = 2 * sizeof(PackedRowEntry) + sizeof(std::int32_t);
  expect_in_document(fmt::format("`contact_offsets` are asked for | {} |", 2 * sizeof(std::int32_t)));
  expect_in_document(fmt::format("| row of `packed_polygons` | {} |", listed + sizeof(ListedPolygon)));
  expect_in_document(fmt::format("| row of `packed_contacts` | {} |", listed + sizeof(DiscreteContact)));
  expect_in_document(fmt::format("and {} KiB for each", RowDigits::kValues * sizeof(std::int32_t) / 1024));
}

TEST(Memory, OfPatchContactsIsAsDocumented) {
  expect_in_document(fmt::format("A polygon takes {} bytes.", 2 * sizeof(PackedRowEntry) + sizeof(ElasticPolygon)));
  const std::size_t listed = 3 * sizeof(PolygonEntry) + sizeof(ElasticPolygon);
  expect_in_document(
      fmt::format("a pair has {} bytes, and a polygon {}", sizeof(PolygonsOfPair) + sizeof(std::int32_t), listed));
  expect_in_document(fmt::format("for 2²⁰, {} MB, or for 64 a pair", ((listed << 20) + 500000) / 1000000));
  expect_in_document(fmt::format("up to 2²², {} MB", ((listed << 22) + 500000) / 1000000));
}

TEST(Memory, OfTheArraysIsAsDocumented) {
  const auto bytes_of = [](const ArrayInfo& info, const auto& values) {
    using Element = typename std::remove_cvref_t<decltype(values)>::value_type;
    return static_cast<std::size_t>(info.width) * sizeof(Element);
  };
  std::size_t patch = 0;  // with what is always computed of a pair, but its wrench
  std::map<std::string, std::size_t> bytes;
  const auto add = [&](const ArrayInfo& info, const auto& values) {
    bytes[info.name] = bytes_of(info, values);
    const bool summary = info.group == OutputGroup::kWrench || info.group == OutputGroup::kPatch;
    if (info.per == Per::kPair && summary && info.width < 6) patch += bytes_of(info, values);
  };
  const StateArrays states;
  const ResultArrays results;
  for_each_output(add, results);
  for_each_input([&](const ArrayInfo& info, const auto& values) { bytes[info.name] = bytes_of(info, values); }, states);
  expect_in_document(fmt::format("{} for the status", bytes["status"]));
  expect_in_document(fmt::format("{} for the pose, {} for the velocity, {} for `body_wrench`", bytes["poses"],
                                 bytes["velocities"], bytes["body_wrench"]));
  expect_in_document(fmt::format("{} each for modulus, dissipation and friction, {} for `geometry_index`",
                                 bytes["modulus"], bytes["geometry_index"]));
  expect_in_document(fmt::format("{} for `pair_mask`, {} for `pair_wrench`, {} for area, count and patch, {} for the",
                                 bytes["pair_mask"], bytes["pair_wrench"], patch, bytes["energy"]));
  expect_in_document(fmt::format("{} for `part_pair_wrench`, {} for each number of `contact_state`",
                                 bytes["part_pair_wrench"], sizeof(decltype(states.contact_state)::value_type)));
}

}  // namespace
}  // namespace isopatch

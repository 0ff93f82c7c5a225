// SPDX-License-Identifier: Apache-2.0
//
// Wrong calls of an evaluator and of functions on meshes: each throws Error and writes nothing.
#include <gtest/gtest.h>

#include <climits>
#include <functional>
#include <string>
#include <vector>

#include "host/evaluation/array_check.h"
#include "host/evaluation/strides.h"
#include "host/mesh/topology/connectivity.h"
#include "tests/support/misuses.h"
#include "tests/support/scenes.h"
#include "tests/support/temporary_folder.h"

namespace isopatch::test {

using namespace detail;

namespace {

const EvaluatorOptions kOneThread = {Backend::kCpu, Precision::kFloat, 1};

// --- calls

/// Three boxes' states and results, all in memory of their own.
struct Call {
  Scene scene{boxes_on_ground()};
  Evaluator evaluator{scene, kOneThread};
  Batch batch = random_batch(scene, 3, 5, 0.16, true);
  UnwrittenResults arrays{scene, 3, detail::Outputs::kPolygons, 64};
  State state;
  Results results;

  Call() {
    arrays.give_contacts(64);
    arrays.give_part_pairs();
    state = batch.state();
    results = arrays.view();
  }
  void run() const { evaluator.evaluate(state, results); }
};

void set_data(InputArray& array, const void* to) { array.data = to; }
void set_data(OutputArray& array, const void* to) { array.data = const_cast<void*>(to); }
template <class T>
void set_data(TypedArray<T>& array, const void* to) {
  array.data = static_cast<T*>(const_cast<void*>(to));
}

void set_type(InputArray& array, ScalarType type) { array.type = type; }
void set_type(OutputArray& array, ScalarType type) { array.type = type; }
template <class T>
void set_type(TypedArray<T>&, ScalarType) {}

/// Calls change(array, row) on array number `which` of a call's inputs, then outputs with rows; returns whether there
/// is one.
template <class Change>
bool change_array(Call& call, int which, const Change& change) {
  int at = 0;
  bool found = false;
  const ArrayCounts counts = counts_of(call.scene, call.results);
  const auto visit = [&](const ArrayInfo& info, auto& array) {
    if (counts.row(info) == 0) return;  // the contact state, which pressure fields do not have
    if constexpr (detail::HasRows<decltype(array)>) {
      if (at++ == which) change(array, counts.row(info)), found = true;
    }
  };
  for_each_input(visit, call.state);
  for_each_output(visit, call.results);
  return found;
}

constexpr int kInputs = 7, kArrays = 22;

TEST(Misuse, OfStridesTypesAndAddressesIsAnError) {
  Misuses misuses;
  ASSERT_NO_THROW(Call().run());
  for (int which = 0; which < kArrays; ++which) {
    const std::string name = "array " + std::to_string(which);
    Call call;
    std::int64_t row = 0, size = 0;
    bool typed = true;
    ASSERT_TRUE(change_array(call, which, [&](auto& array, std::int64_t elements) {
      row = elements;
      size = detail::element_size(array);
      typed = !requires { array.type; };
    }));
    const bool is_output = which >= kInputs;
    for (const std::int64_t stride : {std::int64_t{-2}, row - 1, std::int64_t{0}, INT64_MIN, INT64_MAX, INT64_MAX / 2,
                                      INT64_MAX / size, INT64_MAX / 2 / size}) {
      if (stride == 0 && !is_output) continue;  // one row for all
      Call bad;
      change_array(bad, which, [&](auto& array, std::int64_t) { array.stride = stride; });
      misuses.expect_error(name + " with stride " + std::to_string(stride), [&] { bad.run(); });
    }
    for (const int type : {2, 255}) {
      if (typed) break;
      Call bad;
      change_array(bad, which, [&](auto& array, std::int64_t) { set_type(array, static_cast<ScalarType>(type)); });
      misuses.expect_error(name + " of type " + std::to_string(type), [&] { bad.run(); });
    }
    if (which == kInputs - 1) continue;  // the mask has bytes, which are anywhere
    for (const std::ptrdiff_t off : {1, 2, 3}) {
      change_array(call, which, [&](auto& array, std::int64_t) {
        const void* start = array.data;
        set_data(array, static_cast<const char*>(start) + off);
        misuses.expect_error(name + " off by " + std::to_string(off), [&] { call.run(); });
        set_data(array, start);
      });
    }
  }
  EXPECT_GT(misuses.count(), 150);
}

// Such rows were found only where they met another array, so not behind all others.
TEST(Misuse, OfRowsThatNoMemoryHoldsIsAnErrorAtAnyAddress) {
  for (const std::uintptr_t address : {std::uintptr_t{0x1000}, std::uintptr_t{0x7fff00000000}}) {
    for (const std::int64_t stride : {INT64_MAX / 2 / 4, INT64_MAX / 4 / 4}) {
      TypedArray<std::uint32_t> status(reinterpret_cast<std::uint32_t*>(address), stride);
      const ArrayInfo info = {"status", "uint32", Per::kEnvironment, 1, "1"};
      EXPECT_THROW(ArrayCheck("evaluate", 3).add("results.", info, status, {}, true), Error) << stride;
    }
  }
}

TEST(Misuse, OfMemoryThatIsSharedIsAnError) {
  Misuses misuses;
  std::vector<double> memory(1 << 16);
  for (int a = 0; a < kArrays; ++a) {
    for (int b = std::max(a + 1, kInputs); b < kArrays; ++b) {
      Call call;
      const auto overlay = [&](int which, std::size_t at) {
        change_array(call, which, [&](auto& array, std::int64_t) { set_data(array, memory.data() + at); });
      };
      overlay(a, 0);
      overlay(b, 0);
      misuses.expect_error("arrays " + std::to_string(a) + " and " + std::to_string(b), [&] { call.run(); });
      overlay(b, 1);  // the second value of a, or behind its last
      if (a != 5 && a != 6 && a != 9 && a != 15 && a != 18 && a != 20) {
        misuses.expect_error("arrays " + std::to_string(a) + " and, one on, " + std::to_string(b), [&] { call.run(); });
      }
    }
  }
  EXPECT_GT(misuses.count(), 300);
  for (const double x : memory) ASSERT_EQ(x, 0);
}

TEST(Misuse, OfCountsAndBuffersIsAnError) {
  Misuses misuses;
  const auto expect_bad = [&](const std::string& what, const std::function<void(Call&)>& change) {
    Call call;
    change(call);
    misuses.expect_error(what, [&] { call.run(); });
  };
  for (const std::int64_t count : {std::int64_t{-1}, INT64_MIN, INT64_MAX, INT64_MAX / 4, INT64_MAX / 100}) {
    expect_bad("environments", [&](Call& c) { c.state.num_environments = count; });
  }
  expect_bad("no poses", [](Call& c) { c.state.poses = {}; });
  expect_bad("no pair wrenches", [](Call& c) { c.results.pair_wrench = {}; });
  expect_bad("no room for the count", [](Call& c) { c.results.polygons_needed = nullptr; });
  expect_bad("no room for the count", [](Call& c) { c.results.contacts_needed = nullptr; });
  for (const std::int32_t capacity : {-1, INT_MIN}) {
    expect_bad("capacity", [&](Call& c) { c.results.polygons.capacity = capacity; });
    expect_bad("capacity", [&](Call& c) { c.results.contacts.capacity = capacity; });
    expect_bad("capacity of nothing", [&](Call& c) {
      c.results.polygons.data = nullptr;
      c.results.polygons.capacity = capacity;
    });
  }
  for (const std::int64_t count : {std::int64_t{-1}, INT64_MIN}) {
    misuses.expect_error("reserve", [&] { Call().evaluator.reserve(count); });
  }

  const Call call;
  const auto part = [&](std::int64_t begin, std::int64_t count) {
    misuses.expect_error("part_of", [&] { part_of(call.state, call.scene, begin, count); });
  };
  part(-1, 1), part(0, -1), part(0, 4), part(4, 0), part(3, 1), part(INT64_MAX, 1), part(1, INT64_MAX);
  part(INT64_MIN, 1), part(1, INT64_MIN);
  for (const std::int64_t begin : {std::int64_t{-1}, INT64_MIN, INT64_MAX, INT64_MAX / 64}) {
    misuses.expect_error("part_of results", [&] { part_of(call.results, call.scene, begin); });
  }
  EXPECT_EQ(part_of(call.state, call.scene, 3, 0).num_environments, 0);
}

TEST(Misuse, OfOptionsIsAnError) {
  Misuses misuses;
  const Scene scene(boxes_on_ground());
  const auto expect_bad = [&](const std::function<void(EvaluatorOptions&)>& change) {
    EvaluatorOptions options;
    change(options);
    misuses.expect_error("options", [&] { Evaluator(scene, options); });
    misuses.expect_error("options", [&] { HostEvaluator(scene, options); });
  };
  for (const int value : {4, 100, 255}) {
    expect_bad([&](EvaluatorOptions& o) { o.backend = static_cast<Backend>(value); });
    expect_bad([&](EvaluatorOptions& o) { o.precision = static_cast<Precision>(value); });
    detail::CpuOptions options;
    options.vectors = static_cast<detail::Vectors>(value);
    misuses.expect_error("vectors", [&] { detail::make_evaluator(scene, options); });
    expect_bad([&](EvaluatorOptions& o) { o.num_threads = -value; });
    expect_bad([&](EvaluatorOptions& o) { o.device = -value; });
  }
}

TEST(Misuse, OfOwnersOfArraysIsAnError) {
  Misuses misuses;
  const Scene scene{boxes_on_ground()};
  misuses.expect_error("states of -1 environments", [&] { StateArrays(scene.description(), -1); });
  misuses.expect_error("results of -1 environments", [&] { ResultArrays(scene, -1); });
  misuses.expect_error("a polygon capacity of -1", [&] { ResultArrays(scene, 1, {.capacity = {{"polygons", -1}}}); });
  misuses.expect_error("a contact capacity of -1", [&] { ResultArrays(scene, 1, {.capacity = {{"contacts", -1}}}); });

  StateArrays states(scene.description(), 3);
  for_each_input(
      [&](const ArrayInfo& info, auto& values) {
        values.resize(values.size() + 7);
        misuses.expect_error(std::string(info.name) + " of another size", [&] { states.view(); });
        values.resize(values.size() - 7);
      },
      states);
  for (const auto& [begin, count] : {std::pair{-1, 1}, {0, -1}, {2, 2}, {4, 0}}) {
    misuses.expect_error("a view of states", [&, b = begin, c = count] { states.view(b, c); });
  }
  ResultArrays results(scene, 3);
  misuses.expect_error("a view of results", [&] { results.view(4); });
  results.area.pop_back();
  misuses.expect_error("areas of another size", [&] { results.view(); });
  results.area.clear();
  EXPECT_EQ(results.view().area.data, nullptr);
  EXPECT_NO_THROW(states.view(3, 0));
}

TEST(Misuse, OfWhatWasMovedFromIsAnError) {
  Misuses misuses;
  Scene scene(boxes_on_ground());
  const Scene taken = std::move(scene);
  // NOLINTBEGIN(bugprone-use-after-move)
  misuses.expect_error("description", [&] { scene.description(); });
  misuses.expect_error("num_bodies", [&] { scene.num_bodies(); });
  misuses.expect_error("num_pairs", [&] { scene.num_pairs(); });
  misuses.expect_error("data", [&] { scene.data(); });
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    misuses.expect_error("Evaluator", [&] { Evaluator(scene, {backend}); });
    misuses.expect_error("HostEvaluator", [&] { HostEvaluator(scene, {backend}); });
  }
  const Call call;
  misuses.expect_error("part_of", [&] { part_of(call.state, scene, 0, 1); });
  misuses.expect_error("part_of", [&] { part_of(call.results, scene, 0); });

  Evaluator evaluator(taken, kOneThread);
  const Evaluator next = std::move(evaluator);
  misuses.expect_error("evaluate", [&] { evaluator.evaluate(call.state, call.results); });
  misuses.expect_error("reserve", [&] { evaluator.reserve(1); });
  misuses.expect_error("scene", [&] { evaluator.scene(); });
  misuses.expect_error("options", [&] { evaluator.options(); });
  EXPECT_NO_THROW(next.evaluate(call.state, call.results));

  HostEvaluator host(taken, kOneThread);
  const HostEvaluator next_host = std::move(host);
  misuses.expect_error("evaluate", [&] { host.evaluate(call.state, call.results); });
  misuses.expect_error("scene", [&] { host.scene(); });
  misuses.expect_error("options", [&] { host.options(); });
  misuses.expect_error("num_devices", [&] { host.num_devices(); });
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_NO_THROW(next_host.evaluate(call.state, call.results));
}

// --- meshes

TEST(Misuse, OfFunctionsOnMeshesIsAnError) {
  Misuses misuses;
  const TetMesh good = make_box_mesh({1, 1, 1});
  const std::vector<Triangle> surface = boundary_triangles(good);
  const std::vector<double> extent(good.points.size(), 1);
  std::vector<std::string> warnings;
  const testing::TemporaryFolder folder;
  const std::string path = folder.path("misuse.vtk");
  for (const std::int32_t index : {-1, 9, INT_MAX, INT_MIN}) {
    TetMesh mesh = good;
    mesh.tets[7][2] = index;
    std::vector<Triangle> triangles = surface;
    triangles[7][2] = index;
    misuses.expect_error("boundary_triangles", [&] { boundary_triangles(mesh); });
    misuses.expect_error("boundary_points", [&] { boundary_points(good, triangles); });
    misuses.expect_error("distance_to_surface", [&] { distance_to_surface(good, triangles); });
    misuses.expect_error("laplace_extent", [&] { laplace_extent(mesh, surface, {}, "m", warnings); });
    misuses.expect_error("laplace_extent", [&] { laplace_extent(good, triangles, {}, "m", warnings); });
    misuses.expect_error("measure_field", [&] { measure_field(mesh, surface, extent); });
    misuses.expect_error("measure_field", [&] { measure_field(good, triangles, extent); });
    misuses.expect_error("component_points", [&] { component_points(mesh); });
    misuses.expect_error("write_vtk", [&] { write_vtk(mesh, path); });
    misuses.expect_error("make_tet_mesh", [&] { make_tet_mesh("m", mesh); });
    misuses.expect_error("make_surface_mesh", [&] { make_surface_mesh("m", {good.points, triangles}); });
    FieldCore core;
    core.kind = FieldCore::Kind::kVertices;
    core.vertices = {index};
    misuses.expect_error("core", [&] { laplace_extent(good, surface, core, "m", warnings); });
  }
  misuses.expect_error("no mesh", [&] { laplace_extent({}, {}, {}, "m", warnings); });
  misuses.expect_error("no mesh", [&] { make_tet_mesh("m", {}); });
  misuses.expect_error("no mesh", [&] { make_surface_mesh("m", {}); });
  for (const std::size_t count : {0U, 8U, 10U}) {
    TetMesh mesh = good;
    mesh.point_data["extent"].assign(count, 1);
    misuses.expect_error("point data", [&] { write_vtk(mesh, path); });
    misuses.expect_error("point data", [&] { make_tet_mesh("m", mesh); });
    misuses.expect_error("extents", [&] { measure_field(good, surface, std::vector<double>(count, 1)); });
  }
  EXPECT_TRUE(boundary_triangles({}).empty());
  EXPECT_TRUE(component_points({}).empty());
  EXPECT_TRUE(distance_to_surface({}, {}).empty());
  for (const int value : {5, 255}) {
    FieldOptions options;
    options.kind = static_cast<FieldOptions::Kind>(value);
    misuses.expect_error("field", [&] { make_tet_mesh("m", good, options); });
    options = {};
    options.all_boundary_tets = static_cast<AllBoundaryTets>(value);
    misuses.expect_error("policy", [&] { make_tet_mesh("m", good, options); });
    options = {};
    options.strain.kind = static_cast<StrainMap::Kind>(value);
    misuses.expect_error("strain", [&] { make_tet_mesh("m", good, options); });
    misuses.expect_error("strain", [&] { mapped_extent(options.strain, 0.5); });
    options = {};
    options.kind = FieldOptions::Kind::kLaplace;
    options.core.kind = static_cast<FieldCore::Kind>(value);
    misuses.expect_error("core", [&] { make_tet_mesh("m", good, options); });
  }
  misuses.expect_error("table", [] { mapped_extent({StrainMap::Kind::kTable, 0, {}}, 0.5); });
  misuses.expect_error("table", [] { mapped_extent({StrainMap::Kind::kTable, 0, {{0, 0}}}, 0.5); });
  misuses.expect_error("true strain", [] { mapped_extent({StrainMap::Kind::kTrue, 1, {}}, 0.5); });
  misuses.expect_error("power", [] { mapped_extent({StrainMap::Kind::kPower, kNan, {}}, 0.5); });
  misuses.expect_error("extent", [] { mapped_extent({}, kNan); });
}

TEST(Misuse, OfSizesIsAnError) {
  Misuses misuses;
  for (const double bad : {kNan, kInfinity, -kInfinity, 0.0, -1.0, 1e11, 1e300, 1e-12, 1e-300}) {
    const std::string what = "size " + std::to_string(bad);
    misuses.expect_error(what, [&] { make_sphere("m", bad, 1); });
    misuses.expect_error(what, [&] { make_box("m", {bad, bad, bad}); });
    misuses.expect_error(what, [&] { make_ellipsoid("m", {bad, bad, bad}, 1); });
    misuses.expect_error(what, [&] { make_cylinder("m", bad, bad, 8); });
    misuses.expect_error(what, [&] { make_capsule("m", bad, bad, 8); });
    const double edge = std::fabs(bad);  // a hull may lie on any side
    if (bad != -1) {
      misuses.expect_error(what, [&] {
        make_convex_hull("m", {{0, 0, 0}, {edge, 0, 0}, {0, edge, 0}, {0, 0, edge}, {edge, edge, edge}});
      });
    }
    misuses.expect_error(what, [&] { make_half_space("m", 100 * bad); });
    misuses.expect_error(what, [&] { make_bolt("m", metric_bolt(bad)); });
    misuses.expect_error(what, [&] { make_nut("m", metric_nut(bad)); });
  }
  for (const int count : {-1, 8, INT_MAX, INT_MIN}) {
    misuses.expect_error("subdivisions", [&] { make_sphere("m", 1, count); });
    misuses.expect_error("subdivisions", [&] { make_ellipsoid("m", {1, 1, 1}, count); });
    misuses.expect_error("segments", [&] { make_cylinder("m", 1, 1, count == 8 ? 9 : count); });
    misuses.expect_error("segments", [&] { make_capsule("m", 1, 1, count == 8 ? 1028 : count); });
  }
}

}  // namespace
}  // namespace isopatch::test

// SPDX-License-Identifier: Apache-2.0
//
// What the caller's thread has set for its own arithmetic changes no bit, and is still set afterwards.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "host/threads/parallel_for.h"
#include "isopatch/scene/scene_file.h"
#include "tests/support/hash.h"
#include "tests/threads/caller_mode.h"

namespace isopatch::test {

using namespace detail;

namespace {

template <class T>
void add(Hash& hash, const std::vector<T>& values) {
  hash.bytes(values.data(), values.size() * sizeof(T));
}

std::uint64_t bits(const TetMesh& mesh) {
  Hash hash;
  add(hash, mesh.points);
  add(hash, mesh.tets);
  for (const auto& [name, values] : mesh.point_data) add(hash, values);
  return hash.value();
}

std::uint64_t bits(const TriangleMesh& mesh) {
  Hash hash;
  add(hash, mesh.points);
  add(hash, mesh.triangles);
  return hash.value();
}

std::uint64_t bits(const Geometry& geometry) {
  Hash hash;
  const std::uint64_t mesh = bits(geometry.mesh);
  hash.bytes(&mesh, sizeof(mesh));
  add(hash, geometry.surface);
  add(hash, geometry.extent);
  hash.bytes(&geometry.thickness, sizeof(geometry.thickness));
  hash.bytes(&geometry.report.volume, sizeof(double)).bytes(&geometry.report.mean_quality, sizeof(double));
  return hash.value();
}

std::uint64_t bits(double value) { return Hash().bytes(&value, sizeof(value)).value(); }

/// `make` gives the same bits in every mode.
void expect_same_bits(const char* what, const std::function<std::uint64_t()>& make) {
  SCOPED_TRACE(what);
  const std::uint64_t expected = make();
  for (const Mode& mode : other_modes()) {
    const CallerMode caller(mode);
    const std::uint64_t found = make();
    const bool intact = caller.intact();
    EXPECT_EQ(found, expected) << mode.name;
    EXPECT_TRUE(intact) << mode.name;
  }
}

// So that the tests below can tell.
TEST(CallerMode, ChangesArithmetic) {
  volatile double three = 3, tiny = 1e-310;
  volatile const double nearest = 1 / three;
  const CallerMode up({"", FE_UPWARD, true});
  EXPECT_GT(1 / three, nearest);
  volatile const long double third = 1.0L / three;
  EXPECT_GT(third * three, 1.0L);
#if defined(__x86_64__)
  EXPECT_EQ(2 * tiny, 0);
#endif
}

TEST(CallerMode, ChangesNoMesh) {
  const Point3 size = {0.1, 0.13, 0.17};
  std::vector<Point3> points;
  Random random(5);
  for (int i = 0; i < 40; ++i) {
    points.push_back({random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)});
  }
  expect_same_bits("sphere", [] { return bits(make_sphere("a", 0.07, 2)); });
  expect_same_bits("box", [&] { return bits(make_box("a", size)); });
  expect_same_bits("ellipsoid", [&] { return bits(make_ellipsoid("a", size, 2)); });
  expect_same_bits("cylinder", [] { return bits(make_cylinder("a", 0.03, 0.1, 32)); });
  expect_same_bits("capsule", [] { return bits(make_capsule("a", 0.03, 0.1, 16)); });
  expect_same_bits("hull", [&] { return bits(make_convex_hull("a", points)); });
  expect_same_bits("bolt", [] { return bits(make_bolt("a", metric_bolt(0.007))); });
  expect_same_bits("nut", [] { return bits(make_nut("a", metric_nut(0.007))); });
  expect_same_bits("half space", [] { return bits(make_half_space("a", 0.07)); });
  expect_same_bits("bolt's surface",
                   [] { return bits(make_surface_mesh("a", make_bolt_surface(metric_bolt(0.007)))); });
  expect_same_bits("nut's surface", [] { return bits(make_surface_mesh("a", make_nut_surface(metric_nut(0.007)))); });
  expect_same_bits("segments", [] { return bits(circle_segments(0.03, 0.0007) + sphere_subdivisions(0.03, 0.007)); });
}

TEST(CallerMode, ChangesNoField) {
  const TetMesh mesh = make_bolt_mesh(metric_bolt(0.007));
  const std::vector<Triangle> surface = boundary_triangles(mesh);
  expect_same_bits("distance", [&] {
    Hash hash;
    add(hash, distance_to_surface(mesh, surface));
    return hash.value();
  });
  expect_same_bits("laplace", [&] {
    Hash hash;
    std::vector<std::string> warnings;
    add(hash, laplace_extent(mesh, surface, {}, "a", warnings));
    return hash.value();
  });
  const std::vector<double> extent = make_tet_mesh("a", mesh).extent;
  expect_same_bits("quality", [&] { return bits(measure_field(mesh, surface, extent).aligned_faces); });
  const std::vector<std::array<double, 2>> table = {{0, 0}, {0.3, 0.1}, {1, 1}};
  const StrainMap strains[] = {
      {StrainMap::Kind::kTrue, 0.3, {}}, {StrainMap::Kind::kPower, 1.7, {}}, {StrainMap::Kind::kTable, 0, table}};
  std::vector<double> extents;
  for (int i = 0; i < 50; ++i) extents.push_back(0.0199 * i);
  for (const StrainMap& strain : strains) {
    expect_same_bits("strain", [&] {
      Hash hash;
      for (const double e : extents) {
        const double value = mapped_extent(strain, e);
        hash.bytes(&value, sizeof(value));
      }
      return hash.value();
    });
    FieldOptions options;
    options.kind = FieldOptions::Kind::kLaplace;
    options.strain = strain;
    expect_same_bits("mapped field", [&] { return bits(make_tet_mesh("a", make_sphere_mesh(0.1, 1), options)); });
  }
}

TEST(CallerMode, ChangesNothingThatIsRead) {
  expect_same_bits("vtk", [] {
    return bits(
        parse_vtk("# vtk DataFile Version 2.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
                  "0.1 0.2 0.3  1.1000000000000000000001 0.7 1e-3  0.12345678901234567890123 2.3 0.1\n"
                  "4.9e-310 0.30000000000000000001 1.7\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
                  "a"));
  });
  expect_same_bits("obj", [] {
    return bits(
        parse_obj("v 0.1 0.2 0.3\nv 1.10000000000000000000001 0.7 1e-3\nv 0.12345678901234567890123 2.3 0.1\n"
                  "v 4.9e-310 0.3 1.7\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
                  "a"));
  });
  expect_same_bits("scene", [] {
    const SceneDescription scene = parse_scene(
        R"({"isopatch": 1, "geometries": {"a": {"type": "sphere", "radius": 0.1}, "b": {"type": "box",
            "size": [0.1, 0.30000000000000000001, 0.7]}}, "bodies": [{"name": "a", "geometry": "a", "modulus": 123456.7,
            "position": [0.12345678901234567890123, 0.1, 1e-3]}, {"name": "b", "geometry": "b", "friction": 0.3}]})",
        ".", "a");
    Hash hash;
    for (const Body& body : scene.bodies) hash.bytes(body.pose.data(), sizeof(body.pose)).bytes(&body.modulus, 8);
    const std::uint64_t a = bits(scene.geometries[0]), b = bits(scene.geometries[1]);
    return hash.bytes(&a, sizeof(a)).bytes(&b, sizeof(b)).value();
  });
}

std::uint64_t bits(const CpuOptions& options) {
  // whose batch is made in the standard mode
  static const Scene scene{mixed_scene()};
  static const Batch batch = random_batch(scene, 20, 34, 0.3, true);
  return hash_of(
      evaluate_with(make_evaluator(Scene(scene.description()), options), batch, detail::Outputs::kPolygons, 512));
}

TEST(CallerMode, ChangesNoEvaluationOnAnyNumberOfThreads) {
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const std::uint64_t expected = bits(CpuOptions{{.precision = precision, .num_threads = 1}});
    for (const int threads : {1, 2, 3}) {
      CpuOptions options;
      options.precision = precision;
      options.num_threads = threads;
      options.vectors = threads == 3 ? Vectors::kNone : Vectors::kBest;
      expect_same_bits("cpu", [&] { return bits(options); });
      EXPECT_EQ(bits(options), expected) << threads << " threads";
    }
  }
}

TEST(CallerMode, ChangesNoReference) {
  static const Scene scene{boxes_on_ground()};
  static const Batch batch = random_batch(scene, 6, 35, 0.3);
  for (const int threads : {1, 2, 3}) {
    expect_same_bits("reference", [&] {
      return hash_of(evaluate(scene, batch, {.backend = Backend::kReference, .num_threads = threads}));
    });
  }
}

// The threads that build a scene are started by a thread in another mode.
TEST(CallerMode, ChangesNoSceneThatThreadsBuild) {
  const SceneDescription description = mixed_scene();
  const Batch batch = random_batch(Scene(description), 8, 36, 0.3);
  expect_same_bits("scene", [&] {
    const ParallelismScope all({.threads = 3, .alone = 16});
    const Scene scene(description);
    return hash_of(evaluate(scene, batch, {.num_threads = 1}));
  });
}

#if defined(__x86_64__) && defined(__GLIBC__)
TEST(CallerMode, MayTrapWhatIsInexact) {
  const std::uint64_t expected = bits(CpuOptions{{.num_threads = 2}});
  static const Scene scene{mixed_scene()};
  static const Batch batch = random_batch(scene, 20, 34, 0.3, true);
  UnwrittenResults results(scene, batch.num_environments, detail::Outputs::kPolygons, 512);
  const Evaluator evaluator(scene, {.num_threads = 2});
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_INEXACT | FE_DIVBYZERO);
  evaluator.evaluate(batch.state(), results.view());
  const int trapping = fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_EQ(trapping, FE_INEXACT | FE_DIVBYZERO);
  EXPECT_EQ(hash_of(results), expected);
}
#endif

}  // namespace
}  // namespace isopatch::test

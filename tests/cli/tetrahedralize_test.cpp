// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "host/cli/commands.h"
#include "host/mesh/topology/triangle_tree.h"
#include "host/meshing/coarsening.h"
#include "host/meshing/tetrahedralize.h"
#include "isopatch/isopatch.h"
#include "tests/mesh/grid_meshes.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using isopatch::testing::contains;
using isopatch::testing::error_of;

bool is_there(const std::string& mesher) {
  try {
    find_mesher(mesher);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// PATH for the life of the object.
class Path {
 public:
  explicit Path(const std::string& value) {
    if (const char* before = std::getenv("PATH")) before_ = before;
    setenv("PATH", value.c_str(), 1);
  }
  ~Path() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

class Tetrahedralize : public ::testing::Test {
 protected:
  void SetUp() override {
    arguments_.input = source_path("tests/scenes/cube.obj");
    arguments_.output = path("out.vtk");
  }

  std::string path(const std::string& name) const { return temporary_.path(name); }

  std::string run() const {
    ::testing::internal::CaptureStdout();
    tetrahedralize_command(arguments_);
    std::fflush(stdout);
    return ::testing::internal::GetCapturedStdout();
  }

  std::string error() const {
    return error_of([&] { tetrahedralize_command(arguments_); });
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  /// A program named tetgen that runs `script`, the only one on PATH but for the system's own.
  Path fake_tetgen(const std::string& script) const {
    write("tetgen", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path("tetgen"), std::filesystem::perms::owner_all);
    return Path(temporary_.folder().string());
  }

  isopatch::testing::TemporaryFolder temporary_;
  TetrahedralizeArguments arguments_;
};

/// A surface as an OBJ file.
std::string obj_text(const TriangleMesh& mesh) {
  std::ostringstream text;
  text.precision(17);
  for (const auto& [x, y, z] : mesh.points) text << "v " << x << " " << y << " " << z << "\n";
  for (const auto& [a, b, c] : mesh.triangles) text << "f " << a + 1 << " " << b + 1 << " " << c + 1 << "\n";
  return text.str();
}

/// Corners of all triangles in nanometres, each from its smallest. Gmsh writes 16 digits.
using Corner = std::array<long, 3>;
std::set<std::array<Corner, 3>> corners_of(const std::vector<Point3>& points, const std::vector<Triangle>& triangles) {
  std::set<std::array<Corner, 3>> result;
  for (const Triangle& t : triangles) {
    std::array<Corner, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) corners[i][k] = std::lround(1e9 * points[static_cast<std::size_t>(t[i])][k]);
    }
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    result.insert(corners);
  }
  return result;
}

class EachMesher : public Tetrahedralize, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (!is_there(GetParam())) GTEST_SKIP() << GetParam() << " is not on PATH";
    Tetrahedralize::SetUp();
    arguments_.mesher = GetParam();
  }

  /// Nothing crosses, and every tet has an inner vertex with pressure. Returns the mesh that was written.
  Geometry written() const {
    Geometry geometry = make_tet_mesh(arguments_.output, read_tet_mesh(arguments_.output));
    EXPECT_EQ(geometry.report.crossing_edges, 0);
    EXPECT_EQ(geometry.report.all_boundary_tets, 0);
    EXPECT_EQ(geometry.report.inverted_tets, 0);
    EXPECT_TRUE(geometry.warnings.empty());
    EXPECT_GT(geometry.report.interior_points, 0);
    for (const Tet& tet : geometry.mesh.tets) {
      EXPECT_TRUE(std::any_of(tet.begin(), tet.end(),
                              [&](std::int32_t v) { return geometry.extent[static_cast<std::size_t>(v)] > 0; }));
    }
    return geometry;
  }

  /// The triangles of the surface are kept and filled.
  void expect_filled(const TriangleMesh& surface) const {
    const Geometry geometry = written();
    EXPECT_TRUE(corners_of(geometry.mesh.points, geometry.surface) == corners_of(surface.points, surface.triangles));
  }

  /// The shape of the surface is kept and filled, whatever its triangles.
  void expect_filled_shape(const TriangleMesh& surface) const {
    constexpr double kRounding = 1e-12;  // Gmsh writes 16 digits
    const Geometry geometry = written();
    const double volume = make_surface_mesh("surface", surface).report.volume;
    EXPECT_NEAR(geometry.report.volume, volume, kRounding * volume);
    const detail::TriangleTree shape(surface.points, surface.triangles);
    for (const Triangle& t : geometry.surface) {
      for (const std::int32_t v : t) {
        EXPECT_LT(std::sqrt(shape.squared_distance(geometry.mesh.points[static_cast<std::size_t>(v)])), kRounding);
      }
    }
  }

  /// The tets that fill the file `input` with this edge length.
  std::size_t tets_with(std::optional<double> edge_length) {
    arguments_.edge_length = edge_length;
    const std::string out = run();
    EXPECT_EQ(contains(out, "triangles by --edge-length"), edge_length.has_value()) << out;
    return read_tet_mesh(arguments_.output).tets.size();
  }
};

TEST_P(EachMesher, FillsACube) {
  const std::string out = run();
  EXPECT_TRUE(contains(out, GetParam())) << out;
  EXPECT_TRUE(contains(out, "12  triangles of 12 in the file")) << out;
  expect_filled(read_triangle_mesh(arguments_.input));
}

TEST_P(EachMesher, FillsASurfaceWithSeams) {
  const TriangleMesh closed = read_triangle_mesh(arguments_.input);
  TriangleMesh seams = closed;  // every corner is a point of its own
  seams.points.clear();
  for (Triangle& t : seams.triangles) {
    for (std::int32_t& v : t) {
      seams.points.push_back(closed.points[static_cast<std::size_t>(v)]);
      v = static_cast<std::int32_t>(seams.points.size()) - 1;
    }
  }
  write("seams.obj", obj_text(seams));
  arguments_.input = path("seams.obj");
  run();
  expect_filled(closed);
}

TEST_P(EachMesher, FillsABoltAndSplitsTetsOfItsTeeth) {
  Bolt bolt;
  bolt.segments = 12;
  const TriangleMesh surface = make_bolt_surface(bolt);
  write("bolt.obj", obj_text(surface));
  arguments_.input = path("bolt.obj");
  const std::string out = run();
  EXPECT_TRUE(contains(out, " of the mesher were split")) << out;
  EXPECT_TRUE(contains(out, " of the mesher, through the inside")) << out;
  EXPECT_FALSE(contains(out, "  0  of the mesher, through the inside")) << out;
  EXPECT_FALSE(contains(out, "  0 of the mesher were split")) << out;
  expect_filled(surface);
}

TEST_P(EachMesher, ShorterEdgesMakeMoreTets) {
  const Geometry ball = make_sphere("ball", 0.05, 3);
  const TriangleMesh surface = {ball.mesh.points, ball.surface};
  write("ball.obj", obj_text(surface));
  arguments_.input = path("ball.obj");
  const std::size_t coarse = tets_with({});
  EXPECT_GT(tets_with(0.004), 2 * coarse);
  expect_filled_shape(surface);
}

// Large triangles keep a mesher's vertices away: with those of the file, a wall of one layer stayed one layer.
TEST_P(EachMesher, ShorterEdgesRefineThinWallsToo) {
  TetMesh wall = isopatch::testing::block_mesh({0.04, 0.04, 0.004}, {10, 10, 1});
  check_and_repair(wall, "wall", AllBoundaryTets::kKeep);
  const TriangleMesh surface = {wall.points, boundary_triangles(wall)};
  write("wall.obj", obj_text(surface));
  arguments_.input = path("wall.obj");
  const std::size_t coarse = tets_with({});
  EXPECT_GT(tets_with(0.002), 2 * coarse);
  expect_filled_shape(surface);
  EXPECT_GT(tets_with(0.001), 8 * coarse);
}

TEST_P(EachMesher, CoarsensASurfaceFirst) {
  if (!kCanCoarsen) GTEST_SKIP() << "built without meshoptimizer";
  const Geometry ball = make_sphere("ball", 0.05, 3);
  write("ball.obj", obj_text({ball.mesh.points, ball.surface}));
  arguments_.input = path("ball.obj");
  run();
  const std::size_t tets = read_tet_mesh(arguments_.output).tets.size();
  arguments_.triangles = 100;
  const std::string out = run();
  EXPECT_TRUE(contains(out, "\n  coarsened to                   100  triangles by --triangles, moved by about "))
      << out;
  const Geometry coarse = written();
  EXPECT_EQ(coarse.surface.size(), 100u);
  EXPECT_LT(2 * coarse.mesh.tets.size(), tets);
  EXPECT_NEAR(coarse.report.volume, ball.report.volume, 1e-6 * ball.report.volume);
}

// Collapsed edges folded triangles of scans back onto their neighbours, which no mesher fills.
TEST_P(EachMesher, CoarsensAScan) {
  if (!kCanCoarsen) GTEST_SKIP() << "built without meshoptimizer";
  if (!have_data_file("mustard_bottle.obj")) GTEST_SKIP() << missing_data_file("mustard_bottle.obj");
  arguments_.input = data_file("mustard_bottle.obj");
  const double volume = make_surface_mesh("bottle", read_triangle_mesh(arguments_.input)).report.volume;
  for (const int count : {300, 1024, 5000, 8000}) {
    arguments_.triangles = count;
    run();
    const Geometry coarse = written();
    EXPECT_NEAR(coarse.surface.size(), count, 0.2 * count);
    EXPECT_NEAR(coarse.report.volume, volume, 1e-6 * volume);
  }
}

TEST_P(EachMesher, SaysThatItRefinesAndCoarsensNothing) {
  arguments_.edge_length = 1;
  arguments_.triangles = 100;
  ::testing::internal::CaptureStderr();
  const std::string out = run();
  EXPECT_TRUE(contains(out,
                       "\n  cut into                        12  triangles: --edge-length cuts none, since all are "
                       "finer; --triangles coarsens\n"))
      << out;
  EXPECT_TRUE(contains(::testing::internal::GetCapturedStderr(),
                       "--triangles 100: the surface has only 12 triangles, which stay as they are\n"));
}

TEST_P(EachMesher, FillsScannedObjects) {
  for (const char* name : {"mustard_bottle.obj", "evo_bowl_col.obj"}) {
    if (!have_data_file(name)) GTEST_SKIP() << missing_data_file(name);
    arguments_.input = data_file(name);
    run();
    const Geometry filled = make_tet_mesh(name, read_tet_mesh(arguments_.output));
    const Geometry surface = make_surface_mesh(name, read_triangle_mesh(arguments_.input));
    EXPECT_TRUE(filled.warnings.empty()) << name;
    EXPECT_NEAR(filled.report.volume, surface.report.volume, 1e-9 * surface.report.volume) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Meshers, EachMesher, ::testing::Values("tetgen", "gmsh"),
                         [](const auto& mesher) { return std::string(mesher.param); });

TEST_F(Tetrahedralize, SaysWhatToInstallWhereThereIsNoMesher) {
  const Path path("/nonexistent:" + temporary_.folder().string());
  EXPECT_EQ(error(), "no mesher, TetGen or Gmsh, on PATH; install one of them (on Debian: apt-get install tetgen)");
  arguments_.mesher = "gmsh";
  EXPECT_EQ(error(), "no gmsh on PATH; install it (on Debian: apt-get install gmsh)");
  EXPECT_FALSE(std::filesystem::exists(arguments_.output));
}

TEST_F(Tetrahedralize, TellsTheLastWordsOfAMesherThatFails) {
  {
    const Path only = fake_tetgen("echo first; echo Two facets intersect; echo; exit 3");
    EXPECT_TRUE(contains(
        error(), "cube.obj: " + path("tetgen") + " exited with status 3; it last printed: \"Two facets intersect\""))
        << error();
  }
  {
    const Path only = fake_tetgen("kill -6 $$");
    EXPECT_TRUE(contains(error(), "was killed by signal 6")) << error();
  }
  {
    const Path only = fake_tetgen("exit 0");
    EXPECT_TRUE(contains(error(), "tetgen wrote no mesh")) << error();
  }
  EXPECT_FALSE(std::filesystem::exists(arguments_.output));
}

TEST_F(Tetrahedralize, CutsOffAMesherThatFloodsItsLog) {
  const Path only = fake_tetgen(
      "line=0123456789012345678901234567890123456789012345678901234567890123\n"
      "line=$line$line$line$line; line=$line$line$line$line; line=$line$line$line$line\n"
      "while :; do echo \"$line$line$line$line\"; done");
  EXPECT_TRUE(contains(error(), "was killed: it printed more than 64 MiB; it last printed: \"")) << error();
}

TEST_F(Tetrahedralize, DoesNotWaitForWhatAMesherLeftRunning) {
  const Path only = fake_tetgen("PATH=/bin:/usr/bin; sleep 600 & exit 3");
  EXPECT_TRUE(contains(error(), "exited with status 3")) << error();
}

TEST_F(Tetrahedralize, LeavesNoFilesWhenItIsEnded) {
  write("tetgen", "#!/bin/sh\nPATH=/bin:/usr/bin\necho $$ > " + path("id") + "\nexec sleep 600\n");
  std::filesystem::permissions(path("tetgen"), std::filesystem::perms::owner_all);
  std::filesystem::create_directory(path("tmp"));
  const std::string command = "PATH=" + temporary_.folder().string() + ":$PATH TMPDIR=" + path("tmp") + " " +
                              program_path() + " tetrahedralize " + arguments_.input + " " + arguments_.output +
                              " 2>/dev/null & pid=$!; while ! [ -s " + path("id") +
                              " ]; do sleep 0.05; done; kill -TERM $pid; wait $pid";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 130);
  EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
  EXPECT_NE(WEXITSTATUS(std::system(("kill -0 $(cat " + path("id") + ") 2>/dev/null").c_str())), 0) << "still runs";
}

// A folder without a lock is that of a killed run.
TEST_F(Tetrahedralize, RemovesWhatAKilledRunLeft) {
  const std::string old = path("tmp/isopatch_mesher_abcdef");
  std::filesystem::create_directories(old);
  write("tmp/isopatch_mesher_abcdef/surface.mesh", "points");
  std::filesystem::last_write_time(old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  write("tetgen", "#!/bin/sh\nexit 3\n");
  std::filesystem::permissions(path("tetgen"), std::filesystem::perms::owner_all);
  const std::string command = "PATH=" + temporary_.folder().string() + ":$PATH TMPDIR=" + path("tmp") + " " +
                              program_path() + " tetrahedralize " + arguments_.input + " " + arguments_.output +
                              " 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
}

TEST_F(Tetrahedralize, RefusesTetsThatLeavePartsOut) {
  write_vtk(isopatch::testing::one_tet(), path("part.vtk"));
  const Path only =
      fake_tetgen("while read line; do echo \"$line\"; done < " + path("part.vtk") + " > \"${2%.mesh}.vtk\"");
  EXPECT_TRUE(contains(error(), "have a volume of 0.166667 m^3, the surface one of 0.001 m^3")) << error();
  EXPECT_FALSE(std::filesystem::exists(arguments_.output));
}

TEST_F(Tetrahedralize, SaysWhereASurfaceCutsThroughItself) {
  TriangleMesh two = read_triangle_mesh(arguments_.input);
  const TriangleMesh one = two;
  for (const Point3& p : one.points) two.points.push_back({p[0] + 0.03, p[1] + 0.03, p[2] + 0.03});
  for (const auto& [a, b, c] : one.triangles) two.triangles.push_back({a + 8, b + 8, c + 8});
  write("two.obj", obj_text(two));
  arguments_.input = path("two.obj");
  EXPECT_TRUE(contains(error(), "two.obj: the surface cuts through itself at 8 triangles, first at triangle "))
      << error();
  EXPECT_TRUE(contains(error(), "; unite its parts, in Blender or by trimesh's boolean.union()")) << error();
}

TEST_F(Tetrahedralize, RefusesBadCountsOfTriangles) {
  for (const char* count : {"0", "3", "3.5", "-1", "many"}) {
    const isopatch::testing::Outcome result = isopatch::testing::run_program(
        "tetrahedralize " + arguments_.input + " " + arguments_.output + " --triangles=" + count);
    EXPECT_EQ(result.code, 2) << count;
    EXPECT_EQ(result.out, "isopatch: error: --triangles: '" + std::string(count) +
                              "' is not a whole number from 4 to 2147483647; see isopatch tetrahedralize --help\n");
  }
}

TEST_F(Tetrahedralize, RefusesBadArgumentsBeforeItRunsAMesher) {
  const Path path_of_none("/nonexistent");
  arguments_.edge_length = 0;
  EXPECT_TRUE(contains(error(), "--edge-length: must be finite and greater than 0, found 0"));
  arguments_.edge_length.reset();
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  arguments_.input = path("open.obj");
  EXPECT_TRUE(contains(error(), "the surface must be closed")) << error();
  arguments_.output = path("missing/out.vtk");
  EXPECT_TRUE(contains(error(), "missing")) << error();
}

}  // namespace
}  // namespace isopatch::cli

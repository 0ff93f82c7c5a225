// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/mesh_files.h"

#include <filesystem>

#include "isopatch/geometry/triangle_mesh.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/paths/paths.h"
#include "tests/support/temporary_folder.h"

namespace isopatch {
namespace {

using testing::contains;
using testing::error_of;

TEST(MeshFiles, MayHaveExtensionsInCapitals) {
  const testing::TemporaryFolder folder;
  const std::string corpus = source_path("tests/fuzz/corpus/");
  for (const char* file : {"obj/cube.obj", "stl/ascii.stl", "ply/ascii.ply", "off/tet.off", "gltf/tet.glb"}) {
    const std::string extension = std::filesystem::path(file).extension().string();
    std::string upper = extension;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string path = folder.path("part" + upper);
    std::filesystem::copy_file(corpus + file, path);
    EXPECT_TRUE(detail::is_surface_file(path));
    EXPECT_EQ(read_triangle_mesh(path).triangles, read_triangle_mesh(corpus + file).triangles) << path;
  }
  std::filesystem::copy_file(corpus + "vtk/cube.vtk", folder.path("part.Vtk"));
  EXPECT_EQ(read_tet_mesh(folder.path("part.Vtk")).tets, read_tet_mesh(corpus + "vtk/cube.vtk").tets);
}

TEST(MeshFiles, SayHowToConvertOtherFormats) {
  EXPECT_EQ(
      error_of([] { read_triangle_mesh("cad/part.STEP"); }),
      "cad/part.STEP: .step is a STEP model of CAD, which is not read: `gmsh cad/part.STEP -2 -o cad/part.stl` makes "
      "a surface of one");
  EXPECT_EQ(
      error_of([] { read_tet_mesh("a part.igs"); }),
      "a part.igs: .igs is an IGES model of CAD, which is not read: `gmsh part.igs -2 -o part.stl` makes a surface of "
      "one");
  EXPECT_TRUE(contains(error_of([] { read_triangle_mesh("part.dae"); }), "`assimp export part.dae part.obj`"));
  for (const char* name : {"a.stp", "a.iges", "a.brep", "a.3mf", "a.fbx", "a.3ds", "a.x3d", "a.wrl", "a.blend",
                           "a.usdz", "a.sldprt", "a.vtp", "a.inp", "a.med"}) {
    EXPECT_TRUE(contains(error_of([&] { read_triangle_mesh(name); }), ", which is not read: ")) << name;
  }
}

TEST(MeshFiles, SayWhatIsReadInstead) {
  EXPECT_EQ(
      error_of([] { read_triangle_mesh("a.txt"); }),
      "a.txt: the extension '.txt' is not one of a surface mesh; .obj and .stl files are read, and so are .ply, .off, "
      ".glb and .gltf");
  EXPECT_TRUE(contains(error_of([] { read_triangle_mesh("a.vtu"); }), "; a file of tets is a \"tet_mesh\""));
  EXPECT_EQ(error_of([] { read_tet_mesh("a.stl"); }),
            "a.stl: the extension '.stl' is not one of a tet mesh; .vtk, .vtu and .msh files are read; isopatch "
            "tetrahedralize a.stl a.vtk makes one");
  EXPECT_TRUE(contains(error_of([] { read_tet_mesh("an object.stl"); }), "tetrahedralize part.stl part.vtk makes one"));
  EXPECT_TRUE(contains(error_of([] { read_tet_mesh("a"); }), "the extension '' is not one"));
}

}  // namespace
}  // namespace isopatch

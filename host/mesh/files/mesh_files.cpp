// SPDX-License-Identifier: Apache-2.0
//
// Chooses the reader by the extension of a file.
#include "host/mesh/files/mesh_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "host/files/input_file.h"
#include "host/mesh/files/file_cursor.h"
#include "host/text/throw_error.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

template <class Mesh>
struct Reader {
  std::string_view extension;
  Mesh (*parse)(const std::string& bytes, const std::string& source);
};

constexpr std::array<Reader<TetMesh>, 3> kTetReaders = {
    {{".vtk", parse_vtk}, {".vtu", parse_vtu}, {".msh", parse_msh}}};
constexpr std::array<Reader<TriangleMesh>, 6> kSurfaceReaders = {{{".obj", parse_obj},
                                                                  {".stl", parse_stl},
                                                                  {".ply", parse_ply},
                                                                  {".off", parse_off},
                                                                  {".glb", parse_gltf},
                                                                  {".gltf", parse_gltf}}};

template <class Readers>
auto reader_of(const Readers& readers, const std::string& extension) {
  return std::find_if(readers.begin(), readers.end(),
                      [&](const auto& reader) { return reader.extension == extension; });
}

template <class Readers>
auto read(const Readers& readers, const std::string& path) {
  return reader_of(readers, extension_of(path))->parse(read_input_file(path, limits::kMaxMeshBytes), path);
}

/// Formats that are not read, and what makes a file of them that is.
struct OtherFormat {
  std::string_view extensions;  // each with its dot, and a space after it
  std::string_view name;
  std::string_view convert;  // {0} is the file, {1} the same without its extension
};

constexpr std::string_view kGmsh = "`gmsh {0} -2 -o {1}.stl` makes a surface of one";
constexpr std::string_view kAssimp = "`assimp export {0} {1}.obj` (Debian: assimp-utils) converts one";
constexpr std::string_view kMeshio = "`meshio convert {0} {1}.vtu` converts one";
constexpr std::string_view kOtherProgram =
    "save the part there as STL, or as STEP, of which `gmsh {1}.step -2 -o {1}.stl` makes a surface";

constexpr OtherFormat kOtherFormats[] = {
    {".step .stp ", "a STEP model of CAD", kGmsh},
    {".iges .igs ", "an IGES model of CAD", kGmsh},
    {".brep ", "a BREP model of CAD", kGmsh},
    {".sldprt .sldasm ", "a document of SolidWorks", kOtherProgram},
    {".ipt .iam ", "a document of Inventor", kOtherProgram},
    {".f3d ", "a document of Fusion", kOtherProgram},
    {".dae ", "a COLLADA model", kAssimp},
    {".3mf ", "a 3MF model", kAssimp},
    {".amf ", "an AMF model", kAssimp},
    {".fbx ", "an FBX model", kAssimp},
    {".3ds ", "a 3DS model", kAssimp},
    {".x3d .x3db .wrl .vrml ", "an X3D or VRML model", kAssimp},
    {".blend ", "a document of Blender",
     "`blender {0} --background --python-expr \"import bpy; bpy.ops.wm.stl_export(filepath='{1}.stl')\"` exports one"},
    {".usd .usda .usdc .usdz ", "a USD scene",
     "`blender --background --python-expr \"import bpy; bpy.ops.wm.read_factory_settings(use_empty=True); "
     "bpy.ops.wm.usd_import(filepath='{0}'); bpy.ops.wm.stl_export(filepath='{1}.stl')\"` converts one"},
    {".vtp ", "PolyData of VTK",
     "`python -c \"import pyvista; pyvista.read('{0}').triangulate().save('{1}.stl')\"` converts one"},
    {".mesh .med .inp .bdf .nas .xdmf .e .exo ", "a mesh of finite elements", kMeshio},
};

/// Whether a shell takes the name as it is.
bool is_plain(const std::string& path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("._-/").find(c) != std::string_view::npos;
  });
}

/// The command that makes a file of tets of a file of a surface.
std::string how_to_fill(const std::string& path) {
  const std::string file = is_plain(path) ? path : "part" + extension_of(path);
  return fmt::format("; isopatch tetrahedralize {} {} makes one", file,
                     std::filesystem::path(file).replace_extension(".vtk").string());
}

[[noreturn]] void refuse(const std::string& path, const char* wanted, const std::string& hint) {
  const std::string advice = advice_for_format(path);
  if (!advice.empty()) throw_error("{}: {}", path, advice);
  throw_error("{}: the extension {} is not one of {}{}", path, in_quotes(extension_of(path)), wanted, hint);
}

}  // namespace

std::string detail::extension_of(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

bool detail::is_tet_mesh_file(const std::string& path) {
  return reader_of(kTetReaders, extension_of(path)) != kTetReaders.end();
}

bool detail::is_surface_file(const std::string& path) {
  return reader_of(kSurfaceReaders, extension_of(path)) != kSurfaceReaders.end();
}

std::string detail::advice_for_format(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension.empty()) return "";
  for (const OtherFormat& format : kOtherFormats) {
    if (format.extensions.find(extension + " ") == std::string_view::npos) continue;
    const std::string file = is_plain(path) ? path : "part" + extension;
    const std::string stem = std::filesystem::path(file).replace_extension().string();
    return fmt::format("{} is {}, which is not read: {}", extension, format.name,
                       fmt::format(fmt::runtime(format.convert), file, stem));
  }
  return "";
}

TetMesh read_tet_mesh(const std::string& path) {
  if (is_tet_mesh_file(path)) return read(kTetReaders, path);
  refuse(path, "a tet mesh; .vtk, .vtu and .msh files are read", is_surface_file(path) ? how_to_fill(path) : "");
}

TriangleMesh read_triangle_mesh(const std::string& path) {
  if (is_surface_file(path)) return read(kSurfaceReaders, path);
  refuse(path, "a surface mesh; .obj and .stl files are read, and so are .ply, .off, .glb and .gltf",
         is_tet_mesh_file(path) ? "; a file of tets is a \"tet_mesh\"" : "");
}

}  // namespace isopatch

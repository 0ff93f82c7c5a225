// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a VTK file: reading, checking and making a geometry succeed or throw Error, nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "isopatch/error.h"
#include "isopatch/geometry.h"
#include "isopatch/mesh.h"

namespace {

using isopatch::AllBoundaryTets;
using isopatch::FieldOptions;
using isopatch::TetMesh;

template <typename Function>
void allow_error(const Function& function) {
  try {
    function();
  } catch (const isopatch::Error& error) {
    if (std::string(error.what()).rfind("fuzz", 0) != 0) std::abort();  // every message names its source first
  }
}

void exercise(const TetMesh& mesh) {
  for (const AllBoundaryTets policy : {AllBoundaryTets::kSplit, AllBoundaryTets::kRefuse, AllBoundaryTets::kKeep}) {
    allow_error([&] {
      TetMesh copy = mesh;
      isopatch::check_and_repair(copy, "fuzz", policy);
      isopatch::check_and_repair(copy, "fuzz", policy);
    });
  }
  allow_error([&] { isopatch::make_tet_mesh("fuzz", mesh); });
  if (mesh.point_data.empty()) return;
  FieldOptions from_file;
  from_file.kind = FieldOptions::Kind::kPointData;
  from_file.point_data = mesh.point_data.begin()->first;
  allow_error([&] { isopatch::make_tet_mesh("fuzz", mesh, from_file); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  allow_error([&] { exercise(isopatch::parse_vtk(bytes, "fuzz")); });
  return 0;
}

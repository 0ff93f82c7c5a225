// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzers of mesh files do with a mesh that was read: check it, make a geometry, evaluate contact. All of it
// succeeds or throws Error, nothing else.
#pragma once

#include <cstdlib>
#include <string>

#include "isopatch/geometry/geometry.h"
#include "tests/fuzz/contact_fuzzing.h"

namespace isopatch::fuzz {

inline void exercise(const TetMesh& mesh) {
  for (const AllBoundaryTets policy : {AllBoundaryTets::kSplit, AllBoundaryTets::kRefuse, AllBoundaryTets::kKeep}) {
    allow_error([&] {
      TetMesh copy = mesh;
      check_and_repair(copy, "fuzz", policy);
      check_and_repair(copy, "fuzz", policy);
    });
  }
  allow_error([&] { evaluate(make_tet_mesh("fuzz", mesh)); });
  if (mesh.point_data.empty()) return;
  FieldOptions from_file;
  from_file.kind = FieldOptions::Kind::kPointData;
  from_file.point_data = mesh.point_data.begin()->first;
  allow_error([&] { evaluate(make_tet_mesh("fuzz", mesh, from_file)); });
}

/// A surface that is accepted has an inside.
inline void exercise(const TriangleMesh& mesh) {
  allow_error([&] {
    const Geometry geometry = make_surface_mesh("fuzz", mesh);
    if (!(geometry.report.volume > 0) || geometry.surface.empty()) std::abort();
    evaluate(geometry);
  });
}

}  // namespace isopatch::fuzz

// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzers of mesh files do with a mesh that was read: checking and making a geometry succeed or throw Error,
// nothing else.
#pragma once

#include <cstdlib>
#include <string>

#include "isopatch/error.h"
#include "isopatch/geometry.h"

namespace isopatch::fuzz {

template <typename Function>
void allow_error(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    if (std::string(error.what()).rfind("fuzz", 0) != 0) std::abort();  // every message names its source first
  }
}

inline void exercise(const TetMesh& mesh) {
  for (const AllBoundaryTets policy : {AllBoundaryTets::kSplit, AllBoundaryTets::kRefuse, AllBoundaryTets::kKeep}) {
    allow_error([&] {
      TetMesh copy = mesh;
      check_and_repair(copy, "fuzz", policy);
      check_and_repair(copy, "fuzz", policy);
    });
  }
  allow_error([&] { make_tet_mesh("fuzz", mesh); });
  if (mesh.point_data.empty()) return;
  FieldOptions from_file;
  from_file.kind = FieldOptions::Kind::kPointData;
  from_file.point_data = mesh.point_data.begin()->first;
  allow_error([&] { make_tet_mesh("fuzz", mesh, from_file); });
}

/// A surface that is accepted has an inside.
inline void exercise(const TriangleMesh& mesh) {
  allow_error([&] {
    const Geometry geometry = make_surface_mesh("fuzz", mesh);
    if (!(geometry.report.volume > 0) || geometry.surface.empty()) std::abort();
  });
}

}  // namespace isopatch::fuzz

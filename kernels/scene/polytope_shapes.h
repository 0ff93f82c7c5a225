// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "isopatch/detail/polytope/shape.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

/// Calls visit(array, size) for each array of a shape, which may replace it.
template <class Visit>
void for_each_array(PolytopeView& shape, const Visit& visit) {
  const std::int32_t sides = shape.faces[shape.num_faces - 1].end, spokes = shape.vertex_begin[shape.num_vertices];
  visit(shape.vertices, shape.num_vertices);
  visit(shape.faces, shape.num_faces);
  visit(shape.sides, sides);
  visit(shape.edges, shape.num_edges);
  visit(shape.vertex_begin, shape.num_vertices + 1);
  visit(shape.spokes, spokes);
  visit(shape.vertex_faces, spokes);
}

/// Copies convex shapes on `stream`, with all of their arrays in one. Returns the views, in the order of the shapes.
inline const PolytopeView* upload_polytopes(const std::deque<PolytopeView>& shapes, UploadedArrays& to,
                                            cudaStream_t stream) {
  std::vector<PolytopeView> views(shapes.begin(), shapes.end());
  std::vector<std::byte> all;
  std::vector<std::size_t> begins;
  for (PolytopeView& shape : views) {
    for_each_array(shape, [&]<class T>(const T* array, std::int32_t size) {
      begins.push_back((all.size() + alignof(T) - 1) / alignof(T) * alignof(T));
      all.resize(begins.back());
      const auto* const bytes = reinterpret_cast<const std::byte*>(array);
      all.insert(all.end(), bytes, bytes + static_cast<std::size_t>(size) * sizeof(T));
    });
  }
  const std::byte* const on_device = to.upload(all, stream);
  auto begin = begins.begin();
  for (PolytopeView& shape : views) {
    for_each_array(shape, [&]<class T>(const T*& array, std::int32_t) {
      array = reinterpret_cast<const T*>(on_device + *begin++);
    });
  }
  return to.upload(views, stream);
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "isopatch/detail/polytope/shape.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

/// The elements of one kind of all shapes, one shape after another, in host memory and then on the device.
template <class T>
class DeviceElements {
 public:
  /// Where those of a shape begin.
  std::size_t add(const T* from, std::int32_t count) {
    const std::size_t begin = host_.size();
    if (count > 0) host_.insert(host_.end(), from, from + count);
    return begin;
  }
  void upload(cudaStream_t stream) { device_ = DeviceBuffer<T>(host_, stream); }
  const T* at(std::size_t begin) const { return device_.data() + begin; }

 private:
  std::vector<T> host_;
  DeviceBuffer<T> device_;
};

/// Convex shapes in device memory.
class DevicePolytopes {
 public:
  /// Copies on `stream`, and returns when all is there.
  DevicePolytopes(const std::deque<PolytopeView>& shapes, cudaStream_t stream) {
    std::vector<PolytopeView> views(shapes.begin(), shapes.end());
    std::vector<Begin> begins;
    for (const PolytopeView& shape : views) begins.push_back(add(shape));
    vertices_.upload(stream);
    faces_.upload(stream);
    sides_.upload(stream);
    edges_.upload(stream);
    vertex_begin_.upload(stream);
    spokes_.upload(stream);
    vertex_faces_.upload(stream);
    for (std::size_t i = 0; i < views.size(); ++i) point(views[i], begins[i]);
    views_ = DeviceBuffer<PolytopeView>(views, stream);
  }

  /// In the order of the shapes.
  const PolytopeView* views() const { return views_.data(); }

 private:
  struct Begin {
    std::size_t vertices, faces, sides, edges, vertex_begin, spokes, vertex_faces;
  };

  Begin add(const PolytopeView& shape) {
    const std::int32_t spokes = shape.vertex_begin[shape.num_vertices];
    return {vertices_.add(shape.vertices, shape.num_vertices),
            faces_.add(shape.faces, shape.num_faces),
            sides_.add(shape.sides, shape.faces[shape.num_faces - 1].end),
            edges_.add(shape.edges, shape.num_edges),
            vertex_begin_.add(shape.vertex_begin, shape.num_vertices + 1),
            spokes_.add(shape.spokes, spokes),
            vertex_faces_.add(shape.vertex_faces, spokes)};
  }

  void point(PolytopeView& shape, const Begin& begin) const {
    shape.vertices = vertices_.at(begin.vertices);
    shape.faces = faces_.at(begin.faces);
    shape.sides = sides_.at(begin.sides);
    shape.edges = edges_.at(begin.edges);
    shape.vertex_begin = vertex_begin_.at(begin.vertex_begin);
    shape.spokes = spokes_.at(begin.spokes);
    shape.vertex_faces = vertex_faces_.at(begin.vertex_faces);
  }

  DeviceElements<Vec3d> vertices_;
  DeviceElements<ShapeFace> faces_;
  DeviceElements<FaceSide> sides_;
  DeviceElements<ShapeEdge> edges_;
  DeviceElements<std::int32_t> vertex_begin_;
  DeviceElements<Spoke> spokes_;
  DeviceElements<std::int32_t> vertex_faces_;
  DeviceBuffer<PolytopeView> views_;
};

}  // namespace isopatch::detail

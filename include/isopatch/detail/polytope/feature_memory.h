// SPDX-License-Identifier: Apache-2.0
//
// The working memory of a part pair, which the lanes of a warp share.
#pragma once

#include <cstddef>

#include "isopatch/detail/polytope/contacts.h"

namespace isopatch::detail {

/// Every bit is a contact, in the order of kind, feature of a, feature of b; each row of features of b begins with a
/// word.
struct ContactBits {
  std::int32_t on_face, under_vertex, of_edge;   // words of a row of each kind
  std::int32_t begin_under_vertex, begin_edges;  // the first word of each kind
  std::int32_t size;                             // words of all: at most 124 * 2 + 64 * 4 + 186 * 6 = 1620

  ISOPATCH_HD ContactBits(const PolytopeView& a, const PolytopeView& b)
      : on_face(bit_words(b.num_faces)),
        under_vertex(bit_words(b.num_vertices)),
        of_edge(bit_words(b.num_edges)),
        begin_under_vertex(a.num_vertices * on_face),
        begin_edges(begin_under_vertex + a.num_faces * under_vertex),
        size(begin_edges + a.num_edges * of_edge) {}

  ISOPATCH_HD std::int32_t row_words(std::int32_t kind) const {
    return kind == kVertexOnFace ? on_face : kind == kFaceUnderVertex ? under_vertex : of_edge;
  }
  ISOPATCH_HD std::int32_t begin(std::int32_t kind) const {
    return kind == kVertexOnFace ? 0 : kind == kFaceUnderVertex ? begin_under_vertex : begin_edges;
  }

  ISOPATCH_HD std::int32_t word_of(ContactCode code) const {
    const std::int32_t kind = kind_of(code);
    return begin(kind) + feature_a_of(code) * row_words(kind) + feature_b_of(code) / 32;
  }
  ISOPATCH_HD static std::uint32_t bit_of(ContactCode code) { return 1u << (feature_b_of(code) & 31); }

  /// The contact of the first bit of a word.
  ISOPATCH_HD ContactCode code_of(std::int32_t word) const {
    const std::int32_t kind = word >= begin_edges          ? kEdgeOnEdge
                              : word >= begin_under_vertex ? kFaceUnderVertex
                                                           : kVertexOnFace;
    const std::int32_t at = word - begin(kind), words = row_words(kind);
    return contact_code(kind, at / words, 32 * (at % words));
  }
};

/// Arrays in one piece of memory.
struct FeatureMemory {
  ContactBits bits;
  Vec3d* a_in_b;              // vertices of A in B's frame
  Vec3d* b_in_a;              // and the reverse
  Vec3d* normals_b;           // of B's faces, in A's frame
  Vec3d* directions_b;        // of B's edges, in A's frame
  double* face_gaps;          // of B's faces, then of A's: the lowest gap of the other's vertices
  double* lane_numbers;       // 32
  std::uint32_t* contacts;    // bits of contacts: those of relations
  std::int32_t* before;       // how many of these come before each word
  std::uint32_t* open;        // bits of contacts: what clusters begin with. In the memory of `before`
  std::uint32_t* cluster;     // bits of contacts: those of one cluster, or everything that is near
  std::uint32_t* near;        // a row of bits for each edge of A: edges of B that are near and applicable
  std::int32_t* lowest;       // the vertices of face_gaps, the lowest index of equals
  std::int32_t* lane_values;  // 32
  std::int32_t *near_edges_a, *near_edges_b;  // those that may be near, ascending
};

/// Hands out arrays one after another.
struct ArrayCursor {
  char* memory;

  template <class T>
  ISOPATCH_HD T* take(int count) {
    T* const taken = reinterpret_cast<T*>(memory);
    memory += static_cast<std::size_t>(count) * sizeof(T);
    return taken;
  }
};

inline constexpr int kLanes = 32;

/// The places of a table in the order of its rows, without a division for each; none of a table without columns.
struct RowWalk {
  int row, column, columns;

  ISOPATCH_HD RowWalk(int first, int num_columns)
      : row(num_columns > 0 ? 0 : INT32_MAX), column(first), columns(num_columns) {
    wrap();
  }
  ISOPATCH_HD void advance(int count) {
    column += count;
    wrap();
  }

 private:
  ISOPATCH_HD void wrap() {
    while (column >= columns && row < INT32_MAX) column -= columns, ++row;
  }
};

/// Bytes of the arrays of a pair, at most kMaxFeatureMemory.
ISOPATCH_HD std::size_t feature_memory_size(const PolytopeView& a, const PolytopeView& b) {
  const ContactBits bits(a, b);
  const int faces = a.num_faces + b.num_faces;
  const int vectors = a.num_vertices + b.num_vertices + b.num_faces + b.num_edges;
  const int words = 3 * bits.size + a.num_edges * bits.of_edge + faces + kLanes + a.num_edges + b.num_edges;
  const int bytes = 24 * vectors + 8 * (faces + kLanes) + 4 * words;
  return (static_cast<std::size_t>(bytes) + 7) & ~std::size_t{7};
}

/// The arrays of a pair, those with the largest elements first, in memory that is aligned to 8 bytes and
/// feature_memory_size() large.
ISOPATCH_HD FeatureMemory feature_memory(const PolytopeView& a, const PolytopeView& b, void* memory) {
  ArrayCursor cursor{static_cast<char*>(memory)};
  FeatureMemory m{ContactBits(a, b), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  const int faces = a.num_faces + b.num_faces, edge_bits = a.num_edges * m.bits.of_edge;
  m.a_in_b = cursor.take<Vec3d>(a.num_vertices);
  m.b_in_a = cursor.take<Vec3d>(b.num_vertices);
  m.normals_b = cursor.take<Vec3d>(b.num_faces);
  m.directions_b = cursor.take<Vec3d>(b.num_edges);
  m.face_gaps = cursor.take<double>(faces);
  m.lane_numbers = cursor.take<double>(kLanes);
  m.contacts = cursor.take<std::uint32_t>(m.bits.size);
  m.before = cursor.take<std::int32_t>(m.bits.size);
  m.open = reinterpret_cast<std::uint32_t*>(m.before);
  m.cluster = cursor.take<std::uint32_t>(m.bits.size);
  m.near = cursor.take<std::uint32_t>(edge_bits);
  m.lowest = cursor.take<std::int32_t>(faces);
  m.lane_values = cursor.take<std::int32_t>(kLanes);
  m.near_edges_a = cursor.take<std::int32_t>(a.num_edges);
  m.near_edges_b = cursor.take<std::int32_t>(b.num_edges);
  return m;
}

/// With kMaxVertices, kMaxFaces and kMaxEdges of both: 11952 of vectors, 1024 + 256 of numbers, 19440 of contacts, 4464
/// of pairs of edges, 512 + 128 + 1488 of indices, rounded up.
inline constexpr std::size_t kMaxFeatureMemory = 39'264;

/// Transforms what the pair's formulas share. Called by all lanes.
template <class Warp>
ISOPATCH_HD void fill(Warp& warp, const PolytopePair& pair, const FeatureMemory& m) {
  for (int v = warp.lane(); v < pair.a.num_vertices; v += Warp::kSize) {
    m.a_in_b[v] = apply(pair.X_BA, pair.a.vertices[v]);
  }
  for (int v = warp.lane(); v < pair.b.num_vertices; v += Warp::kSize) {
    m.b_in_a[v] = apply(pair.X_AB, pair.b.vertices[v]);
  }
  for (int f = warp.lane(); f < pair.b.num_faces; f += Warp::kSize) {
    m.normals_b[f] = rotate(pair.X_AB, pair.b.faces[f].normal);
  }
  for (int e = warp.lane(); e < pair.b.num_edges; e += Warp::kSize) {
    m.directions_b[e] = rotate(pair.X_AB, pair.b.edges[e].direction);
  }
  warp.sync();
}

/// An edge of A or B in A's frame.
ISOPATCH_HD EdgeInSpace edge_of_a(const PolytopePair& pair, std::int32_t e) { return edge_of(pair.a, pair.a.edges[e]); }
ISOPATCH_HD EdgeInSpace edge_of_b(const PolytopePair& pair, const FeatureMemory& m, std::int32_t e) {
  const ShapeEdge& edge = pair.b.edges[e];
  return {
      {m.b_in_a[edge.i], m.b_in_a[edge.j], m.directions_b[e], edge.length}, m.normals_b[edge.f], m.normals_b[edge.g]};
}

}  // namespace isopatch::detail

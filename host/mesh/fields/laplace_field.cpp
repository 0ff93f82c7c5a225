// SPDX-License-Identifier: Apache-2.0
//
// The Laplace field: linear finite elements on the tets, 0 on the surface, 1 on a core.
#include "host/mesh/fields/laplace_field.h"

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <limits>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/element_check.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "host/threads/work_counter.h"

namespace isopatch {

using namespace detail;

namespace {

using Mask = std::vector<std::uint8_t>;

/// Depths that differ by less than this fraction count as equal: the depths of a ring of vertices differ by rounding.
constexpr double kSameDepth = 1e-9;

/// Values outside [0, 1] by less than this are rounding.
constexpr double kRounding = 1e-10;

/// Joins those vertices of every tet for which `takes` is true.
template <typename Takes>
DisjointSets joined_by_tets(const TetMesh& mesh, Takes takes) {
  DisjointSets sets(mesh.points.size());
  for (const Tet& tet : mesh.tets) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (takes(tet[i]) && takes(tet[j])) sets.join(tet[i], tet[j]);
      }
    }
  }
  return sets;
}

/// The data from which the boundary values are found.
struct Body {
  const TetMesh& mesh;
  const std::string& source;
  Mask used;
  Mask on_surface;
  std::vector<double> depth;
  DisjointSets components;

  bool is_inner(std::size_t i) const { return used[i] != 0 && on_surface[i] == 0; }
};

Body make_body(const TetMesh& mesh, const std::vector<Triangle>& surface, const std::string& source) {
  return {mesh,
          source,
          used_points(mesh.tets, mesh.points.size()),
          boundary_points(mesh, surface),
          distance_to_surface(mesh, surface),
          joined_by_tets(mesh, [](std::int32_t) { return true; })};
}

/// The depth of the deepest vertex of each point's component.
std::vector<double> deepest_of_component(Body& body) {
  std::vector<double> deepest(body.depth.size(), 0);
  for (std::size_t i = 0; i < body.depth.size(); ++i) {
    if (body.used[i] == 0) continue;
    double& largest = deepest[body.components.find(i)];
    largest = std::max(largest, body.depth[i]);
  }
  for (std::size_t i = 0; i < deepest.size(); ++i) deepest[i] = deepest[body.components.find(i)];
  return deepest;
}

Mask listed_core(const Body& body, const std::vector<std::int32_t>& vertices) {
  Mask mask(body.depth.size(), 0);
  for (const std::int32_t v : vertices) {
    if (v < 0 || v >= std::ssize(mask) || body.used[v] == 0) {
      throw_error("{}: vertex {} of the core is not in the mesh; it must be one of its {} points that tets use",
                  body.source, v, mask.size());
    }
    mask[v] = 1;
  }
  return mask;
}

Mask find_core(Body& body, const FieldCore& core) {
  if (static_cast<int>(core.kind) > static_cast<int>(FieldCore::Kind::kVertices)) {
    throw_error("{}: the core's kind is {}; it must be one of FieldCore::Kind", body.source,
                static_cast<int>(core.kind));
  }
  if (core.kind == FieldCore::Kind::kVertices) return listed_core(body, core.vertices);
  const std::vector<double> deepest = deepest_of_component(body);
  Mask mask(body.depth.size(), 0);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (body.used[i] == 0) continue;
    const bool taken =
        core.kind == FieldCore::Kind::kBall
            ? norm(body.mesh.points[i] - core.center) <= core.radius
            : body.is_inner(i) &&
                  body.depth[i] >=
                      (1 - kSameDepth) * (core.kind == FieldCore::Kind::kDepth ? core.depth : deepest[i] / 2);
    mask[i] = taken;
  }
  return mask;
}

std::string describe_point(const Body& body, std::size_t i) {
  const Point3& p = body.mesh.points[i];
  return fmt::format("{} at ({:g}, {:g}, {:g})", i, p[0], p[1], p[2]);
}

void check_core(Body& body, const Mask& core) {
  const double deepest = *std::max_element(body.depth.begin(), body.depth.end());
  if (std::find(core.begin(), core.end(), 1) == core.end()) {
    throw_error("{}: the core has no vertex; the deepest vertex is {:g} m below the surface", body.source, deepest);
  }
  Mask has_core(core.size(), 0);
  for (std::size_t i = 0; i < core.size(); ++i) {
    if (core[i] == 0) continue;
    if (body.on_surface[i] != 0) {
      throw_error("{}: vertex {} is on the surface and in the core; the core must lie inside", body.source,
                  describe_point(body, i));
    }
    has_core[body.components.find(i)] = 1;
  }
  for (std::size_t i = 0; i < core.size(); ++i) {
    if (body.used[i] == 0 || has_core[body.components.find(i)] != 0) continue;
    throw_error("{}: the component of the mesh with vertex {} has no vertex in the core; every component needs one",
                body.source, describe_point(body, i));
  }
}

/// Boundary values, and NaN at the points to solve for.
///
/// Inner vertices in a pocket, cut off from the core by tets with all vertices on the surface, would get 0, so contact
/// there would have no force. So the deepest vertex of each pocket gets an extent by its depth, in proportion to that
/// of the core.
std::vector<double> boundary_values(const Body& body, const Mask& core, std::vector<std::string>& warnings) {
  std::vector<double> value(core.size(), 0);
  double core_depth = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < core.size(); ++i) {
    if (body.is_inner(i)) value[i] = core[i] != 0 ? 1 : std::nan("");
    if (core[i] != 0) core_depth = std::min(core_depth, body.depth[i]);
  }

  DisjointSets inner = joined_by_tets(body.mesh, [&](std::int32_t v) { return body.on_surface[v] == 0; });
  std::vector<std::int64_t> deepest(core.size(),
                                    -1);  // of every set: its deepest point, or -2 if it has a part of the core
  for (std::size_t i = 0; i < core.size(); ++i) {
    if (!body.is_inner(i)) continue;
    std::int64_t& best = deepest[inner.find(i)];
    if (core[i] != 0) best = -2;
    if (best == -1 || (best >= 0 && body.depth[i] > body.depth[best])) best = static_cast<std::int64_t>(i);
  }
  std::int64_t pockets = 0;
  for (const std::int64_t best : deepest) {
    if (best < 0) continue;
    const auto i = static_cast<std::size_t>(best);
    value[i] = std::min(1.0, body.depth[i] / core_depth);
    ++pockets;
  }
  if (pockets > 0) {
    warnings.push_back(
        fmt::format("{}: {} pockets of inner vertices are cut off from the core by tets with all vertices on the "
                    "surface; their extent grows with their depth as if on the way to the core",
                    body.source, pockets));
  }
  return value;
}

/// The most unknowns for which the matrix is factorised. Beyond, factors grow too fast: 42 000 unknowns took 85 s, but
/// 2 s by conjugate gradients.
constexpr Eigen::Index kMaxDirect = 8000;
constexpr double kResidual = 1e-12;  // of the iteration, relative

/// Asks before each iteration whether the work is cancelled.
struct CancellablePreconditioner : Eigen::IncompleteCholesky<double> {
  template <class Right>
  auto solve(const Eigen::MatrixBase<Right>& right) const {
    check_cancelled();
    return Eigen::IncompleteCholesky<double>::solve(right);
  }
};

/// Solves a symmetric positive definite system; false if that fails.
bool solve_linear(const Eigen::SparseMatrix<double>& matrix, const Eigen::VectorXd& right, Eigen::VectorXd& solution,
                  SolverWork& work) {
  check_cancelled();
  work.unknowns += matrix.rows();
  if (matrix.rows() <= kMaxDirect) {
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
    if (factors.info() != Eigen::Success) return false;
    work.factor_entries += factors.matrixL().nestedExpression().nonZeros();
    solution = factors.solve(right);
    return true;
  }
  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, Eigen::Lower | Eigen::Upper, CancellablePreconditioner>
      iteration(matrix);
  iteration.setTolerance(kResidual);
  solution = iteration.solve(right);
  work.iterations += iteration.iterations();
  return iteration.info() == Eigen::Success;
}

/// Solves for the NaN values. `monotone` leaves out the couplings of obtuse angles: then no value is outside the range
/// of its neighbours, but a linear field is no longer exact.
bool solve(const TetMesh& mesh, std::vector<double>& value, bool monotone, SolverWork& work) {
  std::vector<int> column(value.size(), -1);
  int free = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (std::isnan(value[i])) column[i] = free++;
  }
  if (free == 0) return true;

  // stiffness of each edge, summed over the tets: V grad_i . grad_j
  std::vector<Eigen::Triplet<double>> edges;
  edges.reserve(6 * mesh.tets.size());
  for (const Tet& tet : mesh.tets) {
    const double six_v = six_volumes(mesh, tet);
    std::array<Point3, 4> area{};  // gradient of the vertex's shape function, times six_v
    for (std::size_t i = 0; i < 4; ++i) {
      const Point3& a = point_at(mesh, tet[(i + 1) % 4]);
      const Point3 n = cross(point_at(mesh, tet[(i + 2) % 4]) - a, point_at(mesh, tet[(i + 3) % 4]) - a);
      area[i] = dot(n, point_at(mesh, tet[i]) - a) > 0 ? n : -1 * n;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto [low, high] = std::minmax(tet[i], tet[j]);
        edges.emplace_back(low, high, dot(area[i], area[j]) / (6 * six_v));
      }
    }
  }
  check_cancelled();
  Eigen::SparseMatrix<double> coupling(static_cast<int>(value.size()), static_cast<int>(value.size()));
  coupling.setFromTriplets(edges.begin(), edges.end());
  check_cancelled();

  Eigen::VectorXd right = Eigen::VectorXd::Zero(free);
  Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(free);
  std::vector<Eigen::Triplet<double>> entries;
  for (int k = 0; k < coupling.outerSize(); ++k) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(coupling, k); entry; ++entry) {
      const double stiffness = monotone ? std::min(0.0, entry.value()) : entry.value();
      const auto row = static_cast<std::size_t>(entry.row());
      const auto col = static_cast<std::size_t>(entry.col());
      for (const auto& [i, j] : {std::pair{row, col}, std::pair{col, row}}) {
        if (column[i] < 0) continue;
        diagonal[column[i]] -= stiffness;
        if (column[j] < 0) {
          right[column[i]] -= stiffness * value[j];
        } else {
          entries.emplace_back(column[i], column[j], stiffness);
        }
      }
    }
  }
  for (int i = 0; i < free; ++i) entries.emplace_back(i, i, diagonal[i]);
  check_cancelled();
  Eigen::SparseMatrix<double> matrix(free, free);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::VectorXd solution;
  if (!solve_linear(matrix, right, solution, work)) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (column[i] >= 0) value[i] = solution[column[i]];
  }
  return true;
}

std::int64_t count_outside(const Body& body, const std::vector<double>& value) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (body.is_inner(i) && !(value[i] > 0 && value[i] <= 1 + kRounding)) ++count;
  }
  return count;
}

}  // namespace

std::vector<double> laplace_extent(const TetMesh& mesh, const std::vector<Triangle>& surface, const FieldCore& core,
                                   const std::string& source, std::vector<std::string>& warnings) {
  SolverWork work;
  return laplace_extent(mesh, surface, core, source, warnings, work);
}

std::vector<double> detail::laplace_extent(const TetMesh& mesh, const std::vector<Triangle>& surface,
                                           const FieldCore& core, const std::string& source,
                                           std::vector<std::string>& warnings, SolverWork& work) {
  const StandardArithmetic standard;
  check_indices(mesh.tets, mesh.points.size(), source);
  check_indices(surface, mesh.points.size(), source);
  if (mesh.tets.empty()) throw Error(source + ": the mesh has no tets to solve Laplace's equation in");
  Body body = make_body(mesh, surface, source);
  check_cancelled();
  const Mask in_core = find_core(body, core);
  check_core(body, in_core);
  const std::vector<double> boundary = boundary_values(body, in_core, warnings);
  check_cancelled();

  std::vector<double> value = boundary;
  bool solved = solve(mesh, value, false, work);
  const std::int64_t outside = solved ? count_outside(body, value) : 0;
  if (!solved || outside > 0) {
    value = boundary;
    solved = solve(mesh, value, true, work);
    warnings.push_back(fmt::format(
        "{}: obtuse tets gave {} vertices an extent outside (0, 1]; the couplings of obtuse angles were left "
        "out of Laplace's equation",
        source, outside));
  }
  if (!solved || count_outside(body, value) > 0) {
    throw Error(source + ": the mesh is too distorted for a Laplace field; use \"distance\" or a better mesh");
  }
  for (double& v : value) v = std::min(v, 1.0);
  return value;
}

}  // namespace isopatch

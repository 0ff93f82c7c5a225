// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/define.h"
#include "host/python/bindings/mesh_arrays.h"
#include "host/rollout/rollout_data.h"
#include "host/scene/enumerator_names.h"
#include "isopatch/pictures.h"
#include "isopatch/rollout_state.h"
#include "isopatch/scene/mass_properties.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch::python {
namespace {

/// Meshes as isopatch/_src/meshes.py gives them: by name (kind, points, cells, point data, notes).
SceneMeshes scene_meshes(const nb::dict& meshes) {
  SceneMeshes named;
  for (const auto& [key, value] : meshes) {
    const std::string name = nb::cast<std::string>(key);
    const auto [kind, points, cells, data, notes] =
        nb::cast<std::tuple<std::string, nb::object, nb::object, nb::dict, std::vector<std::string>>>(value);
    std::vector<Point3> corners = Rows({"Scene", "points"}, points, dlpack::kFloat64, 3).copied<Point3>();
    if (kind == "tets") {
      TetMesh mesh{std::move(corners), Rows({"Scene", "tets"}, cells, dlpack::kInt32, 4).copied<Tet>(), {}, notes};
      for (const auto& [field, values] : data) {
        mesh.point_data[nb::cast<std::string>(field)] =
            Rows({"Scene", "point_data"}, values, dlpack::kFloat64, 1).copied<double>();
      }
      named.tet_meshes[name] = std::move(mesh);
    } else {
      named.surfaces[name] = {std::move(corners),
                              Rows({"Scene", "triangles"}, cells, dlpack::kInt32, 3).copied<Triangle>(), notes};
    }
  }
  return named;
}

std::string motion_name(const Body& body) {
  return body.fixed ? "fixed" : isopatch::detail::name_in(isopatch::detail::kMotionTypeNames, body.motion.type);
}

bool has_joint(const Body& body) {
  return !body.fixed && (body.motion.type == MotionType::kPrismatic || body.motion.type == MotionType::kRevolute);
}

/// Whether its pose follows from a joint or a path.
bool is_placed(const Body& body) { return has_joint(body) || (!body.fixed && !body.motion.path.times.empty()); }

/// The indices of the bodies for which something holds.
std::vector<int> bodies_that(const Scene& scene, bool (*holds)(const Body&)) {
  std::vector<int> found;
  const std::vector<Body>& all = scene.description().bodies;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (holds(all[i])) found.push_back(static_cast<int>(i));
  }
  return found;
}

/// A string of Python; throws TypeError for anything else.
std::string parse_text(const Argument& argument, nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) argument.wrong_type("expected a string, found {}", name_of_type(value));
  return text_of(value);
}

/// What a member or a function of each element is.
template <class Element, class Of>
auto of_each(const std::vector<Element>& elements, const Of& of) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<const Of&, const Element&>>> found;
  for (const Element& element : elements) found.push_back(std::invoke(of, element));
  return found;
}

nb::dict properties_of(const MassProperties& mass) {
  nb::dict properties;
  properties["volume"] = mass.volume;
  properties["mass"] = mass.mass;
  properties["center"] = mass.center;
  properties["inertia"] = mass.inertia;
  return properties;
}

static_assert(std::is_trivially_copyable_v<MeshReport>);

/// The numbers of a primitive, since the object has bytes between them that may be anything.
std::array<double, 5> numbers_of(const Primitive& p) {
  return {static_cast<double>(p.kind), p.half[0], p.half[1], p.half[2], p.radius};
}

/// Calls visit(member) for all that a scene made from a geometry depends on.
template <class Any, class Visit>
void for_each_member(Any& g, const Visit& visit) {
  visit(g.name), visit(g.mesh.points), visit(g.mesh.tets), visit(g.surface), visit(g.extent), visit(g.thickness);
  visit(g.strain), visit(g.warnings), visit(g.strained), visit(g.convex), visit(g.polygon), visit(g.size_is_known);
}

/// A geometry as Python keeps it: numbers are bytes.
nb::tuple state_of(const Geometry& g) {
  nb::list state;
  for_each_member(g, [&]<class Member>(const Member& member) {
    if constexpr (requires { bytes_of(member); }) {
      state.append(bytes_of(member));
    } else {
      state.append(member);
    }
  });
  state.append(g.kind == GeometryKind::kHalfSpace);
  state.append(bytes_of(std::vector{g.report}));
  state.append(bytes_of(std::vector{numbers_of(g.primitive)}));
  return nb::tuple(state);
}

Geometry geometry_from(const nb::tuple& state) {
  Geometry g;
  std::size_t i = 0;
  for_each_member(g, [&]<class Member>(Member& member) {
    if constexpr (requires { bytes_of(member); }) {
      member = elements_of<typename Member::value_type>(nb::cast<nb::bytes>(state[i++]));
    } else {
      member = nb::cast<Member>(state[i++]);
    }
  });
  g.kind = nb::cast<bool>(state[i++]) ? GeometryKind::kHalfSpace : GeometryKind::kMesh;
  g.report = elements_of<MeshReport>(nb::cast<nb::bytes>(state[i++])).at(0);
  const auto [kind, x, y, z, radius] = elements_of<std::array<double, 5>>(nb::cast<nb::bytes>(state[i])).at(0);
  g.primitive = {static_cast<PrimitiveKind>(kind), {x, y, z}, radius};
  return g;
}

/// All warnings of a scene, which are about its geometries and about parts that overlap.
std::vector<std::string> all_warnings(const Scene& scene) {
  const SignalScope signals;
  std::vector<std::string> warnings;
  for (const Geometry& geometry : scene.description().geometries) {
    warnings.insert(warnings.end(), geometry.warnings.begin(), geometry.warnings.end());
  }
  const std::vector<std::string> of_parts = warnings_of(scene);
  warnings.insert(warnings.end(), of_parts.begin(), of_parts.end());
  return warnings;
}

/// A part's body, and its points [V, 3], float64, and faces, int32, as bytes.
using SurfaceTuple = std::tuple<int, nb::bytes, nb::bytes>;

/// With the squares of half spaces, or without, and with other shapes of the parts than the scene's.
std::vector<SurfaceTuple> surfaces_of(const Scene& scene, const nb::bytes& poses, bool half_spaces,
                                      const std::optional<nb::bytes>& geometry_index) {
  StateArrays states(scene.description(), 1);
  states.poses = elements_of<double>(poses);
  if (geometry_index) states.geometry_index = elements_of<std::int32_t>(*geometry_index);
  std::vector<SurfaceTuple> tuples;
  for (const PartSurface& part : scene_surfaces(scene.description(), states, 0)) {
    if (part.half_space && !half_spaces) continue;
    tuples.emplace_back(part.body, bytes_of(part.surface.points), bytes_of(part.surface.faces));
  }
  return tuples;
}

std::tuple<nb::bytes, nb::bytes> patch_of(const nb::bytes& polygons) {
  const PolygonSurface surface = patch_surface(elements_of<Polygon>(polygons));
  return {bytes_of(surface.points), bytes_of(surface.faces)};
}

void define_methods(nb::class_<Scene>& type) {
  define(
      type, "body_index", Signature<1>{"body_index", {Parameter{"name"}}},
      [](nb::handle self, const Given<1>& given) {
        return nb::inst_ptr<Scene>(self)->body_index(parse_text({"body_index", "name"}, given[0]));
      },
      "def body_index(self, name: str) -> int",
      "The index of the body `name` in the second axis of poses.\n\nRaises ValueError, with the names that there are.");
  define(
      type, "pair_index", Signature<2>{"pair_index", {Parameter{"a"}, Parameter{"b"}}},
      [](nb::handle self, const Given<2>& given) {
        return nb::inst_ptr<Scene>(self)->pair_index(parse_text({"pair_index", "a"}, given[0]),
                                                     parse_text({"pair_index", "b"}, given[1]));
      },
      "def pair_index(self, a: str, b: str) -> int",
      "The index of the pair whose wrench is that on body `a` from body `b`, by their names.\n\nRaises ValueError, "
      "with the pairs that there are.");
  define(
      type, "to_json", Signature<0>{"to_json", {}},
      [](nb::handle self, const Given<0>&) { return to_json(*nb::inst_ptr<Scene>(self)); }, "def to_json(self) -> str",
      "The scene as the text of a scene file, in which all geometries are \"given\". What they are does not stand "
      "there: scenes are compared by ==, and kept by pickle.");
}

std::array<double, 3> array_of(isopatch::detail::Vec3d v) { return {v.x, v.y, v.z}; }

/// Of each joint its parent, whether it turns, its axis and anchor in the parent's frame, the joint that moves it and
/// by which ratio; of each body its joint, -1 without one, and the numbers of its velocity that are free without
/// joints.
nb::tuple joint_frames(const Scene& scene) {
  const isopatch::detail::RolloutData data(scene, isopatch::RolloutOptions());  // no matter how it is stepped
  nb::list joints, of_bodies, free_axes;
  for (const isopatch::detail::MovingBody& body : data.bodies) {
    of_bodies.append(body.is_joint() ? body.joint.index : -1);
    const int dofs = body.moves_freely() ? body.num_dofs() : 0;
    free_axes.append(dofs == 6   ? nb::make_tuple(0, 1, 2, 3, 4, 5)
                     : dofs == 3 ? nb::make_tuple(0, 1, 5)
                                 : nb::make_tuple());
    if (!body.is_joint()) continue;
    const isopatch::detail::JointView& joint = body.joint;
    const int leader =
        body.is_follower() ? data.bodies[static_cast<std::size_t>(joint.leader)].joint.index : joint.index;
    joints.append(nb::make_tuple(joint.parent, body.kind == isopatch::detail::MotionKind::kRevolute,
                                 array_of(joint.axis), array_of(joint.anchor), leader,
                                 body.is_follower() ? joint.ratio : 1.0));
  }
  return nb::make_tuple(joints, of_bodies, free_axes);
}

/// What the package asks for.
void define_private(nb::class_<Scene>& type) {
  type.def_prop_ro("_geometry_states",
                   [](const Scene& scene) { return of_each(scene.description().geometries, state_of); })
      .def_prop_ro("_body_names", [](const Scene& scene) { return of_each(scene.description().bodies, &Body::name); })
      .def_prop_ro("_pair_indices",
                   [](const Scene& scene) {
                     const auto bodies = [](const Pair& pair) { return std::pair(pair.a, pair.b); };
                     return of_each(scene.pairs(), bodies);
                   })
      .def_prop_ro("_poses", [](const Scene& scene) { return of_each(scene.description().bodies, &Body::pose); })
      .def_prop_ro("_velocities",
                   [](const Scene& scene) { return of_each(scene.description().bodies, &Body::velocity); })
      .def_prop_ro("_motions", [](const Scene& scene) { return of_each(scene.description().bodies, motion_name); })
      .def_prop_ro("_joint_bodies", [](const Scene& scene) { return bodies_that(scene, has_joint); })
      .def("_joint_frames", &joint_frames)
      .def_prop_ro("_placed_bodies", [](const Scene& scene) { return bodies_that(scene, is_placed); })
      .def_prop_ro("_parts",
                   [](const Scene& scene) {
                     std::vector<std::tuple<int, int, std::string>> rows;  // body, geometry, name
                     const std::vector<Body>& bodies = scene.description().bodies;
                     for (std::size_t i = 0; i < bodies.size(); ++i) {
                       for (const Part& part : parts_of(bodies[i])) {
                         rows.emplace_back(static_cast<int>(i), part.geometry, part.name);
                       }
                     }
                     return rows;
                   })
      .def(
          "_mass_properties",
          [](const Scene& scene, int body) {
            return properties_of(
                body_mass(scene.description(), scene.description().bodies.at(static_cast<std::size_t>(body))));
          },
          nb::arg("body"));
}

}  // namespace

void bind_scene(nb::module_& module) {
  module.def("_scene_surfaces", &surfaces_of, nb::arg("scene"), nb::arg("poses"), nb::arg("half_spaces") = true,
             nb::arg("geometry_index").none() = nb::none());
  module.def("_patch_surface", &patch_of, nb::arg("polygons"));
  nb::class_<Scene> type(module, "Scene", "A checked scene; isopatch.Scene is made from it.");
  define_methods(type);
  type.def(
          "__init__",
          [](Scene* self, const std::string& json, const std::string& directory, const std::string& source,
             const nb::dict& meshes, const std::vector<nb::tuple>& geometries) {
            SceneMeshes named = scene_meshes(meshes);
            named.geometries = of_each(geometries, geometry_from);
            const SignalScope signals;
            const nb::gil_scoped_release released;
            new (self) Scene(parse_scene(json, directory, source, named));
          },
          nb::arg("json"), nb::arg("directory"), nb::arg("source"), nb::arg("meshes"), nb::arg("geometries"))
      .def_prop_ro("num_bodies", &Scene::num_bodies, "B in the shapes of arrays.")
      .def_prop_ro("num_parts", &Scene::num_parts, "C in the shapes of arrays: the parts of all bodies.")
      .def_prop_ro("num_pairs", &Scene::num_pairs, "P in the shapes of arrays.")
      .def_prop_ro("num_part_pairs", &Scene::num_part_pairs, "Q in the shapes of arrays: of all pairs.")
      .def_prop_ro("contact_state_size", &Scene::contact_state_size,
                   "S in the shapes of arrays: how many numbers the contact models carry for each part pair.")
      .def_prop_ro(
          "num_joints", [](const Scene& scene) { return rollout_counts(scene)[Per::kJoint]; },
          "J in the shapes of arrays.")
      .def_prop_ro(
          "num_loops", [](const Scene& scene) { return rollout_counts(scene)[Per::kLoop]; },
          "L in the shapes of arrays.")
      .def_prop_ro(
          "part_pairs",
          [](const Scene& scene) {
            const auto row = [](const PartPair& p) { return std::tuple<int, int, int>(p.pair, p.part_a, p.part_b); };
            return of_each(scene.part_pairs(), row);
          },
          "(pair, part of a, part of b) of each row of part_pair_wrench; parts are numbered through the scene.")
      .def_prop_ro(
          "geometries", [](const Scene& scene) { return of_each(scene.description().geometries, &Geometry::name); },
          "Names of the geometries; geometry_index counts in this order.")
      .def_prop_ro("warnings", &all_warnings, "One line for each thing in the scene that may not be meant.");
  define_private(type);
}

}  // namespace isopatch::python

// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/vtk_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "host/files/output_file.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/scene/environment.h"
#include "isopatch/error.h"

namespace isopatch {

namespace detail {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string header(const char* title) {
  return fmt::format("# vtk DataFile Version 3.0\n{}\nASCII\nDATASET POLYDATA\n", title);
}

/// The points and the polygons of all surfaces together.
void append_polygons(std::string& text, const std::vector<const PolygonSurface*>& surfaces) {
  const Out out(text);
  std::size_t points = 0, entries = 0;
  std::int64_t polygons = 0;
  for (const PolygonSurface* surface : surfaces) {
    points += surface->points.size();
    entries += surface->faces.size();
    polygons += surface->num_faces;
  }

  fmt::format_to(out, "POINTS {} float\n", points);
  for (const PolygonSurface* surface : surfaces) {
    for (const auto& [x, y, z] : surface->points) {
      fmt::format_to(out, "{} {} {}\n", static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
    }
  }

  fmt::format_to(out, "POLYGONS {} {}\n", polygons, entries);
  std::size_t first = 0;  // point of the surface
  for (const PolygonSurface* surface : surfaces) {
    for (auto face = surface->faces.begin(); face != surface->faces.end();) {
      const std::int32_t corners = *face++;
      fmt::format_to(out, "{}", corners);
      for (std::int32_t i = 0; i < corners; ++i) fmt::format_to(out, " {}", first + static_cast<std::size_t>(*face++));
      text += '\n';
    }
    first += surface->points.size();
  }
}

/// The list of files that ParaView opens as one, with a time each.
std::string series_json(const std::string& name, const std::vector<double>& times) {
  std::string text = "{\"file-series-version\": \"1.0\", \"files\": [";
  for (std::size_t row = 0; row < times.size(); ++row) {
    text +=
        fmt::format("{}\n  {{\"name\": \"{}_{:06}.vtk\", \"time\": {}}}", row == 0 ? "" : ",", name, row, times[row]);
  }
  return text + "\n]}\n";
}

/// The wrenches of the pairs as a field.
std::string wrench_field(std::span<const double> pair_wrench) {
  if (pair_wrench.empty()) return "";
  std::string text = fmt::format("FIELD forces 1\npair_wrench 6 {} double\n", pair_wrench.size() / 6);
  for (std::size_t i = 0; i < pair_wrench.size(); ++i) {
    fmt::format_to(Out(text), "{}{}", pair_wrench[i], i % 6 == 5 ? '\n' : ' ');
  }
  return text;
}

/// What stands for no polygons: VTK refuses a list of none, and a series would lose the names of its arrays.
std::string no_patches(const std::string& field) {
  return header("no contact patches: a point of no area") + field +
         "POINTS 1 float\n0 0 0\nPOLYGONS 1 2\n1 0\n"
         "POINT_DATA 1\nSCALARS pressure float 1\nLOOKUP_TABLE default\n0\n"
         "CELL_DATA 1\nSCALARS area float 1\nLOOKUP_TABLE default\n0\n"
         "SCALARS pair int 1\nLOOKUP_TABLE default\n-1\n"
         "NORMALS normal float\n0 0 1\n";
}

/// The arrays of contacts, and their points as the cells of a list that has `cells` in its first line.
std::string contacts_text(const std::string& title, const std::string& cells,
                          const std::vector<PotentialContact>& contacts) {
  std::string text = header(title.c_str());
  const Out out(text);
  const auto vector = [&out](const float(&v)[3]) { fmt::format_to(out, "{} {} {}\n", v[0], v[1], v[2]); };
  const auto scalars = [&](const char* name, const char* type, auto PotentialContact::*member) {
    fmt::format_to(out, "SCALARS {} {} 1\nLOOKUP_TABLE default\n", name, type);
    for (const PotentialContact& contact : contacts) fmt::format_to(out, "{}\n", contact.*member);
  };
  fmt::format_to(out, "POINTS {} float\n", contacts.size());
  for (const PotentialContact& contact : contacts) vector(contact.point);
  fmt::format_to(out, "{} {} {}\n", cells, contacts.size(), 2 * contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) fmt::format_to(out, "1 {}\n", i);
  fmt::format_to(out, "POINT_DATA {}\n", contacts.size());
  scalars("gap", "float", &PotentialContact::gap);
  scalars("applicability", "float", &PotentialContact::applicability);
  scalars("kind", "int", &PotentialContact::kind);
  scalars("pair", "int", &PotentialContact::pair);
  text += "VECTORS normal float\n";
  for (const PotentialContact& contact : contacts) vector(contact.normal);
  return text;
}

}  // namespace

std::string patches_vtk(const std::vector<Polygon>& polygons, std::span<const double> pair_wrench) {
  const std::string field = wrench_field(pair_wrench);
  if (polygons.empty()) return no_patches(field);
  const PolygonSurface surface = patch_surface(polygons);
  std::string text = header("contact patches: pressure [Pa], area [m^2], wrenches of pairs [N, N m]") + field;
  append_polygons(text, {&surface});

  const Out out(text);
  fmt::format_to(out, "POINT_DATA {}\nSCALARS pressure float 1\nLOOKUP_TABLE default\n", surface.points.size());
  for (const Polygon& polygon : polygons) {
    for (int i = 0; i < polygon.num_vertices; ++i) fmt::format_to(out, "{}\n", polygon.pressures[i]);
  }
  fmt::format_to(out, "CELL_DATA {}\nSCALARS area float 1\nLOOKUP_TABLE default\n", polygons.size());
  for (const Polygon& polygon : polygons) fmt::format_to(out, "{}\n", polygon.area);
  text += "SCALARS pair int 1\nLOOKUP_TABLE default\n";
  for (const Polygon& polygon : polygons) fmt::format_to(out, "{}\n", polygon.pair);
  text += "NORMALS normal float\n";
  for (const Polygon& polygon : polygons) {
    fmt::format_to(out, "{} {} {}\n", polygon.normal[0], polygon.normal[1], polygon.normal[2]);
  }
  return text;
}

std::string contacts_vtk(const std::vector<PotentialContact>& contacts) {
  if (!contacts.empty()) return contacts_text("contacts of rigid polytopes: gap [m]", "VERTICES", contacts);
  PotentialContact none = {};
  none.pair = none.kind = -1;
  return contacts_text("no contacts of rigid polytopes: a point that is not drawn", "POLYGONS", {none});
}

std::string bodies_vtk(const SceneDescription& scene, const StateArrays& states, std::int64_t environment) {
  const std::vector<PartSurface> parts = scene_surfaces(scene, states, environment);
  std::vector<const PolygonSurface*> surfaces;
  std::int64_t polygons = 0;
  for (const PartSurface& part : parts) {
    surfaces.push_back(&part.surface);
    polygons += part.surface.num_faces;
  }
  std::string text = header("bodies");
  append_polygons(text, surfaces);

  const Out out(text);
  fmt::format_to(out, "CELL_DATA {}\nSCALARS body int 1\nLOOKUP_TABLE default\n", polygons);
  for (const PartSurface& part : parts) {
    for (std::int64_t i = 0; i < part.surface.num_faces; ++i) fmt::format_to(out, "{}\n", part.body);
  }
  return text;
}

void create_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory)) {
    throw Error(directory + ": cannot be created: " + error.message(), ErrorKind::kFile,
                {.where = directory, .code = error.value()});
  }
}

namespace {

/// Writes one environment, which has these wrenches.
void write_environment(const HostEvaluator& evaluator, const StateArrays& states, std::span<const double> pair_wrench,
                       std::int64_t environment, const std::string& name, const std::string& directory,
                       double time_step = 0) {
  const auto path = [&](const char* what) {
    return (std::filesystem::path(directory) / fmt::format("{}_{}.vtk", what, name)).string();
  };
  write_output_file(path("patches"), patches_vtk(contact_polygons(evaluator, states, environment), pair_wrench));
  write_output_file(path("bodies"), bodies_vtk(evaluator.scene().description(), states, environment));
  if (!measures_distances(evaluator.scene())) return;
  write_output_file(path("contacts"), contacts_vtk(potential_contacts(evaluator, states, environment, time_step)));
}

/// Of an environment among N x P x 6.
std::span<const double> wrench_of(const std::vector<double>& pair_wrench, const StateArrays& states,
                                  std::int64_t environment) {
  const auto count = static_cast<std::size_t>(states.num_pairs) * 6;
  return std::span(pair_wrench).subspan(static_cast<std::size_t>(environment) * count, count);
}

}  // namespace

void write_vtk_files(const HostEvaluator& evaluator, const StateArrays& states, const std::vector<double>& pair_wrench,
                     std::int64_t first, std::int64_t count, const std::string& directory, double time_step) {
  create_directory(directory);
  for (std::int64_t environment = 0; environment < std::min(count, states.num_environments); ++environment) {
    write_environment(evaluator, states, wrench_of(pair_wrench, states, environment), environment,
                      fmt::format("{:04}", first + environment), directory, time_step);
  }
}

VtkSeries::VtkSeries(StateArrays states) : states_(std::move(states)) { states_.velocities.clear(); }

void VtkSeries::add(double time, const std::vector<double>& poses, const std::vector<double>& pair_wrench) {
  times_.push_back(time);
  const auto first_of = [&](const std::vector<double>& values, std::int64_t row) {
    return std::vector(values.begin(), values.begin() + states_.num_environments * row);
  };
  poses_.push_back(first_of(poses, states_.num_bodies * kPoseSize));
  wrenches_.push_back(first_of(pair_wrench, states_.num_pairs * 6));
}

void VtkSeries::write(const HostEvaluator& evaluator, std::int64_t first, const std::string& directory) const {
  StateArrays states = states_;
  for (std::size_t row = 0; row < poses_.size(); ++row) {
    states.poses = poses_[row];
    for (std::int64_t e = 0; e < states.num_environments; ++e) {
      write_environment(evaluator, states, wrench_of(wrenches_[row], states, e), e,
                        fmt::format("{:04}_{:06}", first + e, row), directory);
    }
  }
  std::vector<const char*> names = {"patches", "bodies"};
  if (measures_distances(evaluator.scene())) names.push_back("contacts");
  for (std::int64_t e = 0; e < states.num_environments; ++e) {
    for (const char* what : names) {
      const std::string name = fmt::format("{}_{:04}", what, first + e);
      write_output_file((std::filesystem::path(directory) / (name + ".vtk.series")).string(),
                        series_json(name, times_));
    }
  }
}

}  // namespace detail

void write_vtk(const HostEvaluator& evaluator, const StateArrays& states, std::int64_t environment,
               const std::string& name, const std::string& directory, double time_step) {
  std::vector<double> wrench(static_cast<std::size_t>(states.num_pairs) * 6);
  Results results;
  results.pair_wrench = wrench.empty() ? nullptr : wrench.data();
  State state = states.view(environment, 1);
  state.time_step = time_step;
  evaluator.evaluate(state, results);
  detail::write_environment(evaluator, states, wrench, environment, name, directory, time_step);
}

}  // namespace isopatch

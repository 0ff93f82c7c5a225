// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/patch_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "host/mesh/math/point_math.h"
#include "host/pictures/color_map.h"

namespace isopatch::detail {
namespace {

constexpr double kPanel = 320, kMargin = 24, kTitle = 28, kFooter = 56;  // pixels
constexpr int kMaxColumns = 4;

std::string escaped_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {  // not allowed after ]]
      out += "&gt;";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      out += c;
    }
  }
  return out;
}

double mean_pressure(const Polygon& polygon) {
  double sum = 0;
  for (int i = 0; i < polygon.num_vertices; ++i) sum += polygon.pressures[i];
  return sum / polygon.num_vertices;
}

Point3 point_of(const float (&v)[3]) { return {v[0], v[1], v[2]}; }

Point3 unit(const Point3& v) {
  const double length = norm(v);
  return {v[0] / length, v[1] / length, v[2] / length};
}

/// A pair's patch as it is seen along its mean normal.
struct View {
  std::vector<const Polygon*> polygons;
  Point3 right, up;
  Box seen_box;     // of all vertices, m
  double area = 0;  // m^2

  void add(const Polygon& polygon) { polygons.push_back(&polygon); }

  void look() {
    Point3 normal = {0, 0, 0};
    for (const Polygon* p : polygons) {
      normal = normal + static_cast<double>(p->area) * point_of(p->normal);
      area += p->area;
    }
    normal = norm(normal) > 0 ? unit(normal) : Point3{0, 0, 1};
    // the world's z is up, or its y for a patch that lies flat
    right = unit(cross(normal, std::fabs(normal[2]) < 0.9 ? Point3{0, 0, 1} : Point3{0, 1, 0}));
    up = cross(right, normal);
    for (const Polygon* p : polygons) {
      for (int i = 0; i < p->num_vertices; ++i) seen_box.add(seen(p->vertices[i]));
    }
  }

  /// The third number is 0.
  Point3 seen(const float (&vertex)[3]) const {
    const Point3 at = point_of(vertex);
    return {dot(right, at), dot(up, at), 0};
  }
};

/// 1, 2 or 5 times a power of ten, at most `length`.
double round_length(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= length) return factor * power;
  }
  return power;
}

}  // namespace

std::string patches_svg(const SceneDescription& scene, const std::vector<Polygon>& polygons,
                        const std::vector<double>& pair_wrench, std::string_view without_patches) {
  std::map<int, View> views;  // by pair
  double largest = 0;
  for (const Polygon& polygon : polygons) {
    if (polygon.num_vertices < 3) continue;
    views[polygon.pair].add(polygon);
    largest = std::max(largest, mean_pressure(polygon));
  }
  double extent = 0;
  for (auto& [pair, view] : views) {
    view.look();
    const Point3 size = view.seen_box.high - view.seen_box.low;
    extent = std::max({extent, size[0], size[1]});
  }

  const int panels = std::max(1, static_cast<int>(views.size()));
  const int columns = std::min(panels, kMaxColumns), rows = (panels + columns - 1) / columns;
  const double width = columns * kPanel, height = rows * (kPanel + kTitle) + kFooter;
  std::string svg;
  const auto out = std::back_inserter(svg);
  fmt::format_to(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  if (views.empty()) {
    fmt::format_to(out, "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n</svg>\n", width / 2, height / 2,
                   escaped_xml(without_patches));
    return svg;
  }

  const double scale = (kPanel - 2 * kMargin) / (extent > 0 ? extent : 1);  // pixels per metre
  const std::vector<Pair> pairs = pairs_of(scene);
  int panel = 0;
  for (const auto& [index, view] : views) {
    const Pair& pair = pairs.at(static_cast<std::size_t>(index));
    const double* force = &pair_wrench.at(6 * static_cast<std::size_t>(index));
    const int column = panel % columns, row = panel / columns;
    const double left = column * kPanel, top = row * (kPanel + kTitle);
    ++panel;
    fmt::format_to(out, "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{} on {}: {:.3g} N on {:.3g} cm²</text>\n",
                   left + kPanel / 2, top + 19, escaped_xml(scene.bodies.at(static_cast<std::size_t>(pair.a)).name),
                   escaped_xml(scene.bodies.at(static_cast<std::size_t>(pair.b)).name),
                   std::hypot(force[0], force[1], force[2]), 1e4 * view.area);
    const Point3 middle = 0.5 * (view.seen_box.low + view.seen_box.high);
    const double center_x = left + kPanel / 2, center_y = top + kTitle + kPanel / 2;
    for (const Polygon* p : view.polygons) {
      const std::string color = hex_text(viridis(mean_pressure(*p) / largest));
      svg += "<polygon points=\"";
      for (int i = 0; i < p->num_vertices; ++i) {
        const Point3 at = scale * (view.seen(p->vertices[i]) - middle);
        fmt::format_to(out, "{}{:.2f},{:.2f}", i > 0 ? " " : "", center_x + at[0], center_y - at[1]);
      }
      fmt::format_to(out, "\" fill=\"{0}\" stroke=\"white\" stroke-width=\"0.4\"/>\n", color);
    }
  }

  const double bar = round_length((kPanel / 3) / scale), foot = height - kFooter;
  fmt::format_to(out, "<path d=\"M{:g} {:g} h{:.2f}\" stroke=\"black\" stroke-width=\"2\"/>\n", kMargin, foot + 18,
                 bar * scale);
  fmt::format_to(out, "<text x=\"{:g}\" y=\"{:g}\">{:g} mm</text>\n", kMargin, foot + 38, 1000 * bar);
  constexpr int kSteps = 32;
  const double legend = kPanel / 2 - kMargin, first = width - kMargin - legend;
  for (int i = 0; i < kSteps; ++i) {
    fmt::format_to(out, "<rect x=\"{:.2f}\" y=\"{:g}\" width=\"{:.2f}\" height=\"10\" fill=\"{}\"/>\n",
                   first + i * legend / kSteps, foot + 12, legend / kSteps + 0.5,
                   hex_text(viridis((i + 0.5) / kSteps)));
  }
  fmt::format_to(out, "<text x=\"{:g}\" y=\"{:g}\">0</text>\n", first, foot + 38);
  fmt::format_to(out, "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{:.3g} kPa</text>\n</svg>\n", width - kMargin,
                 foot + 38, largest / 1000);
  return svg;
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "host/cli/commands.h"
#include "host/cli/info_table.h"
#include "host/cli/warnings.h"
#include "host/files/input_file.h"
#include "host/files/output_file.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/scale.h"
#include "host/meshing/interrupt.h"
#include "host/meshing/tetrahedralize.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "host/threads/cancellation.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {

using namespace detail;

namespace {

double longest_edge(const TetMesh& mesh) {
  double longest = 0;
  for (const Tet& tet : mesh.tets) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        longest = std::max(longest, norm(point_at(mesh, tet[i]) - point_at(mesh, tet[k])));
      }
    }
  }
  return longest;
}

}  // namespace

void tetrahedralize_command(const TetrahedralizeArguments& arguments) {
  const StandardArithmetic standard;
  if (arguments.edge_length && !(std::isfinite(*arguments.edge_length) && *arguments.edge_length > 0)) {
    throw_error("--edge-length: must be finite and greater than 0, found {}", *arguments.edge_length);
  }
  check_output("output", arguments.output, {".vtk"});
  const KeptInputs kept;
  TriangleMesh surface = read_triangle_mesh(arguments.input);
  check_writable(arguments.output);  // now that the input is known
  const std::size_t points = surface.points.size(), triangles = surface.triangles.size();
  MesherInput input = mesher_input(std::move(surface), arguments.input);
  for (const std::string& note : input.surface.notes) print_warning(arguments.input + ": " + note);
  print_doubt_of_units(arguments.input, longest_side(input.surface));

  const Mesher mesher = find_mesher(arguments.mesher);
  const std::string as_read =
      fmt::format("triangles of {} in the file, with {} of {} points", triangles, input.surface.points.size(), points);
  const std::size_t read = input.surface.triangles.size();
  const Tetrahedralized tetrahedralized = [&] {
    const Interruptible interruptible;
    const std::function<bool()> is_cancelled = interrupted;
    const CancellationScope cancellation(is_cancelled);
    const auto check = [&] { interruptible.check(); };
    Tetrahedralized made = tetrahedralize(std::move(input), mesher, {arguments.edge_length, arguments.triangles},
                                          arguments.output, arguments.input, check);
    check();
    return made;
  }();
  const Geometry& geometry = tetrahedralized.geometry;
  const std::size_t coarsened = tetrahedralized.coarsened, cut = tetrahedralized.triangles;
  if (!tetrahedralized.note.empty()) {
    print_warning(fmt::format("{}: --triangles {}: {}", arguments.input, *arguments.triangles, tetrahedralized.note));
  }
  write_vtk(geometry.mesh, arguments.output);

  const MeshReport& made = geometry.report;
  fmt::print("{}\n", escaped(arguments.output));
  print_row("mesher", mesher.name, escaped(mesher.program.string()));
  print_row("surface", read, as_read);
  if (coarsened < read) {
    print_row("coarsened to", coarsened,
              fmt::format("triangles by --triangles, moved by about {:.2g} m", tetrahedralized.moved));
  }
  if (cut > coarsened) {
    print_row("cut into", cut, "triangles by --edge-length");
  } else if (arguments.edge_length) {
    print_row("cut into", cut, "triangles: --edge-length cuts none, since all are finer; --triangles coarsens");
  }
  print_row("points", made.points, fmt::format("{} inside", made.interior_points));
  print_row("crossing edges", made.crossing_edges, "of the mesher, through the inside from surface to surface");
  print_row("all-boundary tets", made.all_boundary_tets, "of the mesher");
  print_row("tets", made.tets, fmt::format("{} of the mesher were split: the layer split", made.split_tets));
  print_row("longest edge", fmt::format("{:.4g}", longest_edge(geometry.mesh)), "m");
  print_row("volume", fmt::format("{:.6g}", made.volume), "m^3");
  print_row("smallest quality", fmt::format("{:.4f}", made.min_quality), "3 x inradius / circumradius");
  print_row("mean quality", fmt::format("{:.4f}", made.mean_quality));
}

}  // namespace isopatch::cli

// SPDX-License-Identifier: Apache-2.0
//
// Bolts and nuts with the basic profile of ISO 68-1: flanks at 60 degrees to each other, H = sqrt(3)/2 pitch high
// before H/8 is cut off at the crest and H/4 at the root, so the crest is pitch/8 wide and the root pitch/4.
#pragma once

#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch {

/// A right-handed screw thread with one start. Its crest passes through the x axis of the body's frame, at z = 0: a
/// bolt and a nut in the same frame fit, and still do when one is turned by 2 pi z / pitch and moved by z.
struct ScrewThread {
  double diameter = 0.02;  ///< nominal: of the bolt's crest, m; at least 4 pitches
  double pitch = 0.0025;   ///< m
  double clearance = 0;    ///< how much smaller all diameters of a bolt are, or larger those of a nut (the fundamental
                           ///< deviation of ISO 965), m; at most pitch / 4
};

/// The screw thread runs from z = 0 to `length`, where it is cut off flat; the hexagonal head lies below z = 0.
struct Bolt {
  ScrewThread thread;           ///< external
  double length = 0.03;         ///< m; at least 2 pitches
  double head_height = 0.0125;  ///< m; 0 for a rod without a head
  double across_flats = 0.03;   ///< of the head, m; larger than the diameter
  int segments = 36;            ///< of a turn: a multiple of 12 in [12, 720]
};

/// The nut's middle is the origin.
struct Nut {
  ScrewThread thread;          ///< internal
  double height = 0.018;       ///< m; at least 2 pitches
  double across_flats = 0.03;  ///< m; at least diameter + 2 pitches
  int segments = 36;           ///< as for the bolt
};

/// M20x2.5 with the head of ISO 4017, as above, with all lengths scaled to `diameter` [m].
Bolt metric_bolt(double diameter);

/// The nut of ISO 4032 for metric_bolt(), likewise scaled.
Nut metric_nut(double diameter);

/// The closed surface of a bolt. One turn of the screw thread has 8 x segments triangles, with their corners on the
/// helices of the exact profile. Throws Error for sizes outside the limits above, or more than 20 000 segments in all
/// turns.
TriangleMesh make_bolt_surface(const Bolt& bolt);

/// The closed surface of a nut, with as many triangles in a turn. Their corners are moved out by the factor 1 / cos(pi
/// / segments), so that the circles of the profile lie inside its polygons. With a clearance like ISO 965's position g,
/// a nut then turns on its bolt and touches it only at a few points of its ends. Throws Error as make_bolt_surface().
TriangleMesh make_nut_surface(const Nut& nut);

/// The same bolt as tets, with inner vertices in the teeth and below them and no tet with all vertices on the surface:
/// about 56 x segments in a turn. Throws Error as make_bolt_surface().
TetMesh make_bolt_mesh(const Bolt& bolt);

/// The same for a nut: about 72 x segments in a turn.
TetMesh make_nut_mesh(const Nut& nut);

}  // namespace isopatch

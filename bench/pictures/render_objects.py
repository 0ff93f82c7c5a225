#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes six real things the whole way from their files to wrenches, rigid and compliant, and draws field and patches.

--data names a folder with the meshes (of RobotLocomotion/models and drake, not part of the project). Surfaces become
tets by `isopatch tetrahedralize`, which needs TetGen or Gmsh. Each thing stands on the ground twice: compliant on a
rigid half space, and rigid in a compliant one.

Prints a table, and exits with status 1 where a tet has no pressure, a status bit is set or there is no contact.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import plotting  # noqa: E402

plotting.import_or_install()

import matplotlib  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import render_patches  # noqa: E402

sys.path.append(str(plotting.ROOT / "bench"))
import tet_meshes  # noqa: E402

THINGS = {
    "pepper": "yellow_bell_pepper_no_stem_low.vtk",
    "bowl": "evo_bowl_coarse3k.vtk",
    "torus": "torus.vtk",
    "bubble": "bubble.vtk",
    "mustard_bottle": "mustard_bottle.obj",
    "quad_bowl": "evo_bowl_col.obj",
}
MODULUS = 1e5
COMPLIANT_DEPTH, RIGID_DEPTH = 0.03, 0.15  # of the height
RISE = (0.4, -1, 0.35)


def run(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True)


def standing(geometry, rigid, depth, lowest):
    """The scene of a thing whose lowest point is `depth` below the ground."""
    return {
        "isopatch": 1,
        "geometries": {"thing": geometry, "ground": {"type": "half_space", "thickness": 0.05}},
        "bodies": [
            {
                "name": "thing",
                "geometry": "thing",
                "modulus": MODULUS,
                "rigid": rigid,
                "position": [0, 0, -lowest - depth],
            },
            {"name": "ground", "geometry": "ground", "modulus": MODULUS, "rigid": not rigid, "fixed": True},
        ],
        "pairs": [["thing", "ground"]],
    }


def evaluate(program, scene, folder):
    (folder / "scene.json").write_text(json.dumps(scene))
    results = render_patches.evaluate(program, folder / "scene.json", folder)
    patches = render_patches.read_vtk(folder / "patches_0000.vtk")
    bodies = render_patches.read_vtk(folder / "bodies_0000.vtk")
    return results["status"][0], results["pair_wrench"][0, 0], patches, bodies


def section(points, tets, values, y):
    """Triangles of the cut at this y: corners (x, z), and the field there."""
    side = points[:, 1] - y
    corners, field = [], []
    for tet in tets[(side[tets].min(1) < 0) & (side[tets].max(1) >= 0)]:
        below, above = [v for v in tet if side[v] < 0], [v for v in tet if side[v] >= 0]
        pairs = [(a, b) for a in below for b in above]
        if len(pairs) == 4:  # in the order of a quad's corners
            pairs = [pairs[k] for k in (0, 1, 3, 2)]
        fraction = np.array([side[a] / (side[a] - side[b]) for a, b in pairs])[:, None]
        first, second = (np.array([pair[k] for pair in pairs]) for k in (0, 1))
        at = (1 - fraction) * points[first] + fraction * points[second]
        value = (1 - fraction[:, 0]) * values[first] + fraction[:, 0] * values[second]
        for k in range(1, len(pairs) - 1):
            corners.append(at[[0, k, k + 1]][:, [0, 2]])
            field.append(value[[0, k, k + 1]])
    return np.array(corners), np.array(field)


def draw_field(ax, points, tets, extent):
    corners, field = section(points, tets, extent, points[:, 1].mean() + 1e-7)
    flat = 1e3 * corners.reshape(-1, 2)
    triangles = np.arange(len(flat)).reshape(-1, 3)
    ax.tripcolor(flat[:, 0], flat[:, 1], triangles, field.ravel(), shading="gouraud", cmap="viridis", vmin=0, vmax=1)
    if len(triangles) < 800:
        ax.triplot(flat[:, 0], flat[:, 1], triangles, color="white", lw=0.12, alpha=0.5)
    ax.set_aspect("equal")
    ax.margins(0.04)
    ax.set_xlabel("mm", fontsize=8)
    ax.tick_params(labelsize=7)
    ax.set_title(f"extent, 0 to 1; {len(tets)} tets", fontsize=9)


def draw_contact(figure, ax, title, patches, bodies, thing):
    view = render_patches.axes_of_view(RISE)
    norm = matplotlib.colors.Normalize(0, patches["pressure"].max())
    of_thing = [i for i, body in enumerate(bodies["body"]) if body == thing]
    only = {**bodies, "polygons": [bodies["polygons"][i] for i in of_thing], "body": bodies["body"][of_thing]}
    render_patches.draw_bodies(ax, only, view, ["#c8c8c8"], 0.12)
    image = render_patches.draw_patch(ax, patches, range(len(patches["polygons"])), view, norm, 0)
    used = np.unique(np.concatenate(only["polygons"]))
    render_patches.frame(ax, bodies["points"][used], view, 0.04)
    ax.set_title(title, fontsize=9)
    bar = figure.colorbar(image, ax=ax, shrink=0.7)
    bar.ax.tick_params(labelsize=7)
    bar.set_label("Pa", fontsize=7)


def main():
    parser = plotting.argument_parser(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the meshes")
    arguments = parser.parse_args()
    program, data = arguments.program.resolve(), arguments.data.resolve()
    arguments.output.mkdir(parents=True, exist_ok=True)

    good = True
    half = f"    {'polygons':>8}  {'force [N]':^26}"
    print(f"{'':37}    {'compliant on a rigid ground':^36}    {'rigid in a compliant ground':^36}")
    print(f"{'thing':<16}{'tets':>8}{'split':>7}{'no p':>6}{half}{half}")
    for name, file in THINGS.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            tets_file, surface, said = data / file, {"type": "tet_mesh", "file": str(data / file)}, ""
            if file.endswith(".obj"):
                tets_file, surface["type"] = folder / "filled.vtk", "surface_mesh"
                said = run(program, "tetrahedralize", data / file, tets_file).stdout
            said += run(program, "field", tets_file, folder / "field.vtk").stdout
            split = sum(int(n) for n in re.findall(r"(\d+) (?:tets|of the mesher) were split", said))
            points, tets, extent = tet_meshes.read_vtk(folder / "field.vtk")
            without = int((extent[tets].max(1) == 0).sum())
            low, high = points[:, 2].min(), points[:, 2].max()

            figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
            draw_field(axes[0], points, tets, extent)
            row = f"{name:<16}{len(tets):>8}{split:>7}{without:>6}"
            compliant = {"type": "tet_mesh", "file": str(tets_file)}
            for ax, geometry, rigid, fraction, title in (
                (axes[1], compliant, False, COMPLIANT_DEPTH, "compliant on a rigid ground"),
                (axes[2], surface, True, RIGID_DEPTH, "rigid in a compliant ground"),
            ):
                scene = standing(geometry, rigid, fraction * (high - low), low)
                status, wrench, patches, bodies = evaluate(program, scene, folder)
                number = len(patches["polygons"])
                good = good and status == 0 and number > 0
                row += f"{'':4}{number:>8}  " + " ".join(f"{f:8.3f}" for f in wrench[:3])
                draw_contact(figure, ax, f"{title}: {wrench[2]:.3g} N", patches, bodies, 0)
            print(row)
            good = good and without == 0
            figure.suptitle(name.replace("_", " "), fontsize=10)
            plotting.save(figure, arguments.output / f"object_{name}.png")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

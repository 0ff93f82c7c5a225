#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times a nut on a bolt in 200 worlds on one GPU: the hydroelastic contact of Newton, and the whole wrench of isopatch.

Usage: bench/newton/compare_newton.py [OUT_DIR] [--build DIR]
Needs a CUDA device, the packages newton, warp-lang and numpy, and a finished build with CUDA, whose command may be in
the package isopatch. Exits with status 2 where something is missing and with 3 without a device. Written for newton
1.8.0 and warp-lang 1.19.0.

Both have the same surfaces: isopatch writes them, in the pose of bench/scenes/nut_on_bolt.json. Both are replayed as a
CUDA graph that only finds contacts, and timed by events: medians of 7 times 20 replays.

What is not alike. Newton samples a signed distance on a grid, 128 cells along the longest side as in its own nut and
bolt, and finds triangles of equal pressure in its cells by marching cubes; what it gives are contacts with a stiffness
(reduced to few, and all of them), not a wrench. isopatch cuts every pair of tet and triangle, and integrates pressure,
damping and friction over the exact polygons. Newton's pressure grows with the sampled distance, the same everywhere in
a body; isopatch's nut has the exact distance at its vertices, and the bolt is rigid: here it is a hundred times as
stiff.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENE = ROOT / "bench/scenes/nut_on_bolt.json"
WORLDS = 200
RESOLUTION = 128
BATCHES, REPLAYS = 7, 20


def fail(message, code=2):
    print(f"compare_newton: {message}", file=sys.stderr)
    sys.exit(code)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", nargs="?", type=Path, help="folder for newton_comparison.json")
    parser.add_argument("--build", type=Path, default=ROOT / "build/cuda", help="a finished build")
    return parser.parse_args()


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"'{' '.join(map(str, command))}' ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def command_of(build):
    """The program isopatch, or the same in Python's package, where a folder of scripts/gpu_folder.sh has no program."""
    program = build / "bin/isopatch"
    return [program] if program.exists() else [sys.executable, "-m", "isopatch"]


def surfaces(np, command):
    """Points and triangles of nut and bolt, in the pose of the scene; and what isopatch finds there."""
    with tempfile.TemporaryDirectory() as folder:
        found = json.loads(run([*command, "evaluate", SCENE, "--vtk", folder]))["environments"][0]["pairs"][0]
        words = (Path(folder) / "bodies_0000.vtk").read_text().split()

    def block(keyword, skip, count, kind):
        at = words.index(keyword) + skip
        return np.array(words[at : at + count], dtype=kind)

    points = block("POINTS", 3, 3 * int(words[words.index("POINTS") + 1]), np.float32).reshape(-1, 3)
    count = int(words[words.index("POLYGONS") + 1])
    triangles = block("POLYGONS", 3, 4 * count, np.int32).reshape(-1, 4)[:, 1:]
    body = block("LOOKUP_TABLE", 2, count, np.int32)
    return [(points, triangles[body == b]) for b in range(2)], found


def only_used(np, points, triangles):
    used, renumbered = np.unique(triangles, return_inverse=True)
    return points[used], renumbered.astype(np.int32).ravel()


def newton_model(np, newton, shapes, device):
    """WORLDS nuts, free, each on a bolt that is part of its world."""
    nut_slope = (
        1e8 / 2.537e-3
    )  # Pa/m: the scene's modulus over the largest distance of a vertex of the nut from its surface
    world = newton.ModelBuilder()
    nut = world.add_body(label="nut")
    for (points, triangles), body, stiffness in zip(shapes, (nut, -1), (nut_slope, 100 * nut_slope)):
        mesh = newton.Mesh(*only_used(np, points, triangles))
        if device is not None:
            mesh.build_sdf(max_resolution=RESOLUTION, narrow_band_range=(-0.005, 0.005), margin=0.005, device=device)
        shape = newton.ModelBuilder.ShapeConfig(
            kh=stiffness, mu=0.2, gap=0.0, margin=0.0, is_hydroelastic=device is not None
        )
        world.add_shape_mesh(body, mesh=mesh, cfg=shape)
    scene = newton.ModelBuilder()
    scene.replicate(world, WORLDS)
    return scene


def time_newton(np, newton, wp, shapes, reduce):
    """Milliseconds of a batch, and the number of contacts in it."""
    from newton.geometry import HydroelasticSDF

    model = newton_model(np, newton, shapes, "cuda:0").finalize(device="cuda:0")
    pipeline = newton.CollisionPipeline(
        model,
        reduce_contacts=reduce,
        rigid_contact_max=WORLDS * (1024 if reduce else 32768),
        broad_phase="sap",
        sdf_hydroelastic_config=HydroelasticSDF.Config(reduce_contacts=reduce, mc_edge_clamp_min=0.0),
    )
    state, contacts = model.state(), pipeline.contacts()
    pipeline.collide(state, contacts)  # kernels are compiled
    with wp.ScopedCapture(device="cuda:0") as capture:
        pipeline.collide(state, contacts)
    begin, end = (wp.Event(device="cuda:0", enable_timing=True) for _ in range(2))
    times = []
    for _ in range(BATCHES):
        wp.record_event(begin)
        for _ in range(REPLAYS):
            wp.capture_launch(capture.graph)
        wp.record_event(end)
        times.append(wp.get_event_elapsed_time(begin, end) / REPLAYS)
    return statistics.median(times), int(contacts.rigid_contact_count.numpy()[0])


def time_isopatch(build, precision):
    """Milliseconds of a batch, and polygons of a world."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "bench.json"
        command = [build / "bin/isopatch_bench", f"--benchmark_filter=/cuda/{precision}/nut_on_bolt/{WORLDS}/"]
        command += [f"--benchmark_repetitions={BATCHES}", "--benchmark_min_time=0.05"]
        run([*command, f"--benchmark_out={out}", "--benchmark_out_format=json"])
        rows = json.loads(out.read_text())["benchmarks"]
    rows = [row for row in rows if row.get("run_type") == "iteration"]
    if not rows or any(row.get("error_occurred") for row in rows):
        fail("isopatch_bench measured nothing: " + (rows[0].get("error_message", "") if rows else "no such benchmark"))
    return statistics.median(row["real_time"] for row in rows) / 1e3, rows[0]["polygons"]


def main():
    args = arguments()
    try:
        import newton
        import numpy as np
        import warp as wp
    except ImportError as error:
        fail(f"{error}; install newton, warp-lang and numpy")
    if not (args.build / "bin/isopatch_bench").exists():
        fail(f"{args.build}/bin/isopatch_bench is missing; build with cmake --build --preset cuda, or name a --build")
    shapes, found = surfaces(np, command_of(args.build))
    print(f"surfaces: nut {len(shapes[0][1])} triangles, bolt {len(shapes[1][1])}; force {found['force'][2]:.1f} N")
    wp.init()
    if wp.get_cuda_device_count() == 0:
        print(f"a model of {newton_model(np, newton, shapes, None).shape_count} shapes was made, without distances")
        fail("no CUDA device", 3)
    wp.set_device("cuda:0")

    result = {"device": wp.get_device("cuda:0").name, "newton": newton.__version__, "worlds": WORLDS, "rows": []}
    print(f"{result['device']}, newton {newton.__version__}, warp {wp.__version__}, {WORLDS} worlds")
    print(f"{'':<44} {'ms a batch':>10} {'us a world':>10} {'a world':>10}")

    def row(name, milliseconds, count, what):
        result["rows"].append({"name": name, "milliseconds": milliseconds, what: count})
        print(
            f"{name:<44} {milliseconds:>10.3f} {1e3 * milliseconds / WORLDS:>10.2f} {count:>10.1f} {what}", flush=True
        )

    for precision in ("float", "double"):
        row(f"isopatch, {precision}, whole wrench", *time_isopatch(args.build, precision), "polygons")
    for reduce in (True, False):
        milliseconds, contacts = time_newton(np, newton, wp, shapes, reduce)
        row(f"newton, collide, {'reduced' if reduce else 'all'} contacts", milliseconds, contacts / WORLDS, "contacts")
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "newton_comparison.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

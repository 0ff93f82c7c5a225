#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the time of an evaluation on a GPU from the kernels' machine code, without a GPU.

The program cycle_model (cmake --build BUILD --target cycle_model) executes the machine code that nvcc made of the
kernels on a model of one processor, with as many environments as it would get, and counts cycles: by the compiler's
stall counts and scoreboards, and by a model of units and caches. Every wrench is compared with the CPU's, bit by bit.

Nothing of it was checked on a device. What the model assumes is in bench/cycle_model/timing.h; --timing replaces it by
what was measured.

Usage: bench/cycle_model/predict.py [--build DIR] [--tools DIR] [--data DIR] [--pair-blocks 2,3,4] ...
It ends with status 1 where a bit differs, with 2 where something is missing.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))

from count_instructions import about_axis, box, commit, sphere, two_bodies  # noqa: E402
from machine_code import ARCHITECTURE, Failure, Tools, compile_pairs, install  # noqa: E402

DATA_FILES = ("yellow_bell_pepper_no_stem_low.vtk", "evo_bowl_coarse3k.vtk")
SCHEDULERS = 4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a finished build")
    parser.add_argument("--tools", type=Path, help="folder of cuobjdump and nvdisasm, if they are not on PATH")
    parser.add_argument("--data", type=Path, help="folder of the meshes of pepper_in_bowl")
    parser.add_argument("--timing", type=Path, help="JSON file of values that were measured on a device")
    parser.add_argument("--pair-blocks", default="", help="values of ISOPATCH_PAIR_BLOCKS to compile and compare")
    parser.add_argument("--keep-candidates", type=float, help="margin, m: a call that finds them kept")
    parser.add_argument("--environments", type=int, default=8192)
    parser.add_argument("--clock", type=float, default=1.98, help="of the device, GHz")
    parser.add_argument("--processors", type=int, default=132, help="of the device")
    parser.add_argument("--filter", default="", help="regular expression that a scene's name must hold")
    parser.add_argument("--json", type=Path, help="file for all that was found")
    return parser.parse_args()


def tet_mesh(path):
    return {"type": "tet_mesh", "file": str(path.resolve())}


def need_numpy(folder):
    """For tet_meshes: from a package in the build, if Python has none."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        install(["numpy==2.2.6"], folder)
        sys.path.append(str(folder))


def write_meshes(folder, build):
    """The sphere of 512 tets and the box of 44 of the comparison with Drake, and a body of four tets."""
    need_numpy(build / "cycle_model/numpy")
    from tet_meshes import bisect_to, fan_sphere, four_tets, read_vtk, write_vtk

    scene = {
        "isopatch": 1,
        "geometries": {"plate24": box(0.2, 0.25, 0.1)},
        "bodies": [{"name": "plate", "geometry": "plate24"}],
    }
    path = folder / "plate.json"
    path.write_text(json.dumps(scene))
    subprocess.run([build / "bin/pair_time", path, "--write-meshes", folder], check=True)
    points, tets, _ = read_vtk(folder / "plate24.vtk")
    write_vtk(folder / "plate44.vtk", *bisect_to(points, tets, 44))
    points, tets = fan_sphere(3)
    write_vtk(folder / "sphere512.vtk", 0.05 * points, tets)
    write_vtk(folder / "four_tets.vtk", *four_tets(0.1))


def scenes(folder, args):
    """Scene files by name."""
    write_meshes(folder, args.build)
    turned, tilted = about_axis(0.3, 1, 0.2, 0.5), about_axis(0.2, 1, 0.3, 0.15)
    goal = [tet_mesh(folder / f"{name}.vtk") for name in ("sphere512", "plate44")]
    four_tets = tet_mesh(folder / "four_tets.vtk")
    found = {
        "four_tets_on_four_tets": two_bodies(four_tets, four_tets, [0.003, 0.002, -0.03], about_axis(1, 0.01, 0, 2.9)),
        "sphere1280_on_half_space": two_bodies(
            sphere(3), {"type": "half_space", "thickness": 0.1}, [0, 0, 0.015], turned
        ),
        "box24_on_box24": two_bodies(box(0.1, 0.11, 0.12), box(0.12, 0.13, 0.14), [0.03, 0.03, 0.11], tilted),
        "sphere320_on_box24": two_bodies(sphere(2), box(0.2, 0.25, 0.1), [0.01, -0.02, 0.085], turned),
        "sphere512_on_box44": two_bodies(*goal, [0.01, -0.02, 0.093], turned),
        "sphere320_on_sphere320": two_bodies(sphere(2), sphere(2), [0.01, 0.005, 0.0885], turned),
        "sphere1280_on_sphere1280": two_bodies(sphere(3), sphere(3), [0.01, 0.005, 0.0888], turned),
    }
    if args.data and all((args.data / file).exists() for file in DATA_FILES):
        pepper, bowl = (tet_mesh(args.data / file) for file in DATA_FILES)
        found["pepper_in_bowl"] = two_bodies(pepper, bowl, [0, 0, -0.0275], about_axis(0, 0, 1, 0.3))
    else:
        print("pepper_in_bowl is left out: --data DIR names no folder with its meshes", file=sys.stderr)
    for name, scene in found.items():
        (folder / f"{name}.json").write_text(json.dumps(scene))
    return {name: folder / f"{name}.json" for name in found if re.search(args.filter, name)}


def listings(tools, build, folder):
    """The disassembled kernels of the library, one file for each object."""
    objects = sorted((build / "CMakeFiles/isopatch.dir/kernels").rglob("*.cu.o"))
    if not objects:
        raise Failure(f"{build} has no kernels; build the target isopatch for {ARCHITECTURE}")
    found = []
    for binary in objects:
        text = folder / f"{binary.name.split('.')[0]}.sass"
        tools.disassemble(binary, text)
        if text.stat().st_size > 0:
            found.append(text)
    return found


def variants(args, tools, folder):
    """Listings by name of the variant: of the build, or of the numbers of blocks that were asked for."""
    base = listings(tools, args.build, folder)
    if not args.pair_blocks:
        return {"": base}
    found = {}
    for blocks in args.pair_blocks.split(","):
        cubin, text = (folder / f"pairs_of_{blocks}_blocks{suffix}" for suffix in (".cubin", ".sass"))
        compile_pairs(args.build, int(blocks), cubin)
        tools.disassemble(cubin, text)
        found[f"{blocks} blocks"] = [*base, text]  # the last ones replace those of the same name
    return found


def model(args, scene, texts):
    """What the program found, with the times of a call."""
    environments = max(1, round(args.environments / args.processors))  # of one processor
    command = [str(args.build / "bin/cycle_model"), str(scene), *map(str, texts), "--environments", str(environments)]
    if args.timing:
        command += ["--timing", str(args.timing)]
    if args.keep_candidates:
        command += ["--keep-candidates", str(args.keep_candidates)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or not done.stdout:
        raise Failure(f"cycle_model ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    found = json.loads(done.stdout)
    share = args.environments / args.processors / environments  # of what the processor would get, beside what it got
    milliseconds = 1e-6 * share / args.clock  # of a cycle
    for launch in found["launches"]:
        launch["name"] = re.search(r"\d([a-z_]+?)(_kernel)?[EI]", launch["kernel"])[1]
        launch["ms"] = launch["cycles"] * milliseconds
        launch["bound_ms"] = launch["issued"] / SCHEDULERS * milliseconds
    found["ms"] = sum(k["ms"] + 1e-3 * found["launch_us"] for k in found["launches"])
    found["bound_ms"] = sum(k["bound_ms"] for k in found["launches"])
    return found


HEADER = "blocks registers stack  issued/pair  bound [ms]    IPC  lanes  passes/kcycle  missed  cycles/pair     [ms]"


def print_scene(title, found):
    """A line for each kernel, and one for the call."""
    environments = found["environments"]
    print(f"{title:<48} {HEADER}")
    for k in found["launches"]:
        missed, rate = k["missed_lines"] / max(1, k["lines"]), k["issued"] / k["cycles"] / SCHEDULERS
        print(
            f"  {k['name']:<46} {k['resident_blocks']:>6} {k['registers']:>9} {k['stack_bytes']:>5} "
            f"{k['issued'] / environments:>12.0f} {k['bound_ms']:>11.4f} {rate:>6.3f} "
            f"{k['lanes'] / k['issued']:>6.1f} {1000 * k['passes'] / k['cycles']:>14.0f} {missed:>7.2%} "
            f"{k['cycles'] / environments:>12.0f} {k['ms']:>8.4f}"
        )
    issued = sum(k["issued"] for k in found["launches"]) / environments
    cycles = sum(k["cycles"] for k in found["launches"]) / environments
    print(
        f"  {'all, with ' + str(found['launch_us']) + ' us a launch':<46} {'':>22} {issued:>12.0f} "
        f"{found['bound_ms']:>11.4f} {'':>6} {'':>6} {'':>14} {'':>7} {cycles:>12.0f} {found['ms']:>8.4f}"
    )
    if found["different_values"]:
        print(f"  {found['different_values']} values differ from the CPU's")
    print(flush=True)


def print_table(args, names, columns, found):
    """Milliseconds of all scenes as a table of Markdown, with a place for what is measured."""
    print(f"| {args.environments} environments, ms at {args.clock:g} GHz | issue bound | ", end="")
    print(" | ".join(f"{column or 'predicted'} | measured" for column in columns) + " |")
    print("|---|" + "---|" * (1 + 2 * len(columns)))
    for name in names:
        cells = " | ".join(f"{found[name, column]['ms']:.3f} | " for column in columns)
        print(f"| {name} | {found[name, columns[0]]['bound_ms']:.3f} | {cells} |")


def predict(args):
    for program, target in (("cycle_model", "cycle_model"), ("pair_time", "pair_time")):
        if not (args.build / "bin" / program).exists():
            raise Failure(f"{args.build}/bin/{program} is missing; build the target {target}")
    kept = args.build / "cycle_model"
    kept.mkdir(exist_ok=True)
    columns = variants(args, Tools(args.tools, kept / "tools"), kept)
    print(f"isopatch at {commit()}: {args.environments} environments, {args.processors} processors, {args.clock:g} GHz")
    print(f"assumptions: {args.timing or 'guesses'}. Nothing here was measured.\n")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = scenes(Path(folder), args)
        for name, path in paths.items():
            for column, texts in columns.items():
                found[name, column] = model(args, path, texts)
                print_scene(f"{name} {column}".strip(), found[name, column])
    print_table(args, list(paths), list(columns), found)
    if args.json:
        records = [{"scene": name, "variant": column} | record for (name, column), record in found.items()]
        args.json.write_text(json.dumps(records, indent=1) + "\n")
    return 1 if any(f["different_values"] for f in found.values()) else 0


def main():
    try:
        return predict(arguments())
    except (Failure, subprocess.CalledProcessError) as failure:
        print(f"predict: {failure}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

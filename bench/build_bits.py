# SPDX-License-Identifier: Apache-2.0
"""Whether the programs `isopatch` of two builds write the same bytes of the same scenes, evaluated and stepped."""

import ast
import functools
import json
import math
import re
import struct
import subprocess
import tempfile
import zipfile
from pathlib import Path

from count_instructions import ROOT, about_axis, box, two_bodies

ENVIRONMENTS, STEPS = 64, 100
# other numbers for scenes that would take a minute, or touch nothing so soon
SIZES = {"nut_on_bolt": (4, 0), "nut_spinning": (2, 4), "bouncing_ball": (64, 1500)}
CODES = {"f4": "f", "f8": "d", "i4": "i", "i8": "q", "u4": "I", "u1": "B", "b1": "B"}


# --- scenes ----------------------------------------------------------------------------------------------------------


def written_scenes(data):
    """Scenes of shapes and rules that no file of the project has, and of the meshes in the folder `data`."""

    def body(name, position, **keys):
        return {"name": name, "geometry": name, "friction": 0.5, "dissipation": 1, "position": position} | keys

    shapes = {
        "table": {"type": "half_space", "thickness": 0.1, "strain": {"true": 0.5}},
        "can": {"type": "cylinder", "radius": 0.03, "height": 0.1, "segments": 16},
        "pill": {"type": "capsule", "radius": 0.02, "length": 0.06, "segments": 16},
        "egg": {"type": "ellipsoid", "semi_axes": [0.02, 0.03, 0.025]},
        "die": {"type": "surface_mesh", "file": str(ROOT / "tests/scenes/cube.obj"), "scale": 0.4},
    }
    bodies = [
        body("table", [0, 0, 0], modulus=1e6, fixed=True),
        body("can", [0, 0, 0.048], modulus=2e5, mass=0.3, linear_velocity=[0.1, 0, -0.05]),
        body("pill", [0, 0, 0.116], modulus=1e5, mass=0.1, orientation=about_axis(1, 0, 0, math.pi / 2)),
        body("egg", [0.048, 0, 0.023], modulus=1e5, mass=0.1, angular_velocity=[0, 0, 3]),
        body("die", [-0.048, 0, 0.019], rigid=True, mass=0.1, orientation=about_axis(1, 2, 0, 0.1)),
    ]
    scene = {"isopatch": 1, "geometries": shapes, "bodies": bodies}
    found = {"primitives": scene | {"rollout": {"time_step": 0.002, "duration": 1}}}
    for quadrature in ("centroid", "fan3", "fan6"):
        found[f"primitives_{quadrature}"] = scene | {"contact": {"quadrature": quadrature}}

    def mesh(name):
        return {"type": "tet_mesh", "file": str((data / f"{name}.vtk").resolve())}

    def has(*names):
        return data and all((data / f"{name}.vtk").exists() for name in names)

    pepper, bowl = "yellow_bell_pepper_no_stem_low", "evo_bowl_coarse3k"
    if has(pepper, bowl):
        pose = [0, 0, -0.0275], about_axis(0, 0, 1, 0.3)
        found["pepper_in_bowl"] = two_bodies(mesh(pepper), mesh(bowl), *pose)
    for name in ("bubble", "torus"):
        if has(name):
            found[f"{name}_on_box"] = two_bodies(mesh(name), box(0.2, 0.2, 0.2), [0, 0, 0.11], [1, 0, 0, 0])
    return found


def scene_files(folder, data):
    """Name, file and options of each scene; the last are None if meshes of it are missing."""
    for path in sorted((ROOT / "bench/scenes").glob("*.json")) + sorted((ROOT / "tests/scenes").glob("*.json")):
        geometries = json.loads(path.read_text())["geometries"].values()
        files = [geometry["file"] for geometry in geometries if "file" in geometry]
        if all((path.parent / file).exists() for file in files):
            yield path.stem, path, []
        elif data and all((data / file).exists() for file in files):
            yield path.stem, path, ["--data", data]
        else:
            yield path.stem, path, None
    for name, scene in written_scenes(data).items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(scene))
        yield name, path, []


# --- arrays ----------------------------------------------------------------------------------------------------------


class Array:
    """An array of an .npz file, or a whole file, as bytes."""

    def __init__(self, content, is_npy):
        self.type, self.shape, self.bytes = "file", (len(content),), content
        if is_npy:
            length, start = ("<H", 10) if content[6] == 1 else ("<I", 12)  # of the header, by the format's version
            (size,) = struct.unpack_from(length, content, 8)
            header = ast.literal_eval(content[start : start + size].decode("latin1"))
            if header["fortran_order"]:
                raise ValueError("an array in Fortran's order")
            self.type, self.shape, self.bytes = header["descr"], header["shape"], content[start + size :]

    def value(self, index):
        code = CODES.get(self.type[1:])
        size = int(self.type[2:]) if code else 1
        return struct.unpack_from("<" + (code or "B"), self.bytes, index * size)[0]

    def first_difference(self, other):
        """Index of the first value whose bytes differ."""
        size = int(self.type[2:]) if self.type[1:] in CODES else 1
        at = next(i for i, (a, b) in enumerate(zip(self.bytes, other.bytes)) if a != b)
        return at // size


def read_arrays(npz, folder):
    found = {}
    with zipfile.ZipFile(npz) as archive:
        for name in archive.namelist():
            found[name.removesuffix(".npy")] = Array(archive.read(name), True)
    for former, present in FORMER_NAMES.items() if "time" in found else ():  # of a rollout
        if former in found:
            found[present] = found.pop(former)
    for path in folder.glob("*.vtk"):
        found[path.name] = Array(path.read_bytes(), False)
    return found


def place(name, shape, index, is_rollout):
    """Which environment the value with this index is of."""
    if len(shape) == 1 and name.endswith(".vtk"):
        return f"byte {index}"
    rest = math.prod(shape[1:])
    if not is_rollout or name == "status":
        return f"environment {index // rest}"
    if len(shape) == 1:
        return f"row {index}"
    return f"row {index // rest}, environment {index % rest // math.prod(shape[2:])}"


def differences(a, b, is_rollout):
    """A line for each array whose bytes differ."""
    for name in sorted(a.keys() & b.keys()):
        x, y = a[name], b[name]
        if (x.type, x.shape, x.bytes) == (y.type, y.shape, y.bytes):
            continue
        if x.type != y.type or (x.shape != y.shape and x.type != "file"):
            yield f"{name} is {x.type} {x.shape} in A and {y.type} {y.shape} in B"
        elif len(x.bytes) != len(y.bytes):
            yield f"{name} has {len(x.bytes)} bytes in A and {len(y.bytes)} in B"
        else:
            i = x.first_difference(y)
            yield f"{name} differs, first in {place(name, x.shape, i, is_rollout)}: {x.value(i)!r} and {y.value(i)!r}"


# --- runs ------------------------------------------------------------------------------------------------------------


FORMER_NAMES = {"iterations": "solver_iterations", "polygons": "num_polygons", "steps": "step_count"}
ENERGIES = "--energies"  # older builds always write them


@functools.cache
def has_option(build, command, option):
    help_text = subprocess.run([build / "bin/isopatch", command, "--help"], capture_output=True, text=True)
    return option in help_text.stdout


def run(build, command, scene, options):
    """The arrays that `isopatch COMMAND` writes, and its message if it fails."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if not has_option(build, command, ENERGIES):
            options = [word for word in options if word != ENERGIES]
        words = [build / "bin/isopatch", command, scene, "--backend", "cpu", "--threads", 1, *options]
        words += ["--output", folder / "out.npz"] + (["--vtk", folder] if command == "evaluate" else [])
        # a session of its own: Ctrl-C is for the script
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, start_new_session=True)
        if done.returncode != 0:
            return {}, f"exit status {done.returncode}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"
        return read_arrays(folder / "out.npz", folder), None


class SceneBits:
    """What came out of one scene."""

    def __init__(self, name):
        self.name, self.runs, self.arrays, self.polygons = name, 0, 0, 0
        self.differences, self.notes = [], []

    def compare(self, builds, command, precision, path, options):
        what = f"{command} {precision}"
        (a, failed_a), (b, failed_b) = (run(build, command, path, options) for build in builds)
        if failed_a or failed_b:
            if failed_b and not failed_a:
                self.differences.append(f"{what}: only A does it; B: {failed_b}")
            else:
                self.notes.append(f"{what}: {'neither does it' if failed_b else 'only B does it'}; A: {failed_a}")
            return
        self.runs += 1
        self.arrays += len(a.keys() & b.keys())
        for polygons in (a[name] for name in ("polygons", "num_polygons") if name in a):
            self.polygons += sum(struct.unpack(f"<{len(polygons.bytes) // 4}i", polygons.bytes))
        for names, side in ((a.keys() - b.keys(), "A"), (b.keys() - a.keys(), "B")):
            if names:
                self.notes.append(f"{what}: only {side} has {', '.join(sorted(names))}")
        self.differences += [f"{what}: {line}" for line in differences(a, b, command == "rollout")]


def compare_bits(builds, filter, data, folder, found, progress):
    """Adds a SceneBits for each scene to `found`; says what was left out."""
    left_out = []
    for name, path, options in scene_files(folder, data):
        if not re.search(filter, name):
            continue
        if options is None:
            left_out.append(name)
            continue
        progress(f"bits of {name}")
        scene = SceneBits(name)
        environments, steps = SIZES.get(name, (ENVIRONMENTS, STEPS))
        for precision in ("float", "double"):
            common = ["--precision", precision, *options]
            evaluated = [*common, "--envs", environments, "--energy", "--part-pairs"]
            scene.compare(builds, "evaluate", precision, path, evaluated)
            if steps and "rollout" in json.loads(path.read_text()):
                stepped = [*common, "--envs", min(environments, 3), "--steps", steps, ENERGIES]
                scene.compare(builds, "rollout", precision, path, stepped)
        found.append(scene)
    return left_out


def bits_table(found, left_out):
    """Lines, and whether all bits are the same."""
    lines = [f"{'scene':<24} {'runs':>5} {'arrays':>7} {'polygons':>9}  bits"]
    for scene in found:
        verdict = "differ" if scene.differences else "same" if scene.runs else "not compared"
        lines.append(f"{scene.name:<24} {scene.runs:>5} {scene.arrays:>7} {scene.polygons:>9}  {verdict}")
        lines += [f"  {line}" for line in scene.differences] + [f"  ({line})" for line in scene.notes]
    if left_out:
        lines.append(f"left out, since their meshes are not there: {', '.join(left_out)}")
    differ = [scene.name for scene in found if scene.differences]
    if differ:
        lines.append(f"bits differ in {', '.join(differ)}")
    else:
        lines.append(f"bits are the same in {sum(scene.arrays for scene in found)} arrays and files")
    return lines, not differ

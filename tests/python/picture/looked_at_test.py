# SPDX-License-Identifier: Apache-2.0
"""What is looked at is what was stepped: the forces on a held body are its weight wherever they are shown."""

import base64
import gzip
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import isopatch
from isopatch._src.picture.glb import Glb

pytestmark = pytest.mark.skipif(not isopatch.build_info()["render"], reason="isopatch was built without render")

GRAVITY = 9.81
SHARE = 0.01  # of the weight, by which a sum of forces may differ
EXACT = 1e-6  # relative: what a picture has of a step's force and area


def gripper(things, friction_model, pads=(0.06, 0.02, 0.06), reach=0.03):
    """A thing of the kinds of `things` between two soft pads on sliders, which a force presses."""
    pad = {"geometry": "pad", "modulus": 2e5, "dissipation": 5, "friction": 0.9, "mass": 0.1}
    left, right = [0, reach + pads[1] / 2, 0], [0, -reach - pads[1] / 2, 0]
    return {
        "isopatch": 1,
        "geometries": {"pad": {"type": "box", "size": list(pads)}, **things},
        "bodies": [
            pad | {"name": "left", "position": left, "motion": {"type": "prismatic", "axis": [0, -1, 0]}},
            pad | {"name": "right", "position": right, "motion": {"type": "prismatic", "axis": [0, 1, 0]}},
            {"name": "thing", "geometry": next(iter(things)), "rigid": True, "friction": 0.9, "mass": 0.5},
        ],
        "contact": {"friction_model": friction_model},
        "rollout": {"time_step": 0.002},
    }


def first_grasp(friction_model):
    """The page of the first grasp: two balls and a bar that they hold beside its middle."""
    pad = {"geometry": "pad", "modulus": 1e5, "dissipation": 5, "friction": 0.8, "mass": 0.05}
    return {
        "isopatch": 1,
        "geometries": {
            "pad": {"type": "sphere", "radius": 0.02, "subdivisions": 3},
            "bar": {"type": "box", "size": [0.16, 0.02, 0.04]},
        },
        "bodies": [
            pad | {"name": "left", "position": [0, 0.03, 0], "motion": {"type": "prismatic", "axis": [0, -1, 0]}},
            pad | {"name": "right", "position": [0, -0.03, 0], "motion": {"type": "prismatic", "axis": [0, 1, 0]}},
            {"name": "thing", "geometry": "bar", "rigid": True, "friction": 0.8, "mass": 0.1, "position": [0.04, 0, 0]},
        ],
        "contact": {"friction_model": friction_model},
        "rollout": {"time_step": 0.002},
    }


def mustard(friction_model):
    folder = os.environ.get("ISOPATCH_DATA_DIR")
    file = pathlib.Path(folder or "nowhere") / "mustard_bottle.obj"
    if not file.exists():
        pytest.skip("no mustard_bottle.obj in ISOPATCH_DATA_DIR")
    bottle = {"thing": {"type": "convex_hull", "file": str(file)}}
    scene = gripper(bottle, friction_model, pads=(0.12, 0.03, 0.12), reach=0.04)
    scene["bodies"][2] |= {"mass": 0.6, "position": [0.02, 0.025, -0.09]}
    return scene


GRASPS = {
    "first grasp": (first_grasp, 6.0),
    "box": (lambda model: gripper({"thing": {"type": "box", "size": [0.08, 0.0602, 0.05]}}, model), 15.0),
    "cylinder": (
        lambda model: gripper({"thing": {"type": "cylinder", "radius": 0.0301, "height": 0.09}}, model),
        15.0,
    ),
    "mustard": (mustard, 25.0),
}


@pytest.fixture(scope="module", params=[(n, m) for n in GRASPS for m in ("coulomb", "bristle")], ids="-".join)
def held(request, tmp_path_factory):
    """A folder with scene.json and run.npz, and of the end what the step told."""
    name, model = request.param
    make, force = GRASPS[name]
    folder = tmp_path_factory.mktemp("held")
    (folder / "scene.json").write_text(json.dumps(make(model)))
    scene = isopatch.Scene(folder / "scene.json")
    simulator = isopatch.Simulator(scene, threads=1)
    with simulator.record(folder / "run.npz", every=50) as recording:
        results = simulator.step(
            500, joint_force=np.full((1, 2), force), outputs=("pair_wrench", "area", "body_wrench")
        )
        picture = recording.render(folder / "run.html")
    weight = scene.mass_properties[2].mass * GRAVITY
    assert results.body_wrench[0, 2, 2] == pytest.approx(weight, rel=SHARE), "it is held"
    return folder, scene, results, weight, picture


def on_thing(pairs, forces):
    """The sum of forces on the third body from those on the first body of each pair."""
    return sum(
        np.array(f) * (1 if pair[0] == "thing" else -1)
        for pair, f in zip(pairs, forces, strict=True)
        if "thing" in pair
    )


def of_last_frame(glb):
    """By pair: force and area."""
    meshes = [mesh.get("extras", {}) for mesh in glb._json["meshes"]]
    return {m["pair"]: (np.array(m["force"]), m["area"]) for m in meshes if m.get("frame") == glb.num_frames - 1}


def check_frame(glb, scene, results, weight):
    frame = of_last_frame(glb)
    total = on_thing([scene.pairs[k] for k in frame], [force for force, _ in frame.values()])
    np.testing.assert_allclose(total, [0, 0, weight], atol=SHARE * weight)
    for pair, (force, area) in frame.items():
        np.testing.assert_allclose(force, results.pair_wrench[0, pair, :3], atol=EXACT * weight)
        assert area == pytest.approx(results.area[0, pair], rel=EXACT)


def test_in_the_recording_and_its_pictures(held, program):
    folder, scene, results, weight, picture = held
    rows = np.load(folder / "run.npz")
    total = on_thing(scene.pairs, rows["pair_wrench"][-1, 0, :, :3])
    np.testing.assert_allclose(total, [0, 0, weight], atol=SHARE * weight)
    check_frame(Glb(picture.glb), scene, results, weight)
    for ending in (".glb", ".html"):
        drawn = folder / f"drawn{ending}"
        arguments = ["render", folder / "scene.json", "--states", folder / "run.npz", "-o", drawn]
        subprocess.run([program, *map(str, arguments)], check=True, capture_output=True)
        data = drawn.read_bytes()
        check_frame(Glb(data if ending == ".glb" else glb_of_page(data)), scene, results, weight)


def glb_of_page(page):
    packed = re.search(rb'<script id="glb" [^>]*>([^<]*)<', page)
    return gzip.decompress(base64.b64decode(packed[1]))


def test_on_the_page_of_the_readme(root):
    link = re.search(r"\]\((\S+\.html)\)", (root / "README.md").read_text())[1]
    frame = of_last_frame(Glb(glb_of_page((root / link).read_bytes())))
    scene = isopatch.Scene(root / "bench/scenes/mug.json")
    mug = [body.name for body in scene.bodies].index("mug")
    held = sum(force * (1 if scene.pairs[k][0] == "mug" else -1) for k, (force, _) in frame.items())
    assert {"mug"} < {name for k in frame for name in scene.pairs[k]}
    weight = GRAVITY * scene.mass_properties[mug].mass
    np.testing.assert_allclose(held, [0, 0, weight], atol=SHARE * weight)


def test_in_evaluations_of_its_file(held, program):
    folder, scene, results, weight, _ = held
    run = [program, "evaluate", str(folder / "scene.json"), "--states", str(folder / "run.npz")]
    pictures = ["--svg", str(folder / "p.svg"), "--vtk", str(folder / "vtk")]
    done = subprocess.run([*run, *pictures], check=True, capture_output=True, text=True)
    assert "warning" not in done.stderr, done.stderr
    environment = json.loads(done.stdout)["environments"][0]
    pairs = environment["pairs"]
    total = on_thing([p["bodies"] for p in pairs], [p["force"] for p in pairs])
    np.testing.assert_allclose(total, [0, 0, weight], atol=SHARE * weight)

    shown = re.findall(r">(\S+) on (\S+): (\S+) N on", (folder / "p.svg").read_text())
    assert shown
    for a, b, newtons in shown:
        force = results.pair_wrench[0, scene.pair_index(a, b), :3]
        assert float(newtons) == pytest.approx(np.linalg.norm(force), rel=6e-3), "three digits"

    lines = (folder / "vtk/patches_0000.vtk").read_text().splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("pair_wrench 6")) + 1
    wrenches = np.array([line.split() for line in lines[first : first + scene.num_pairs]], float)
    np.testing.assert_allclose(on_thing(scene.pairs, wrenches[:, :3]), [0, 0, weight], atol=SHARE * weight)

    subprocess.run([*run, "--output", str(folder / "e.npz")], check=True, capture_output=True)
    arrays = np.load(folder / "e.npz")
    np.testing.assert_allclose(arrays["body_wrench"][0, 2, :3], [0, 0, weight], atol=SHARE * weight)


def test_in_a_view_of_its_file(held):
    pytest.importorskip("viser")
    pytest.importorskip("trimesh")
    from isopatch.view import LiveView

    folder, scene, results, _, _ = held
    view = LiveView(scene, folder / "run.npz", port=0)
    try:
        view._time.value = len(np.load(folder / "run.npz")["time"]) - 1
        view._show()
        for pair in np.flatnonzero(results.area[0] > 0):
            newtons = np.linalg.norm(results.pair_wrench[0, pair, :3])
            assert f"| {' on '.join(scene.pairs[pair])} | {newtons:.4g} |" in view._table.content
    finally:
        view.stop()


def balls_of_many_kinds():
    ball = {"name": "ball", "geometry": "small", "modulus": 1e5, "friction": 0.4, "mass": 1, "position": [0, 0, 0.0395]}
    return {
        "isopatch": 1,
        "geometries": {
            "small": {"type": "sphere", "radius": 0.04, "subdivisions": 2},
            "cube": {"type": "box", "size": [0.08, 0.08, 0.08]},
            "large": {"type": "sphere", "radius": 0.05, "subdivisions": 2},
            "ground": {"type": "half_space"},
        },
        "bodies": [
            ball | {"linear_velocity": [0.5, 0, 0]},
            {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True, "friction": 0.4},
        ],
        "rollout": {"time_step": 0.002},
    }


def test_randomised_shapes_and_materials_are_drawn_as_they_were_stepped(tmp_path, program):
    (tmp_path / "scene.json").write_text(json.dumps(balls_of_many_kinds()))
    scene = isopatch.Scene(tmp_path / "scene.json")
    n, random = 8, np.random.default_rng(1)
    shapes = np.tile(np.array([[0, 3]], np.int32), (n, 1))
    shapes[:, 0] = np.arange(n) % 3
    inputs = {
        "geometry_index": shapes,
        "friction": random.uniform(0.1, 1, (n, 2)),
        "modulus": 10 ** random.uniform(4.5, 6, (n, 2)),
        "mass_scale": random.uniform(0.5, 2, (n, 2)),
    }
    simulator = isopatch.Simulator(scene, n, threads=1)
    heights = np.array([0.0395, 0.0395, 0.0495])[shapes[:, 0]]
    simulator.poses[:, 0, 2] = heights
    with simulator.record(tmp_path / "run.npz", every=20) as recording:
        told = [simulator.step(20, outputs=("pair_wrench", "area"), **inputs) for _ in range(5)]
        told = [(r.pair_wrench.copy(), r.area.copy()) for r in told]
        glbs = [Glb(recording.render(environment=i).glb) for i in range(n)]
    rows = np.load(tmp_path / "run.npz")
    for name in ("geometry_index", "friction", "modulus"):
        np.testing.assert_array_equal(rows[name], np.broadcast_to(inputs[name], (6, n, 2)))
    assert rows["slip_tolerance"] == [1e-5]

    for i, glb in enumerate(glbs):
        drawn = tmp_path / f"{i}.glb"
        arguments = [
            program,
            "render",
            tmp_path / "scene.json",
            "--states",
            tmp_path / "run.npz",
            "--env",
            i,
            "-o",
            drawn,
        ]
        subprocess.run(list(map(str, arguments)), check=True, capture_output=True)
        for picture in (glb, Glb(drawn.read_bytes())):
            meshes = [mesh.get("extras", {}) for mesh in picture._json["meshes"]]
            frames = {m["frame"]: m for m in meshes if "frame" in m}
            for frame, (wrench, area) in enumerate(told, start=1):
                force = wrench[i, 0, :3]
                if area[i, 0] == 0:
                    assert frame not in frames
                    continue
                np.testing.assert_allclose(frames[frame]["force"], force, atol=EXACT * np.linalg.norm(force))
                assert frames[frame]["area"] == pytest.approx(area[i, 0], rel=EXACT)
            shape = ["small", "cube", "large"][shapes[i, 0]]
            names = {mesh.get("name") for mesh in picture._json["meshes"]}
            assert shape in names
            assert not names & ({"small", "cube", "large"} - {shape}), "also in the first frame"

    subprocess.run(
        [
            program,
            "evaluate",
            str(tmp_path / "scene.json"),
            "--states",
            str(tmp_path / "run.npz"),
            "--output",
            str(tmp_path / "e.npz"),
        ],
        check=True,
        capture_output=True,
    )
    arrays = np.load(tmp_path / "e.npz")
    np.testing.assert_allclose(arrays["pair_wrench"], told[-1][0], rtol=EXACT, atol=1e-12)
    np.testing.assert_allclose(arrays["area"], told[-1][1], rtol=EXACT)


def test_rows_before_an_input_was_given_have_the_scenes(tmp_path):
    scene = isopatch.Scene(balls_of_many_kinds())
    simulator = isopatch.Simulator(scene, 2, threads=1)
    with simulator.record(tmp_path / "run.npz", every=10) as recording:
        before = simulator.step(20, outputs=("area",)).area.copy()
        simulator.step(10, modulus=np.full((2, 2), 2e4), geometry_index=np.array([[2, 3], [0, 3]], np.int32))
        after = simulator.step(10, outputs=("area",)).area.copy()
        glb = Glb(recording.render().glb)
    rows = np.load(tmp_path / "run.npz")
    assert np.isnan(rows["modulus"][[0, 1, 2, 4]]).all()
    assert (rows["modulus"][3] == 2e4).all()
    assert (rows["geometry_index"][[0, 1, 2, 4]] == -1).all()
    areas = {m["extras"]["frame"]: m["extras"]["area"] for m in glb._json["meshes"] if "frame" in m.get("extras", {})}
    for frame, area in ((2, before), (4, after)):
        assert areas.get(frame, 0) == pytest.approx(area[0, 0], rel=EXACT)


def test_a_rollout_goes_on_with_what_the_last_step_was_given(tmp_path, command):
    """Materials and shapes of the file's last row; the scene's where that step was given none."""
    scene = balls_of_many_kinds()
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    given = {"friction": np.full((2, 2), 0.7), "geometry_index": np.array([[2, 3], [0, 3]], np.int32)}
    for name, last in (("given", given), ("none", {})):
        simulator = isopatch.Simulator(isopatch.Scene(scene), 2, threads=1)
        with simulator.record(tmp_path / "run.npz", every=10):
            simulator.step(10, **given)
            simulator.step(10, **last)
        end = tmp_path / f"{name}.npz"
        command("rollout", tmp_path / "scene.json", "--states", tmp_path / "run.npz", "--steps", 10, "--output", end)
        simulator.step(10, **last)
        rows = np.load(end)
        assert not rows["status"].any()
        np.testing.assert_array_equal(rows["poses"][-1], simulator.poses)


def test_a_file_of_an_earlier_version_is_read_with_one_warning(tmp_path, program):
    scene = balls_of_many_kinds()
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    simulator = isopatch.Simulator(isopatch.Scene(scene), threads=1)
    with simulator.record(tmp_path / "run.npz", every=20):
        simulator.step(100)
    rows = dict(np.load(tmp_path / "run.npz"))
    np.savez(tmp_path / "old.npz", **{k: v for k, v in rows.items() if k not in ("slip_tolerance", "pair_wrench")})
    for command in (["evaluate"], ["render", "-o", str(tmp_path / "old.glb")]):
        arguments = [
            program,
            command[0],
            str(tmp_path / "scene.json"),
            *command[1:],
            "--states",
            str(tmp_path / "old.npz"),
        ]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
        assert done.stderr.count("warning") == 1, done.stderr
        assert "old.npz: does not say with which slip tolerance" in done.stderr


def test_rows_that_do_not_fit_the_scene_are_refused(tmp_path, program):
    scene = balls_of_many_kinds()
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    simulator = isopatch.Simulator(isopatch.Scene(scene), threads=1)
    with simulator.record(tmp_path / "run.npz", every=20):
        simulator.step(40, geometry_index=np.array([[1, 3]], np.int32))
    rows = dict(np.load(tmp_path / "run.npz"))
    wrong = {
        "geometry_index: 7 is none of the scene's geometries, which are numbered from 0 to 3": {
            "geometry_index": np.full((3, 1, 2), 7, np.int32)
        },
        "pair_wrench: must have shape (3, 1, 1, 6), found (3, 1, 2, 6)": {"pair_wrench": np.zeros((3, 1, 2, 6))},
        "slip_tolerance: -1 is not positive and finite": {"slip_tolerance": np.array([-1.0])},
        "slip_tolerance: must be the same for all rows": {"slip_tolerance": np.array([1.0, 2.0])},
        "slip_tolerance: must have shape (N,), found (1, 1)": {"slip_tolerance": np.array([[1.0]])},
    }
    for message, arrays in wrong.items():
        np.savez(tmp_path / "wrong.npz", **rows | arrays)
        for command in (["evaluate"], ["render", "-o", str(tmp_path / "wrong.glb")]):
            arguments = [
                program,
                command[0],
                str(tmp_path / "scene.json"),
                *command[1:],
                "--states",
                str(tmp_path / "wrong.npz"),
            ]
            done = subprocess.run(arguments, capture_output=True, text=True, check=False)
            assert done.returncode == 2
            assert message in done.stderr
            assert done.stderr.count("\n") == 1, done.stderr

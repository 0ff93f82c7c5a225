# SPDX-License-Identifier: Apache-2.0
"""A shape that is given for a mesh lies where MuJoCo has the mesh, whatever the asset does to its file."""

import itertools

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from models import free, model_of  # noqa: E402

from isopatch import _core  # noqa: E402
from isopatch._src.mujoco.asset_frames import vertices_of  # noqa: E402
from isopatch.mujoco import Bridge, ShapeWarning  # noqa: E402

# a block off the origin of its file, with a corner cut off, so that no turn or mirror takes it to itself
POINTS = np.array(
    [[0.3, -0.2, 0.1], [0.4, -0.2, 0.1], [0.3, -0.14, 0.1], [0.4, -0.14, 0.1],
     [0.3, -0.2, 0.14], [0.4, -0.2, 0.15], [0.3, -0.14, 0.16]]
)  # fmt: skip
FACES = [(0, 2, 1), (1, 2, 3), (0, 1, 4), (1, 5, 4), (0, 4, 2), (2, 4, 6), (1, 3, 5), (2, 6, 3), (3, 6, 5), (4, 5, 6)]
MIDDLE = POINTS.mean(axis=0)
TETS = [[*face[::-1], len(POINTS)] for face in FACES]
TURNED = "refquat='.5 .5 -.5 .5'"  # axes to axes, so that a scale of three factors does not shear
ASSETS = {
    "as it is": "",
    "scale": "scale='.5 .5 .5'",
    "three factors": "scale='1 .5 2'",
    "mirrored": "scale='1 -1 1'",
    "mirrored three times": "scale='-1 -2 -1'",
    "refpos": "refpos='.1 0 .2'",
    "refquat": "refquat='.8 .6 0 0'",
    "refpos and refquat": "refpos='.1 0 .2' refquat='.8 0 .6 0'",
    "all": f"scale='1 -1.5 .5' refpos='.1 .1 .2' {TURNED}",
    "all, one factor": "scale='-.7 .7 .7' refpos='.1 .1 .2' refquat='.2 .5 .3 .8'",
    "sheared": "scale='1 -1.5 .5' refpos='.1 .1 .2' refquat='.2 .5 .3 .8'",
    "shell": "scale='2 2 2' inertia='shell' refpos='.1 .1 .2'",
}
NUMBERS = itertools.count()
PLACES = ['pos=".05 .02 .01" euler="30 20 10"', ""]


def obj(points, faces):
    rows = [*("v {} {} {}".format(*p) for p in points), *("f {} {} {}".format(*(i + 1 for i in f)) for f in faces)]
    return "\n".join(rows) + "\n"


def vtk(points, tets):
    rows = "".join("{} {} {}\n".format(*p) for p in points)
    cells = "".join("4 {} {} {} {}\n".format(*tet) for tet in tets)
    return (
        f"# vtk DataFile Version 3.0\nblock\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(points)} double\n{rows}"
        f"CELLS {len(tets)} {5 * len(tets)}\n{cells}CELL_TYPES {len(tets)}\n" + "10\n" * len(tets)
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "block.obj").write_text(obj(POINTS, FACES))
    (tmp_path / "block.vtk").write_text(vtk([*POINTS, MIDDLE], TETS))
    return tmp_path


def text_of(file, asset, place):
    mesh = free("o", z=0.3, geom=f'type="mesh" mesh="m" {place}')
    return f"""<mujoco><option timestep=".002" cone="elliptic"/><asset><mesh name="m" file="{file}" {asset}/></asset>
    <worldbody><geom name="floor" type="plane" size="1 1 1"/>{mesh}</worldbody></mujoco>"""


def by_path(folder, asset, place):
    return mujoco.MjModel.from_xml_string(text_of(folder / "block.obj", asset, place))


def by_asset(folder, asset, place):
    """The file is in memory, and the model has a name of it alone, a new one since MuJoCo keeps meshes by name."""
    name = f"block{next(NUMBERS)}.obj"
    content = (folder / "block.obj").read_bytes()
    return mujoco.MjModel.from_xml_string(text_of(name, asset, place), {name: content})


def corners(bridge):
    """[V, 3], m. Of the only surface, in the frame of its body."""
    still = np.tile([0.0, 0, 0, 1, 0, 0, 0], (bridge.scene.num_bodies, 1))
    ((_, points, faces),) = _core._scene_surfaces(bridge.scene, still.tobytes(), False)
    used = np.unique(np.frombuffer(faces, np.int32).reshape(-1, 4)[:, 1:])
    return np.frombuffer(points).reshape(-1, 3)[used]


def farthest(model, bridge):
    """How far the shape's corners and MuJoCo's vertices are from each other, m, in the frame of the body."""
    data = mujoco.MjData(model)
    data.qpos[:7] = 0, 0, 0, 1, 0, 0, 0
    mujoco.mj_kinematics(model, data)
    geom = data.geom("o")
    theirs = vertices_of(model, 0) @ geom.xmat.reshape(3, 3).T + geom.xpos
    apart = np.linalg.norm(corners(bridge)[:, None] - theirs, axis=2)
    return max(apart.min(axis=0).max(), apart.min(axis=1).max())


@pytest.mark.parametrize("make", [by_path, by_asset])
@pytest.mark.parametrize("name", ASSETS)
def test_vertices_of_a_given_shape_are_mujocos(folder, name, make):
    shapes = {
        "vtk": (1e6, str(folder / "block.vtk")),
        "obj": (np.inf, folder / "block.obj"),
        "memory": (1e6, {"type": "tet_mesh", "points": [*POINTS, MIDDLE], "tets": TETS}),
        "millimetres": (1e6, {"type": "tet_mesh", "points": 1e3 * np.array([*POINTS, MIDDLE]), "tets": TETS,
                              "units": "mm"}),
        "field": (1e6, {"type": "tet_mesh", "points": [*POINTS, MIDDLE], "tets": TETS,
                        "point_data": {"extent": [0] * len(POINTS) + [1]}, "field": {"point_data": "extent"}}),
        "hull of a file": (1e6, {"type": "convex_hull", "file": str(folder / "block.vtk")}),
        "hull": (1e6, {"type": "convex_hull", "points": (POINTS / 3).tolist(), "scale": 3}),
    }  # fmt: skip
    for place, (kind, (modulus, shape)) in itertools.product(PLACES, shapes.items()):
        model = make(folder, ASSETS[name], place)
        moduli = {"o": modulus, "floor": np.inf if np.isfinite(modulus) else 1e6}
        bridge = Bridge(model, pairs=[("o", "floor")], modulus=moduli, shapes={"o": shape})
        assert farthest(model, bridge) < 1e-6, (place, kind)


@pytest.mark.parametrize("name", ["mirrored", "refpos and refquat", "all"])
def test_mirrored_and_moved_mesh_rests_where_mujoco_has_it(folder, name):
    model = by_path(folder, ASSETS[name], PLACES[0])
    data = mujoco.MjData(model)
    bridge = Bridge(model, pairs=[("o", "floor")], modulus=1e6, shapes={"o": folder / "block.vtk"})
    model.opt.gravity[2] = 0
    data.qpos[3:7] = 0.9, 0.3, 0.1, 0.3
    mujoco.mj_normalizeQuat(model, data.qpos)
    mujoco.mj_kinematics(model, data)
    geom = data.geom("o")
    heights = vertices_of(model, 0) @ geom.xmat.reshape(3, 3).T[:, 2] + geom.xpos[2]
    data.qpos[2] -= heights.min() - 1e-6
    assert bridge.measure(model, data).area[0] == 0
    data.qpos[2] -= 1e-4
    found = bridge.measure(model, data)
    lowest = heights.argmin()
    mujoco.mj_kinematics(model, data)
    where = geom.xmat.reshape(3, 3) @ vertices_of(model, 0)[lowest] + geom.xpos
    assert found.area[0] > 0 and np.linalg.norm(found.center_of_pressure[0] - where) < 1e-3


def test_file_and_not_the_last_text_says_how_a_mesh_lies(folder):
    """Two models of one structure, of which MuJoCo has read the other one last."""
    model = by_path(folder, ASSETS["refpos"], "")
    by_path(folder, "refpos='.3 .2 .1'", "")
    assert (
        farthest(model, Bridge(model, pairs=[("o", "floor")], modulus=1e6, shapes={"o": folder / "block.vtk"})) < 1e-6
    )


def test_shape_that_lies_elsewhere_is_named(folder):
    """In the frame of the model instead of the file's; and in metres for a file in millimetres."""
    for asset, message in (
        ("refpos='.2 0 0'", "lies 0.2 m off its mesh"),
        ("scale='.001 .001 .001'", r"is 1.\de-07 m large"),
    ):
        model = by_path(folder, asset, "")
        if "ref" in asset:
            shape = {"type": "tet_mesh", "points": [*(POINTS - [0.2, 0, 0]), MIDDLE - [0.2, 0, 0]], "tets": TETS}
        else:
            shape = {"type": "tet_mesh", "points": [*POINTS / 1e3, MIDDLE / 1e3], "tets": TETS}
        with pytest.warns(ShapeWarning, match=message) as caught:
            Bridge(model, pairs=[("o", "floor")], modulus=1e6, shapes={"o": shape})
        assert any(w.filename == __file__ for w in caught)


WRONG = {
    'shapes: geom "o": its mesh has a scale of \\[1, -1, 1\\], which a geometry of type "box" cannot have': (
        "scale='1 -1 1'", {"type": "box", "size": [1, 1, 1]}
    ),
    "no such file": ("scale='1 2 1' refquat='.8 .6 0 0'", "missing.vtk"),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_frames_that_a_shape_cannot_have_are_refused(folder, message):
    asset, shape = WRONG[message]
    model = by_path(folder, asset, "")
    shape = folder / shape if isinstance(shape, str) else shape
    with pytest.raises((ValueError, OSError), match=message):
        Bridge(model, pairs=[("o", "floor")], modulus=1e6, shapes={"o": shape})


def test_other_shapes_keep_their_size_and_lie_in_the_frame_of_the_file(folder):
    model = by_path(folder, "refpos='.1 0 .2'", "")
    ball = {"type": "sphere", "radius": 0.03}
    with pytest.warns(ShapeWarning, match='shape of geom "o"'):
        bridge = Bridge(model, pairs=[("o", "floor")], modulus=1e6, shapes={"o": ball})
    assert corners(bridge).mean(axis=0) == pytest.approx([-0.1, 0, -0.2], abs=1e-6)
    assert np.ptp(corners(bridge), axis=0).max() == pytest.approx(0.06, rel=0.01)


def test_meshes_of_a_model_without_files_are_in_the_frame_of_their_vertices():
    vertices = " ".join(f"{x:g}" for x in POINTS.ravel())
    asset = f'<asset><mesh name="m" vertex="{vertices}" refpos=".1 0 .2" scale="1 -1 1"/></asset>'
    model = model_of(free("o", z=0.3, geom='type="mesh" mesh="m"'), rest=asset)
    shape = {"type": "tet_mesh", "points": [*POINTS, MIDDLE], "tets": TETS}
    assert farthest(model, Bridge(model, pairs=[("o", "floor")], modulus=1e6, shapes={"o": shape})) < 1e-6


def test_frame_that_nothing_tells_is_named_if_the_shape_then_lies_elsewhere():
    """A model that was built by MjSpec and has no files."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    mesh = spec.add_mesh(name="unique", uservert=POINTS.ravel().tolist())
    mesh.refpos = [0.01, 0, 0]
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    body = spec.worldbody.add_body()
    body.add_freejoint()
    body.add_geom(name="o", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="unique")
    shape = {"type": "tet_mesh", "points": [*POINTS, MIDDLE], "tets": TETS}
    with pytest.warns(ShapeWarning, match="lies 0.01 m off its mesh"):
        Bridge(spec.compile(), pairs=[("o", "floor")], modulus=1e6, shapes={"o": shape})

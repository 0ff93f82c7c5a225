# SPDX-License-Identifier: Apache-2.0
"""The contacts of a Collider: their forces, shapes of all kinds, worlds, contacts of others, and what is refused."""

import math

import numpy as np
import pytest

pytest.importorskip("mujoco_warp", reason="mujoco_warp is not installed")
newton = pytest.importorskip("newton", reason="newton is not installed")

import warp as wp  # noqa: E402
from newton_models import CUBE_OF_TETS, HALF, IN_FLOOR, cube_and_mesh, matrix_of, newton_contact  # noqa: E402

import isopatch  # noqa: E402
from isopatch.newton import Collider  # noqa: E402

STEP = 2e-3
FIELDS = ("shape0", "shape1", "point0", "point1", "normal", "stiffness", "damping")


def rows_of(contacts):
    count = int(contacts.rigid_contact_count.numpy()[0])
    return {name: getattr(contacts, f"rigid_contact_{name}").numpy()[:count].copy() for name in FIELDS}


def two_bodies(worlds=1):
    """A box and a can whose shapes and centres of mass are off their bodies' origins."""
    world, builder = newton_contact.new_builder(), newton_contact.new_builder()
    config = newton.ModelBuilder.ShapeConfig(density=1000)
    box, can = (world.add_body(label=label) for label in ("box", "can"))
    off = wp.transform((0.02, -0.01, 0.03), wp.quat_rpy(0.5, 0.2, -0.3))
    world.add_shape_box(box, xform=off, hx=0.03, hy=0.02, hz=0.02, label="box", cfg=config)
    off = wp.transform((-0.01, 0.02, 0.01), wp.quat_rpy(-0.4, 0.1, 0.7))
    world.add_shape_cylinder(can, xform=off, radius=0.02, half_height=0.03, label="can", cfg=config)
    builder.replicate(world, worlds)
    return builder.finalize()


def placed(model, state, random, spread=0.035, speed=0.3):
    """Bodies anywhere in each other, with any velocity."""
    n = model.world_count
    poses, centers = np.zeros((n, 2, 7)), model.body_com.numpy().reshape(n, 2, 3)
    turns = random.normal(size=(n, 2, 4))
    poses[..., 3:] = turns / np.linalg.norm(turns, axis=2, keepdims=True)
    apart = random.normal(size=(n, 3))
    apart *= spread / np.linalg.norm(apart, axis=1, keepdims=True)
    for w in range(n):
        for b, sign in enumerate((1, -1)):
            poses[w, b, :3] = sign * apart[w] / 2 - matrix_of(poses[w, b, 3:]) @ centers[w, b]
    state.body_q.assign(poses.reshape(-1, 7))
    state.body_qd.assign(random.normal(size=(2 * n, 6)) * ([speed] * 3 + [10 * speed] * 3))


def ahead(model, state, collider):
    """[1, 2, 7], w x y z. The poses of the shapes of one world after a step, in double."""
    found = collider.scene.default_poses[None].copy()
    shapes, centers = model.shape_transform.numpy(), model.body_com.numpy().astype(float)
    for b, label in enumerate(("box", "can")):
        q, v = state.body_q.numpy()[b].astype(float), state.body_qd.numpy()[b].astype(float)
        turn, rate = matrix_of(q[3:]), v[3:]
        angle = np.linalg.norm(rate) * STEP
        k = np.cross(np.eye(3), -rate / np.linalg.norm(rate))
        after = (np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k) @ turn
        center = q[:3] + turn @ centers[b] + STEP * v[:3]
        own = shapes[b].astype(float)
        rotation = after @ matrix_of(own[3:])
        quaternion = np.array(wp.quat_from_matrix(wp.mat33(*rotation.ravel().tolist())))
        place = center + after @ (own[:3] - centers[b])
        found[0, collider.scene.body_index(label)] = [*place, quaternion[3], *quaternion[:3]]
    return found


def test_contacts_have_the_force_of_the_patch_a_step_ahead():
    """At the speed of now, K (-f - h v) is the force at the poses a step ahead, with what goes to body_f."""
    random, model = np.random.default_rng(0), two_bodies()
    collider = Collider(model, [("box", "can")], {"box": 1e5, "can": 1e6}, max_clusters=8)
    state, evaluator = model.state(), isopatch.Evaluator(collider.scene, precision="double")
    seen, with_residual = 0, 0
    for _ in range(30):
        placed(model, state, random)
        state.clear_forces()
        rows = rows_of(collider.collide(state, STEP))
        first = model.shape_label.index(collider.pairs[0][0])
        wrench = evaluator.evaluate(ahead(model, state, collider)).pair_wrench[0, 0, :3]
        if not len(rows["normal"]):
            assert not wrench.any()
            continue
        poses, velocities = state.body_q.numpy().astype(float), state.body_qd.numpy().astype(float)
        centers = model.body_com.numpy().astype(float)
        assert (rows["shape1"] == first).all() and rows["damping"] == pytest.approx(STEP * rows["stiffness"])
        force, resists = np.zeros(3), 0.0
        for i, normal in enumerate(rows["normal"].astype(float)):
            points, speeds = [], []
            for side in ("0", "1"):
                body = int(rows[f"shape{side}"][i])
                turn = matrix_of(poses[body, 3:])
                point = poses[body, :3] + turn @ rows[f"point{side}"][i]
                arm = point - poses[body, :3] - turn @ centers[body]
                points.append(point)
                speeds.append(velocities[body, :3] + np.cross(velocities[body, 3:], arm))
            distance, speed = normal @ (points[1] - points[0]), normal @ (speeds[1] - speeds[0])
            force += rows["stiffness"][i] * (-distance - STEP * speed) * normal
            resists += rows["stiffness"][i] * 2 * STEP**2 * model.body_inv_mass.numpy().sum()
        residual = state.body_f.numpy()[:, :3].astype(float)
        assert residual[0] == pytest.approx(-residual[1], rel=1e-5, abs=1e-6)
        force += residual[first] * (1 + resists)
        size = np.linalg.norm(wrench)
        assert force == pytest.approx(wrench, abs=0.03 * size)  # of the second order in the step
        seen, with_residual = seen + 1, with_residual + (np.linalg.norm(residual[0]) * (1 + resists) > 0.01 * size)
    assert seen > 10 and with_residual > 3


def test_worlds_have_the_contacts_of_one_alone():
    random, many, alone = np.random.default_rng(1), two_bodies(16), two_bodies()
    colliders = [Collider(model, [("box", "can")], 1e5) for model in (many, alone)]
    states = [model.state() for model in (many, alone)]
    placed(many, states[0], random)
    rows = rows_of(colliders[0].collide(states[0], STEP))
    seen = 0
    for w in range(16):
        for name in ("body_q", "body_qd"):
            getattr(states[1], name).assign(getattr(states[0], name).numpy()[2 * w : 2 * w + 2])
        states[1].clear_forces()
        one = rows_of(colliders[1].collide(states[1], STEP))
        mine = many.shape_world.numpy()[rows["shape0"]] == w
        seen += len(one["normal"])
        for name in FIELDS[2:]:
            assert one[name].tobytes() == rows[name][mine].tobytes(), (w, name)
        assert states[1].body_f.numpy().tobytes() == states[0].body_f.numpy()[2 * w : 2 * w + 2].tobytes()
    assert seen == len(rows["normal"]) > 16


def test_what_leaves_within_a_step_has_contacts_of_now():
    model = newton_contact.cube_model(degrees=(0, 0, 0), above=-IN_FLOOR)
    collider, state = Collider(model, [("cube", "floor")], 1e6), model.state()
    velocities = np.zeros((1, 6))
    velocities[0, 2] = 1.0
    state.body_qd.assign(velocities)
    rows = rows_of(collider.collide(state, STEP))
    assert (rows["shape1"] == 0).all()  # the cube's points are in its frame, those of the floor in the world's
    depth = (rows["point0"] - rows["point1"])[:, 2] - HALF + IN_FLOOR
    assert len(depth) == 4 and depth == pytest.approx(np.full(4, IN_FLOOR), rel=5e-3)


KINDS = {  # the function of ModelBuilder, its arguments, and half of the height
    "sphere": ({"radius": 0.02}, 0.02),
    "capsule": ({"radius": 0.01, "half_height": 0.02}, 0.03),
    "cylinder": ({"radius": 0.01, "half_height": 0.02}, 0.02),
    "ellipsoid": ({"rx": 0.01, "ry": 0.02, "rz": 0.03}, 0.03),
    "box": ({"hx": 0.01, "hy": 0.02, "hz": 0.03}, 0.03),
    "convex_hull": ({"mesh": newton.Mesh.create_box(0.01, 0.02, 0.03), "scale": (2, 1, 2)}, 0.06),
}


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_have_their_sizes_and_places(kind):
    """A shape that stands on its end, turned twice and moved in its body, touches where Newton has its end."""
    sizes, half = KINDS[kind]
    builder = newton_contact.new_builder()
    body = builder.add_body(label="it")
    own = wp.transform((0.1, 0.2, 0.3), wp.quat_rpy(0.4, 0.5, 0.6))
    getattr(builder, f"add_shape_{kind}")(body, xform=own, label="it", **sizes)
    builder.add_shape_plane((0.0, 0.0, 1.0, 0.0), label="floor", width=0, length=0)
    model = builder.finalize()
    collider, state = Collider(model, [("it", "floor")], 1e6), model.state()
    for depth, touches in ((1e-4, True), (-1e-4, False)):
        pose = wp.transform((0.0, 0.0, half - depth), wp.quat_rpy(0.0, 0.0, 0.3)) * wp.transform_inverse(own)
        state.body_q.assign(np.array([pose]))
        rows = rows_of(collider.collide(state, STEP))
        assert (len(rows["normal"]) > 0) == touches
        if touches:
            up = 1.0 if collider.pairs[0][0] == "it" else -1.0
            assert rows["normal"] == pytest.approx(np.tile([0, 0, up], (len(rows["normal"]), 1)), abs=0.2)


def test_a_mesh_may_be_of_tets():
    model = cube_and_mesh()
    state = model.state()
    stiffness = []
    for shapes in (None, {"mesh": CUBE_OF_TETS}):
        rows = rows_of(Collider(model, [("mesh", "floor")], 1e6, shapes).collide(state, STEP))
        stiffness.append(rows["stiffness"].sum() / 2)
    # of tets around the middle, pressure rises over half of the height, 2 HALF; of the hull, over half the width
    expected = 1e6 * 4 * HALF**2 / np.array([HALF, 2 * HALF])
    assert stiffness == pytest.approx(expected, rel=0.02)


def test_contacts_of_others_are_kept_but_for_those_of_pairs():
    model = cube_and_mesh()
    state = model.state()
    # what a pipeline would find, of all that lies in the floor: two contacts each of cubes and meshes
    others = newton.Contacts(20, 0)
    floor = model.shape_label.index("floor")
    shapes = [0, 1, 2, 3] * 2
    others.rigid_contact_shape0.assign(np.pad(shapes, (0, 12), constant_values=-1))
    others.rigid_contact_shape1.assign(np.pad([floor] * 8, (0, 12), constant_values=-1))
    others.rigid_contact_point0.assign(np.arange(60.0).reshape(20, 3))
    others.rigid_contact_count.fill_(8)
    collider = Collider(model, [("cube", "floor")], 1e6, room=4)
    rows = rows_of(collider.collide(state, STEP, others))
    is_ours = rows["stiffness"] > 0
    assert is_ours.tolist() == [True] * 8 + [False] * 4
    assert rows["shape0"][8:].tolist() == [1, 3, 1, 3] and (rows["shape1"][8:] == floor).all()
    assert rows["point0"][8:, 0].tolist() == [3, 9, 15, 21] and (rows["stiffness"][8:] == 0).all()
    collider.raise_if_bad()


def test_contacts_of_others_without_room_are_named():
    model = cube_and_mesh()
    others = newton.Contacts(200, 0)
    others.rigid_contact_shape0.fill_(1)
    others.rigid_contact_shape1.fill_(model.shape_label.index("floor"))
    others.rigid_contact_count.fill_(200)
    collider = Collider(model, [("cube", "floor")], 1e6, room=10)
    collider.collide(model.state(), STEP, others)
    with pytest.raises(ValueError, match="Collider: world 0: .*expected a larger room="):
        collider.raise_if_bad()


def test_a_state_that_is_not_finite_is_named():
    model = newton_contact.cube_model(3, degrees=(0, 0, 0), above=-IN_FLOOR)
    collider, state = Collider(model, [("cube", "floor")], 1e6), model.state()
    whole = rows_of(collider.collide(state, STEP))
    poses = state.body_q.numpy()
    poses[1, 0] = np.nan
    state.body_q.assign(poses)
    rows = rows_of(collider.collide(state, STEP))
    others = model.shape_world.numpy()[whole["shape1"]] != 1
    assert [rows[name].tobytes() for name in FIELDS] == [whole[name][others].tobytes() for name in FIELDS]
    assert (collider.status.numpy() != 0).tolist() == [False, True, False]
    with pytest.raises(ValueError, match="Collider: world 1: .*pose"):
        collider.raise_if_bad()


WRONG = {
    "Collider: pairs\\[0\\]: the model has no shape 'cub' in its first world; it has cube, mesh, floor": [
        ("cub", "floor")
    ],
    "Collider: pairs\\[0\\]: the model has no shape 9; it has 5, numbered from 0": [(0, 9)],
    "Collider: pairs\\[0\\]: shape 2 is of world 1: expected a shape of world 0": [(2, 4)],
    "Collider: pairs\\[1\\]: expected two shapes, found 'ab'": [("cube", "floor"), "ab"],
    "Collider: pairs\\[0\\]: \"cube\" and \"cube\" are shapes of one body": [("cube", 0)],
    "Collider: pairs\\[1\\]: \"floor\" and \"cube\" are a pair already": [("cube", "floor"), ("floor", "cube")],
    "Collider: pairs: expected at least one, found none": [],
    "Collider: pairs\\[0\\]: expected a shape's label or index, found None": [(None, 0)],
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_pairs_that_cannot_be_are_refused(message):
    with pytest.raises((TypeError, ValueError), match=message):
        Collider(cube_and_mesh(), WRONG[message], 1e6)


WRONG_VALUES = {
    'shape "cube" has no modulus: expected one in modulus={"cube": 1e6}': {},
    '"cube" and "floor" are both rigid': {"modulus": math.inf},
    "modulus: expected a modulus above 0 Pa, or inf for rigid, found -1.0": {"modulus": -1},
    "modulus of shape \"cube\": expected a modulus in Pa, found 'soft'": {"modulus": {"cube": "soft"}},
    'Collider: shapes: shape "mesh" is in no pair': {"modulus": 1e6, "shapes": {"mesh": "mesh.vtk"}},
    'Collider: shapes: shape "cube": .*a.obj is a surface, which only a rigid': {
        "modulus": 1e6, "shapes": {"cube": "a.obj"}
    },
    "Collider: shapes: expected values by shape, found str": {"modulus": 1e6, "shapes": "a.vtk"},
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG_VALUES)
def test_moduli_and_shapes_that_cannot_be_are_refused(message):
    with pytest.raises((TypeError, ValueError), match=message):
        Collider(cube_and_mesh(), [("cube", "floor")], **WRONG_VALUES[message])


def test_models_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match='shape "mesh" has a margin of 0.001 m, .* expected margin=0'):
        Collider(cube_and_mesh(margin=1e-3), [("mesh", "floor")], 1e6)
    with pytest.raises(TypeError, match="Collider: model: expected a newton.Model, found int"):
        Collider(1, [("mesh", "floor")], 1e6)
    builder = newton_contact.new_builder()
    for half in (0.02, 0.03):
        world = newton_contact.new_builder()
        newton_contact.add_box(world, world.add_body(), [half] * 3, 0.1, 0.5, "box")
        builder.add_world(world)
    builder.add_ground_plane(label="floor")
    with pytest.raises(ValueError, match='shape "box" is another in world 1 than in world 0: expected worlds that are'):
        Collider(builder.finalize(), [("box", "floor")], 1e6)
    model = cube_and_mesh()
    with pytest.raises(ValueError, match="Collider.collide: dt: expected a step above 0 s, found -1"):
        Collider(model, [("cube", "floor")], 1e6).collide(model.state(), -1)

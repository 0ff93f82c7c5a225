# SPDX-License-Identifier: Apache-2.0
"""A sensor of mjlab in a small scene: pads that hold a bar, worlds that differ, and wrong calls."""

import math
import pathlib
import sys

import pytest

# not "mjlab", which the folder of this file is too
pytest.importorskip("mjlab.sim", reason="mjlab is not installed: pip install mjlab")
import mujoco  # noqa: E402
import torch  # noqa: E402
import warp as wp  # noqa: E402
from mjlab.entity import EntityCfg  # noqa: E402
from mjlab.entity.variants import VariantEntityCfg  # noqa: E402
from mjlab.scene import Scene, SceneCfg  # noqa: E402
from mjlab.sim import MujocoCfg, Simulation, SimulationCfg  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench/mujoco"))

from contact import static_depth  # noqa: E402

import isopatch.mjlab  # noqa: E402
from isopatch._src.mjlab import versions  # noqa: E402
from isopatch.mjlab import PatchSensorCfg  # noqa: E402

wp.config.quiet = True

STEP, FORCE, WEIGHT, MODULUS = 2e-3, 12.0, 0.981, 1e6  # s, N, N, Pa
GRIPPER = """<mujoco><worldbody><body name="base" pos="0 0 .1">
  <body pos="-.026 0 0"><joint name="left" type="slide" axis="1 0 0"/>
    <geom name="left" type="box" size=".005 .01 .0095" mass=".5"/></body>
  <body pos=".026 0 0"><joint name="right" type="slide" axis="-1 0 0"/>
    <geom name="right" type="box" size=".005 .01 .0095" mass=".5"/></body>
</body></worldbody><actuator><motor joint="left"/><motor joint="right"/></actuator></mujoco>"""
BAR = """<mujoco><worldbody><body name="bar" pos="0 0 .1"><freejoint/>
  <geom name="bar" type="box" size=".02 .04 .01" mass=".1"/></body></worldbody></mujoco>"""
PADS = ("gripper/left", "gripper/right")
PAIRS = [(pad, "bar/bar") for pad in PADS]
MODULI = {PADS[0]: MODULUS, PADS[1]: MODULUS, "bar/bar": math.inf}
ELLIPTIC = {"cone": "elliptic", "impratio": 1e4}


def entity(text):
    return EntityCfg(spec_fn=lambda: mujoco.MjSpec.from_string(text))


def touch(name="touch", **changed):
    return PatchSensorCfg(**{"name": name, "pairs": PAIRS, "modulus": MODULI} | changed)


class Worlds:
    """Pads that close at .3 m/s on a bar, in several worlds, as mjlab makes them."""

    def __init__(self, worlds, *sensors, options=None, nconmax=64, bar=None):
        entities = {"gripper": entity(GRIPPER), "bar": bar or entity(BAR)}
        self.scene = Scene(SceneCfg(num_envs=worlds, entities=entities, sensors=sensors), device="cpu")
        mujoco_options = MujocoCfg(timestep=STEP, **(ELLIPTIC if options is None else options))
        room = SimulationCfg(mujoco=mujoco_options, nconmax=nconmax, njmax=200)
        variants = self.scene.collect_variant_info()
        self.sim = Simulation(worlds, room, spec=self.scene.spec, variant_info=variants, device="cpu")
        self.scene.initialize(self.sim.mj_model, self.sim.model, self.sim.data)
        self.joints = [self.sim.mj_model.joint(pad) for pad in PADS]
        self.bar = self.sim.mj_model.joint("bar/floating_base_joint").qposadr[0]
        self.start()

    def start(self):
        data = self.sim.data
        self.sim.reset()
        data.qpos[:, self.bar + 2], data.qpos[:, self.bar + 3] = 0.1, 1.0
        data.qvel[:, [joint.dofadr[0] for joint in self.joints]] = 0.3
        data.ctrl[:] = FORCE
        self.scene.reset()

    def step(self, count):
        for _ in range(count):
            self.sim.step()
            self.scene.update(STEP)

    def squeeze(self):
        """[N]. By how much each pad is in the bar in the mean, m."""
        return self.sim.data.qpos[:, [joint.qposadr[0] for joint in self.joints]].mean(dim=1) - 1e-3

    def fallen(self):
        """[N], m."""
        return 0.1 - self.sim.data.qpos[:, self.bar + 2]


@pytest.fixture(scope="module")
def held():
    """16 worlds after 1.2 s, with one more sensor that only measures."""
    worlds = Worlds(16, touch(), touch("beside", push=False))
    worlds.step(600)
    return worlds


def test_pads_feel_the_force_that_closes_them_at_their_static_depth(held):
    data, bridge = held.scene["touch"].data, held.scene["touch"].bridge
    sign = torch.tensor([-1.0, 1.0])  # which way each pad is pushed
    assert (data.force[:, :, 0] - sign * FORCE).abs().max() < 1e-3
    depth = static_depth(bridge, (-0.025, 0, 0), (-1, 0, 0), FORCE, 4e-3)
    assert (held.squeeze() / depth - 1).abs().max() < 1e-4
    assert held.fallen().abs().max() < 1e-4


def test_data_is_torch_of_each_world_and_pair(held):
    sensor = held.scene["touch"]
    data, shapes = sensor.data, [(16, 2, 3), (16, 2, 3), (16, 2), (16, 2, 3), (16, 2, 3), (16, 2)]
    assert [tuple(array.shape) for array in data] == shapes
    assert all(isinstance(array, torch.Tensor) and array.dtype == torch.float32 for array in data)
    assert sensor.pairs == tuple(PAIRS)
    assert torch.allclose(data.area, torch.tensor(0.02 * 0.019), rtol=2e-3)
    assert torch.allclose(data.center_of_pressure[0, 0], torch.tensor([-0.02, 0, 0.1]), atol=1e-4)
    assert torch.allclose(data.mean_normal[:, 0], torch.tensor([-1.0, 0, 0]), atol=1e-6)
    mean = FORCE / data.area
    assert ((data.max_pressure > mean) & (data.max_pressure < 1.1 * mean)).all()
    assert data.torque.abs().max() < 1e-3  # about the middle of the pad


def test_the_bridge_has_the_friction(held):
    forces = wp.to_torch(held.scene["touch"].bridge.forces().force)
    assert torch.allclose(forces[:, :, 2].sum(dim=1), torch.tensor(-WEIGHT), atol=1e-4)  # the bar hangs from the pads


def test_another_sensor_measures_the_same(held):
    for one, other in zip(held.scene["touch"].data, held.scene["beside"].data):
        assert torch.equal(one, other)


def test_data_follows_a_step_and_a_reset():
    worlds = Worlds(2, touch())
    assert (worlds.scene["touch"].data.area == 0).all()
    worlds.step(20)
    pressed = worlds.scene["touch"].data.force.clone()
    assert (pressed[:, 0, 0] < -1).all()
    worlds.step(1)
    assert (worlds.scene["touch"].data.force != pressed).any()
    worlds.start()
    assert (worlds.scene["touch"].data.area == 0).all()


def test_friction_of_each_world_arrives():
    worlds = Worlds(4, touch())
    worlds.sim.expand_model_fields(("geom_friction",))
    friction = torch.tensor([0.03, 0.05, 0.3, 1.0])  # .0409 is what holds the bar
    worlds.sim.model.geom_friction[:, :, 0] = friction[:, None]
    worlds.step(300)
    fallen = worlds.fallen()
    assert fallen[0] > 0.1 and (fallen[1:] < 1e-3).all()


def test_nan_in_one_world_leaves_the_others_finite():
    worlds = Worlds(3, touch())
    worlds.step(10)
    worlds.sim.data.qpos[1, worlds.bar] = math.nan
    worlds.step(1)
    data = worlds.scene["touch"].data
    assert torch.isfinite(data.force[[0, 2]]).all() and (data.force[[0, 2], 0, 0] < -1).all()
    with pytest.raises(ValueError, match="world 1"):
        worlds.scene["touch"].bridge.raise_if_bad()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r'PatchSensor "touch": .*pyramidal.* MujocoCfg\(cone="elliptic", impratio=1e4\)'),
        ({"cone": "elliptic"}, r'PatchSensor "touch": .*impratio is 1: expected 100 to'),
    ],
)
def test_options_of_mjlab_that_do_not_go_with_patches(options, message):
    with pytest.raises(ValueError, match=message):
        Worlds(1, touch(), options=options)


def test_without_push_any_options_will_do():
    worlds = Worlds(2, touch(push=False), options={})
    worlds.step(100)
    assert (worlds.scene["touch"].data.force[:, 0, 0] < -1).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"pairs": [("left", "bar/bar")]}, r"no geom 'left'; it has .*gripper/left"),
        ({"pairs": None}, 'one of "pairs" and "geoms", found none'),
        ({"modulus": None}, 'geom "gripper/left" has no modulus'),
        ({"max_clusters": 16}, r"naconmax 64 of 128.*fewer max_clusters"),
    ],
)
def test_what_the_bridge_does_not_take_names_the_sensor(changed, message):
    with pytest.raises(ValueError, match=rf'PatchSensor "touch": .*{message}'):
        Worlds(1, touch(**changed))


def test_unknown_arguments_are_answered():
    with pytest.raises(TypeError, match="PatchSensorCfg.*modulus"):
        PatchSensorCfg("touch", pairs=PAIRS, moduli=1e6)
    with pytest.raises(TypeError, match="PatchSensorCfg, found dict"):
        isopatch.mjlab.PatchSensor({})
    with pytest.raises(RuntimeError, match="before Scene.initialize"):
        touch().build().data  # noqa: B018


def test_a_step_that_was_captured_before_names_the_line():
    worlds = Worlds(1, touch())
    with pytest.raises(RuntimeError, match=r"env\.sim\.create_graph\(\)"):
        worlds.scene.update(STEP)  # as after the replay of a graph, which calls nothing of the model
    worlds.sim.create_graph()
    worlds.step(1)


def test_meshes_that_differ_between_worlds_are_refused():
    def of(size):
        spec = mujoco.MjSpec.from_string(BAR)
        corners = [size * (1 if i >> axis & 1 else -1) for i in range(8) for axis in range(3)]
        spec.add_mesh(name="bar", uservert=corners)
        geom = spec.geom("bar")
        geom.type, geom.meshname = mujoco.mjtGeom.mjGEOM_MESH, "bar"
        return spec

    bar = VariantEntityCfg(variants={"small": lambda: of(0.01), "large": lambda: of(0.02)})
    built = bar.build()
    name = f"bar/{built.spec.geoms[0].name}"  # which mjlab chooses
    with pytest.raises(ValueError, match=f'geom "{name}" has another mesh in some worlds: expected one mesh'):
        Worlds(2, touch(pairs=[(PADS[0], name)], modulus=1e6), bar=bar)


def test_versions_of_mjlab():
    with pytest.raises(ImportError, match="1.5.2 is too old: expected 1.6.0 or newer, with a newer MuJoCo"):
        versions.check("1.5.2")
    with pytest.warns(UserWarning, match="mjlab 1.7.0 is newer than those that were tried; tested with 1.6.0"):
        versions.check("1.7.0")

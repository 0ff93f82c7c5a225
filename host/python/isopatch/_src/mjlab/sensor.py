"""A sensor of mjlab that lets pairs of geoms touch by patches, and measures these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco
import numpy as np
import torch
import warp as wp
from mjlab.sensor import Sensor, SensorCfg

from isopatch._src.messages import require_type
from isopatch._src.mujoco.geoms import name_of
from isopatch._src.mujoco_warp.bridge import Bridge

_OF_BRIDGE = ("pairs", "geoms", "modulus", "shapes", "max_clusters", "precision", "push")  # of a configuration


class PatchData(NamedTuple):
    """Patches of P pairs of geoms in N worlds after a step, world frame. float32, on the device of the simulation.

    The next reading writes over them; mjlab's observations are copies.
    """

    force: torch.Tensor
    """[N, P, 3], N. Of the pressure on the first geom of each pair; with friction: PatchSensor.bridge.forces()."""
    torque: torch.Tensor
    """[N, P, 3], N m. Of the pressure on the first geom, about the origin of its body."""
    area: torch.Tensor
    """[N, P], m^2. Of the patch; 0 without contact."""
    center_of_pressure: torch.Tensor
    """[N, P, 3], m. 0 without contact."""
    mean_normal: torch.Tensor
    """[N, P, 3]. Mean of the normal over the area, from the second geom into the first; 0 without contact."""
    max_pressure: torch.Tensor
    """[N, P], Pa. The largest pressure at a corner of a polygon."""


@dataclass
class PatchSensorCfg(SensorCfg):
    """A sensor through which pairs of geoms touch by patches, for SceneCfg.sensors.

    It needs MujocoCfg(cone="elliptic", impratio=1e4). The step that mjlab captures in a CUDA graph has the patches from
    the next `env.sim.create_graph()` on, which mjlab calls itself where events randomise fields of the model.
    """

    pairs: Sequence[Any] | None = None
    """Pairs of geoms by name, with the prefixes of their entities: ("gripper/left", "cube/geom")."""
    modulus: float | Mapping[Any, float] | None = None
    """Pa, of all geoms or by geom; math.inf is rigid."""
    shapes: Mapping[Any, Any] | None = None
    """Other shapes than the model's, by geom."""
    push: bool = True
    """Whether pairs touch by patches. False: the sensor only measures, and no bit of the physics changes."""
    geoms: Sequence[Any] | None = None
    """In place of `pairs`: all pairs of these geoms between which MuJoCo looks for contact."""
    max_clusters: int = 4
    """Into how many directions a curved patch is divided: each takes up to four contacts of a pair, of `nconmax`, and
    twelve rows, of `njmax`."""
    precision: str = "float"
    """In which patches are computed, "float" or "double"."""

    def build(self) -> "PatchSensor":
        """The sensor, to which the scene will give the model."""
        return PatchSensor(self)


class PatchSensor(Sensor[PatchData]):
    """What a PatchSensorCfg makes: `env.scene["name"]`. `data` is a PatchData of the current state."""

    def __init__(self, cfg: PatchSensorCfg) -> None:
        super().__init__()
        require_type("PatchSensor: cfg", cfg, PatchSensorCfg, "an isopatch.mjlab.PatchSensorCfg")
        self.cfg = cfg
        self._bridge: Bridge | None = None
        self._is_in_step = not cfg.push

    @property
    def bridge(self) -> Bridge:
        """The isopatch.mujoco_warp.Bridge behind it: pairs, forces with friction, and the status of each world."""
        if self._bridge is None:
            raise RuntimeError(f"{self._name}: there is no bridge before Scene.initialize()")
        return self._bridge

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of each pair's geoms; what is measured acts on the first."""
        return self.bridge.pairs

    @property
    def _name(self) -> str:
        return f'PatchSensor "{self.cfg.name}"'

    def edit_spec(self, scene_spec: mujoco.MjSpec, entities: dict[str, Any]) -> None:
        """Leaves the model as it is: patches need nothing in it."""

    def initialize(self, mj_model: mujoco.MjModel, model: Any, data: Any, device: str) -> None:
        """Attaches the bridge to the simulation; called by Scene.initialize().

        Raises:
            TypeError, ValueError: for what isopatch.mujoco_warp.Bridge does not take, and for geoms whose mesh differs
                between worlds.
        """
        if self._bridge is not None:
            self._bridge.detach()
            self._bridge = None
        model, data = (getattr(wrapper, "struct", wrapper) for wrapper in (model, data))
        chosen = {name: getattr(self.cfg, name) for name in _OF_BRIDGE}
        try:
            bridge = Bridge(mj_model, model, data, **chosen)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self._name}: {error}") from None
        varying = _varying_geoms(model, bridge._chosen.geoms)
        if varying:
            bridge.detach()
            raise ValueError(
                f'{self._name}: geom "{name_of(mj_model, varying[0])}" has another mesh in some worlds: expected one '
                "mesh in all of them, as of an EntityCfg without variants"
            )
        self._bridge = bridge
        if self.cfg.push:
            self._note_steps(model)

    def _note_steps(self, model: Any) -> None:
        """Notes whether a step, or the capture of one, comes to the bridge."""
        callback = model.callback.contactfilter
        self._is_in_step = False

        def noted(model: Any, data: Any) -> None:
            callback(model, data)
            self._is_in_step = True

        model.callback.contactfilter = noted

    def update(self, dt: float) -> None:
        """Forgets the data of the last step; called by Scene.update().

        Raises:
            RuntimeError: if the step was captured in a graph before the sensor was there, so that nothing touches by
                patches.
        """
        super().update(dt)
        if not self._is_in_step:
            raise RuntimeError(
                f"{self._name}: the step was captured in a CUDA graph without patches: expected "
                "env.sim.create_graph(), once after the environment is made"
            )

    def _compute_data(self) -> PatchData:
        return PatchData(*(wp.to_torch(array) for array in self.bridge.measure()))


def _varying_geoms(model: Any, geoms: np.ndarray) -> list[int]:
    """The geoms among `geoms` whose mesh differs between worlds."""
    meshes = model.geom_dataid.numpy()[:, geoms]
    return geoms[(meshes != meshes[0]).any(axis=0)].tolist()

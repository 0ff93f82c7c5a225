"""Peg in a hole: a peg in a soft mount finds by touch a hole whose place is not known, and goes in."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from isopatch._src.gym.task import TaskEnv, TaskVectorEnv
from isopatch._src.scene import Scene

ID = "isopatch/PegInHole-v0"
STEEL_ID = "isopatch/SteelPegInHole-v0"
MAX_EPISODE_STEPS = 100
_WIDTH = 0.01  # of the square peg, m
_CLEARANCE = 0.0003  # on each side, m
_LENGTH = 0.02  # of the peg below its head, m
_START_HEIGHT = 0.003  # of the peg's end above where the block's top is on average, m
_UNKNOWN = 0.002  # half of the width from which each coordinate of the block's place is drawn, m
_DEPTH = 0.01  # at which the peg is in, m
_MAX_SPEED = 0.02  # m/s
_MAX_FORCE = 15.0  # N
_FRICTION = 0.2  # of peg and block
_MODULUS = 6e4  # of the mount, Pa
_PEG_MODULUS = 1e8  # Pa
_DENSITY, _STEEL_DENSITY = 2700, 7850  # kg/m^3
_DISTANCE_REWARD = 0.5  # for 2 mm
_STEP_REWARD = -0.005
_END_REWARD = 1.0  # for a peg that is in, and minus this for too much force

# what an observation has, in this order, and the largest number for each
_OBSERVED = {"way of the holder [m]": 0.05, "force on the holder [N]": 50.0, "torque on it [N m]": 1.0}


def _pad(width: float, height: float, thickness: float) -> dict[str, Any]:
    """A soft pad from z = 0 to its back, which is glued to the holder: the pressure grows from front to back."""
    corners = np.array([[i, j, k] for k in (0, 1) for j in (-1, 1) for i in (-1, 1)])
    return {
        "type": "tet_mesh",
        "points": corners * [width / 2, height / 2, thickness],
        "tets": [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]],
        "field": {"point_data": "extent"},
        "point_data": {"extent": corners[:, 2].astype(float)},
    }


def _scene(is_steel: bool) -> Scene:
    """The head of the peg, 40 x 40 x 10 mm, between pads above, below and beside it that press with 8 to 10 N.

    A peg of steel is rigid all over.

    The origins of holder and peg are in the middle of the peg's end, that of the block in the middle of its hole's top.
    """
    head, thickness = 0.04, 0.01
    middle = _LENGTH + thickness / 2
    at = [0, 0, _START_HEIGHT]
    half = 0.5**0.5
    pads = [
        {"name": "top", "geometry": "plate", "position": [0, 0, _LENGTH + thickness - 0.0008]},
        {"name": "left", "geometry": "bar", "position": [0, 0.014, _LENGTH + 0.0018], "orientation": [0, 1, 0, 0]},
        {"name": "right", "geometry": "bar", "position": [0, -0.014, _LENGTH + 0.0018], "orientation": [0, 1, 0, 0]},
        {"name": "front", "geometry": "flank", "position": [0, -0.019, middle], "orientation": [half, half, 0, 0]},
        {"name": "back", "geometry": "flank", "position": [0, 0.019, middle], "orientation": [half, -half, 0, 0]},
        {"name": "east", "geometry": "flank", "position": [0.019, 0, middle], "orientation": [0.5, 0.5, 0.5, 0.5]},
        {"name": "west", "geometry": "flank", "position": [-0.019, 0, middle], "orientation": [0.5, 0.5, -0.5, -0.5]},
    ]
    inner, outer, height = _WIDTH / 2 + _CLEARANCE, 0.022, 0.012
    near, far = (outer - inner) / 2, (outer + inner) / 2  # of the four boxes around the hole
    sides = [
        {"name": "east", "position": [far, near, -height / 2]},
        {"name": "west", "position": [-far, -near, -height / 2]},
        {"name": "north", "position": [-near, far, -height / 2], "orientation": [half, 0, 0, half]},
        {"name": "south", "position": [near, -far, -height / 2], "orientation": [half, 0, 0, half]},
    ]
    shaft = {"geometry": "shaft", "position": [0, 0, _LENGTH / 2]}
    shaft |= {"rigid": True} if is_steel else {"modulus": _PEG_MODULUS}
    peg_on_block = {"bodies": ["peg", "block"]} | ({"model": "polytope"} if is_steel else {})
    return Scene(
        {
            "geometries": {
                "shaft": {"type": "box", "size": [_WIDTH, _WIDTH, _LENGTH]},
                "head": {"type": "box", "size": [head, head, thickness]},
                "plate": _pad(0.036, 0.036, 0.008),
                "bar": _pad(0.036, 0.008, 0.008),
                "flank": _pad(0.036, 0.006, 0.008),
                "side": {"type": "box", "size": [2 * near, 2 * far, height]},
            },
            "bodies": [
                {"name": "holder", "motion": "prescribed", "position": at, "geometries": pads}
                | {"modulus": _MODULUS, "dissipation": 5},
                {"name": "peg", "position": at, "density": _STEEL_DENSITY if is_steel else _DENSITY}
                | {"friction": _FRICTION, "dissipation": 5}
                | {"geometries": [shaft, {"geometry": "head", "rigid": True, "position": [0, 0, middle]}]},
                {"name": "block", "rigid": True, "fixed": True, "friction": _FRICTION}
                | {"geometries": [{"geometry": "side"} | side for side in sides]},
            ],
            "pairs": [{"bodies": ["holder", "peg"], "friction": 0}, peg_on_block],
            "rollout": {"time_step": 0.002},
        }
    )


class PegInHoleVectorEnv(TaskVectorEnv):
    """isopatch/PegInHole-v0, N times: a peg is put into a hole whose place is not known, by touch.

    A square peg of 10 mm hangs by its head in a mount of soft pads, and a holder carries the mount. Below is a block
    with a square hole that is 0.6 mm wider than the peg. Where the block is differs by up to 2 mm in x, in y and in
    height, and is not observed: the wrench at the holder tells of it. The peg begins 3 mm above where the block's top
    is on average, and level.

    An action is [3], from -1 to 1, and holds for 20 ms: 20 mm/s times it is the velocity of the holder.

    An observation is [9], float32: the way of the holder since the start, [3], m; the force of the peg on the holder,
    [3], N, and its torque, [3], N m, about the middle of the peg's end where it would be without load; both are means
    over the last action, and at the start of the state. The axes are those of the world, with z up.

    An episode ends with a reward of 1 once the peg is 10 mm deep in the hole, and of -1 if the force that is observed
    is more than 15 N. Each action also earns how much the peg has gone deeper, over 10 mm, and half of how much nearer
    the middle of its end has come to the hole's axis, over 2 mm, and costs 0.005.

    Infos have `inserted` and `broken` (too much force) [N], bool, `depth` [N], m, of the peg's end below the block's
    top, `force` [N], N, of the last action, and `hole` [N, 3], m, where the middle of the hole's top is.

    Args:
        num_envs: N.
        max_episode_steps: As of VectorEnv.
        options: Others, by name:
        randomize: Halves of the relative widths from which each episode draws the peg's mass, the friction of peg and
            block and the mount's modulus, evenly, say {"mass": 0.2, "friction": 0.5}. None: they are always the same.
        device, precision, threads, arrays: As of Simulator.
        workers: As of PivotVectorEnv.
        autoreset_mode, first_index, render_mode: As of VectorEnv.

    Raises:
        TypeError, ValueError: for an argument that is none of these.
    """

    _is_steel: ClassVar[bool] = False

    def __init__(self, num_envs: int = 1, *, max_episode_steps: int | None = MAX_EPISODE_STEPS, **options: Any) -> None:
        most = np.repeat(np.array(list(_OBSERVED.values()), np.float32), 3)
        super().__init__(_scene(self._is_steel), most, 3, num_envs, max_episode_steps=max_episode_steps, **options)
        scene = self.simulator.scene
        self._holder, self._peg, self._block = (scene.body_index(name) for name in ("holder", "peg", "block"))
        self._start = self.array(scene.default_poses[self._holder, :3])
        self._wrench = self.array(np.zeros((num_envs, 6)))
        self._score = self.array(np.zeros(num_envs))  # of where the peg was before the last action
        self._pads = [part.index for part in scene.parts if part.body == "holder"]
        self._friction *= _FRICTION
        self._friction[:, self._pads] = 0
        self._modulus *= _PEG_MODULUS
        self._modulus[:, self._pads] = _MODULUS

    def begin(self, mask: Any, random: Sequence[np.random.Generator]) -> None:
        """The block's place is drawn, and the peg hangs above; `mask` and `random` as VectorEnv.begin()."""
        places = np.array([r.uniform(-_UNKNOWN, _UNKNOWN, 3) for r in random])
        mass, friction, modulus = self._drawn_scales(random)
        poses = self.array(np.tile(self.simulator.scene.default_poses, (self.num_envs, 1, 1)))
        poses[mask, self._block, :3] = self.array(places)
        self.simulator.reset(mask, poses=poses)
        self._mass_scale[mask, self._peg] = self.array(mass)
        for part in range(self._friction.shape[1]):
            if part in self._pads:
                self._modulus[mask, part] = self.array(_MODULUS * modulus)
            else:
                self._friction[mask, part] = self.array(_FRICTION * friction)
        self._wrench[mask] = self._step("pair_wrench", 0)[mask, 0]

    def act(self, actions: Any) -> None:
        """Moves the holder for 20 ms; `actions` [N, 3], as VectorEnv.act()."""
        self._score = self._scored()
        self.simulator.velocities[:, self._holder, :3] = _MAX_SPEED * self._double(actions)
        self._wrench = self._step("pair_wrench_mean")[:, 0]

    def observe(self) -> Any:
        """[N, 9], float32; see the class."""
        way = self.simulator.poses[:, self._holder, :3] - self._start
        join = np.concatenate if self.library is np else self.library.cat
        return self._observation(join([way, self._wrench], 1))

    def judge(self) -> tuple[Any, Any]:
        """Rewards [N], and who has the peg in or has broken it [N]; see the class."""
        inserted, broken = self._inserted(), self._broken()
        rewards = self._scored() - self._score + _STEP_REWARD
        rewards[inserted] += _END_REWARD
        rewards[broken] -= _END_REWARD
        return rewards, inserted | broken

    def inform(self) -> dict[str, Any]:
        """Arrays [N, ...] by name; see the class."""
        return {
            "inserted": self._inserted(),
            "broken": self._broken(),
            "depth": self._apart()[1],
            "force": self._force(),
            "hole": self.simulator.poses[:, self._block, :3] + 0,
        }

    def decorate(self, environment: int, project: Any, ax: Any) -> None:
        """Draws the rim of the hole; `environment`, `project` and `ax` as VectorEnv.decorate()."""
        inner = _WIDTH / 2 + _CLEARANCE
        corners = inner * np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [-1, -1, 0]])
        hole = self.simulator.poses[environment, self._block, :3]
        line = project(corners + np.array([float(x) for x in hole]))
        ax.plot(line[:, 0], line[:, 1], color="black", ls="--", lw=1)

    def _apart(self) -> tuple[Any, Any]:
        """How far the middle of the peg's end is from the hole's axis, and below the block's top, [N], m."""
        x, y, z = (self.simulator.poses[:, self._peg, k] - self.simulator.poses[:, self._block, k] for k in range(3))
        return (x * x + y * y) ** 0.5, -z

    def _scored(self) -> Any:
        distance, depth = self._apart()
        return depth / _DEPTH - _DISTANCE_REWARD * distance / _UNKNOWN

    def _force(self) -> Any:
        return (self._wrench[:, :3] ** 2).sum(1) ** 0.5

    def _inserted(self) -> Any:
        distance, depth = self._apart()
        return (depth > _DEPTH) & (distance < _WIDTH / 2)

    def _broken(self) -> Any:
        return self._force() > _MAX_FORCE


class PegInHoleEnv(TaskEnv):
    """isopatch/PegInHole-v0: one environment of a PegInHoleVectorEnv, which says what it does, by itself.

    Args:
        index: Which one: its bits are those of this index in a PegInHoleVectorEnv with the same seed.
        randomize, precision: As of PegInHoleVectorEnv.
        render_mode: "rgb_array" or None.

    Raises:
        TypeError, ValueError: for an argument that is none of these.
    """

    _vector = PegInHoleVectorEnv


class SteelPegInHoleVectorEnv(PegInHoleVectorEnv):
    """isopatch/SteelPegInHole-v0, N times: the task of PegInHoleVectorEnv with a peg and a block of steel.

    Both are rigid and touch exactly, by corners, edges and faces; the mount is as soft. The peg is 2.9 times as heavy.
    Arguments and errors are as of PegInHoleVectorEnv.
    """

    _is_steel: ClassVar[bool] = True


class SteelPegInHoleEnv(TaskEnv):
    """isopatch/SteelPegInHole-v0: one environment of a SteelPegInHoleVectorEnv; arguments are as of PegInHoleEnv."""

    _vector = SteelPegInHoleVectorEnv

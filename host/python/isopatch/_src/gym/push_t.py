"""Push-T: a round pusher pushes a T on a table to a pose; the T's shape, mass and friction differ."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from isopatch._src.gym.task import TaskEnv, TaskVectorEnv, checked_widths
from isopatch._src.scene import Scene

ID = "isopatch/PushT-v0"
MAX_EPISODE_STEPS = 100
RANDOMIZE = {"mass": 0.3, "friction": 0.3, "shape": 0.2}
_STEPS_PER_ACTION = 20  # of 5 ms
_MAX_SPEED = 0.2  # of the pusher, m/s
_RADIUS = 0.015  # of the pusher, m
_BAR, _STEM = 0.12, 0.09  # lengths, m
_WIDTH = 0.03  # of both, and their height, m
_ABOVE = 0.01  # of the T's origin, where the stem begins, m
_NUM_LENGTHS = 5  # of each
_DENSITY = 800  # kg/m^3
_PUSHER_MODULUS = 3e5  # Pa
_TABLE_MODULUS, _TABLE_THICKNESS = 1e5, 0.01  # Pa and m
_FRICTION = 0.4
_START_DISTANCE = 0.12  # of the pusher from the T's origin, m
_GOAL_DISTANCE, _GOAL_ANGLE = 0.04, math.radians(40)  # of the goal from the start, at most in x and y, m, and rad
_NEAR_DISTANCE, _NEAR_ANGLE = 0.01, math.radians(10)  # of the goal, at which the T is there, m and rad
_ANGLE_WORTH = 0.1  # m/rad, of angles beside distances
_REWARDED_WAY = 0.05  # of the T to the goal, for a reward of 1, m
_BEHIND, _ASIDE = 0.1, 0.05  # the T, seen from the goal: where the pusher is wanted, m
_ASIDE_ANGLE = 0.5  # that is left, from which on it is wanted that much aside, rad
_PUSHER_WORTH = 0.2  # of its distance from there, beside that of the T from the goal
_STEP_REWARD = -0.01
_END_REWARD = 1.0

# what an observation has, in this order, and the largest number for each; all in the axes of the T
_OBSERVED = {
    "pusher from the T, x and y [m]": (0.5, 0.5),
    "goal from the T, x and y [m]": (0.5, 0.5),
    "cosine and sine of the angle from the T to the goal": (1.0, 1.0),
    "force of the T on the pusher, x and y [N]": (20.0, 20.0),
    "lengths of bar and stem [m]": (0.5, 0.5),
}


def _lengths(nominal: float, width: float) -> np.ndarray:
    return nominal * (1 + width * np.linspace(-1, 1, _NUM_LENGTHS))


def _block(x: float, low: float, high: float) -> dict[str, Any]:
    """A box from -x to x, from y = `low` to `high`, and from z = 0 up."""
    return {"type": "convex_hull", "points": [[i * x, y, z] for i in (-1, 1) for y in (low, high) for z in (0, _WIDTH)]}


def _scene(width: float) -> Scene:
    """A T that has sunk into the table by its weight, and the pusher beside it."""
    bars = {f"bar {k}": _block(b / 2, _ABOVE, _ABOVE + _WIDTH) for k, b in enumerate(_lengths(_BAR, width))}
    stems = {f"stem {k}": _block(_WIDTH / 2, _ABOVE - s, _ABOVE) for k, s in enumerate(_lengths(_STEM, width))}
    middle = _NUM_LENGTHS // 2
    return Scene(
        {
            "geometries": bars
            | stems
            | {
                "pusher": {"type": "sphere", "radius": _RADIUS, "subdivisions": 1},
                "table": {"type": "half_space", "thickness": _TABLE_THICKNESS},
            },
            "bodies": [
                {
                    "name": "pusher",
                    "geometry": "pusher",
                    "modulus": _PUSHER_MODULUS,
                    "dissipation": 5,
                    "friction": _FRICTION,
                }
                | {"motion": "prescribed", "position": [0, _START_DISTANCE, _WIDTH / 2]},
                {"name": "tee", "rigid": True, "density": _DENSITY, "friction": _FRICTION, "position": [0, 0, -_sunk()]}
                | {"geometries": [{"geometry": f"{name} {middle}", "name": name} for name in ("bar", "stem")]},
                {"name": "table", "geometry": "table", "modulus": _TABLE_MODULUS, "dissipation": 5}
                | {"fixed": True, "friction": _FRICTION},
            ],
            "pairs": [["pusher", "tee"], ["tee", "table"]],
            "contact": {"slip_tolerance": 0.005},
            "rollout": {"time_step": 0.005, "tolerance": 1e-5, "friction_passes": 3},
        }
    )


def _sunk() -> float:
    """How far the T is pressed into the table by its weight, m."""
    return _DENSITY * _WIDTH * 9.81 * _TABLE_THICKNESS / _TABLE_MODULUS


class PushTVectorEnv(TaskVectorEnv):
    """isopatch/PushT-v0, N times: a round pusher pushes a T on a table to a pose that is drawn.

    The T is a bar of 120 x 30 mm and a stem of 90 x 30 mm, 30 mm high, of 800 kg/m^3, about 0.15 kg. The pusher is a
    soft ball of 15 mm radius at the height of its middle. The T begins at any angle, and the pusher 120 mm beside the
    T's origin, which is on its axis, 10 mm from the bar. The goal is at most 40 mm off in x and in y, and 40 degrees.

    An action is [2], from -1 to 1, and holds for 100 ms: 0.2 m/s times it is the velocity of the pusher, in the axes
    that the T has as the action begins: x along its bar, y from stem to bar.

    An observation is [10], float32, in the axes of the T, seen from its origin: where the pusher is [2] and where the
    goal is [2], m, cosine and sine of the angle from the T to the goal, the force of the T on the pusher over the last
    action [2], N, and the lengths of bar and stem, m. Mass and friction are not observed.

    An episode ends with a reward of 1 once the T is within 10 mm and 10 degrees of the goal. Each action costs 0.01,
    and earns by how much less is left, over 50 mm: the T's way to the goal, with 0.1 m for a radian, and a fifth of the
    pusher's way to where it can push: 100 mm behind the T as seen from the goal, and up to 50 mm aside, where that
    turns the T to the goal.

    Infos have `there` [N], bool, whether the T is at the goal, `distance` [N], m, and `angle` [N], rad, from the T to
    the goal.

    Args:
        num_envs: N.
        max_episode_steps: As of VectorEnv.
        randomize: Halves of the relative widths from which each episode draws the T's mass and the friction of all,
            evenly, and the lengths of bar and stem, each one of five. None: {"mass": 0.3, "friction": 0.3,
            "shape": 0.2}. {}: they are always the same.
        options: Others, by name:
        device, precision, threads, arrays: As of Simulator.
        workers: As of PivotVectorEnv.
        autoreset_mode, first_index, render_mode: As of VectorEnv.

    Raises:
        TypeError, ValueError: for an argument that is none of these.
    """

    metadata = {**TaskVectorEnv.metadata, "render_fps": 10}
    _random: ClassVar[tuple[str, ...]] = ("mass", "friction", "shape")

    def __init__(
        self,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = MAX_EPISODE_STEPS,
        randomize: Mapping[str, float] | None = None,
        **options: Any,
    ) -> None:
        randomize = RANDOMIZE if randomize is None else randomize
        width = checked_widths("PushT", self._random, randomize)[2]
        most = np.array([number for numbers in _OBSERVED.values() for number in numbers], np.float32)
        options |= {"randomize": randomize, "max_episode_steps": max_episode_steps}
        super().__init__(_scene(width), most, 2, num_envs, **options)
        scene = self.simulator.scene
        self._pusher, self._tee = scene.body_index("pusher"), scene.body_index("tee")
        self._parts = [part.index for part in scene.parts if part.body == "tee"]
        self._lengths = self.array(np.tile([_BAR, _STEM], (num_envs, 1)))
        self._goal = self.array(np.zeros((num_envs, 4)))  # x, y, cosine and sine of the angle
        self._force = self.array(np.zeros((num_envs, 2)))  # on the pusher, world frame
        self._score = self.array(np.zeros(num_envs))  # of where all was before the last action
        shapes = np.array([scene.geometries.index(part.geometry) for part in scene.parts], np.int32)
        self._shapes = self.array(np.tile(shapes, (num_envs, 1)))
        self._modulus[:, self._pusher] = _PUSHER_MODULUS  # whose parts are
        self._modulus[:, len(scene.parts) - 1] = _TABLE_MODULUS

    def begin(self, mask: Any, random: Sequence[np.random.Generator]) -> None:
        """T, pusher and goal are placed; `mask` and `random` as VectorEnv.begin()."""
        angle, around, turn, x, y = np.array([r.uniform(-1, 1, 5) for r in random]).T
        mass, friction, _ = self._drawn_scales(random)
        kinds = np.array([r.integers(_NUM_LENGTHS, size=2) for r in random])
        angle, around, turn = np.pi * angle, np.pi * around, _GOAL_ANGLE * turn
        scene = self.simulator.scene
        placed = np.tile(scene.default_poses, (len(random), 1, 1))
        placed[:, self._tee, 2] *= mass
        placed[:, self._tee, 3], placed[:, self._tee, 6] = np.cos(angle / 2), np.sin(angle / 2)
        placed[:, self._pusher, :2] = _START_DISTANCE * np.stack([np.cos(around), np.sin(around)], 1)
        poses = self.array(np.tile(scene.default_poses, (self.num_envs, 1, 1)))
        poses[mask] = self.array(placed)
        self.simulator.reset(mask, poses=poses)
        goal = np.stack([_GOAL_DISTANCE * x, _GOAL_DISTANCE * y, np.cos(angle + turn), np.sin(angle + turn)], 1)
        self._goal[mask] = self.array(goal)
        self._mass_scale[mask, self._tee] = self.array(mass)
        self._friction[mask] = self.array(np.repeat(_FRICTION * friction[:, None], self._friction.shape[1], axis=1))
        for k, (part, name, nominal) in enumerate(zip(self._parts, ("bar", "stem"), (_BAR, _STEM))):
            first = scene.geometries.index(f"{name} 0")
            self._shapes[mask, part] = self.array((first + kinds[:, k]).astype(np.int32))
            self._lengths[mask, k] = self.array(_lengths(nominal, self._widths[2])[kinds[:, k]])
        self._force[mask] = 0
        self._step("pair_wrench", 0, geometry_index=self._shapes)  # render() draws the shapes of the last step

    def act(self, actions: Any) -> None:
        """Moves the pusher for 100 ms; `actions` [N, 2], as VectorEnv.act()."""
        self._score = self._scored()
        x, y = self._double(actions).T
        cosine, sine = self._heading()
        velocity = self.library.stack([cosine * x - sine * y, sine * x + cosine * y], 1)
        self.simulator.velocities[:, self._pusher, :2] = _MAX_SPEED * velocity
        mean = self._step("pair_wrench_mean", _STEPS_PER_ACTION, geometry_index=self._shapes)
        self._force = mean[:, 0, :2]

    def observe(self) -> Any:
        """[N, 10], float32; see the class."""
        poses, (cosine, sine) = self.simulator.poses, self._heading()
        tee = poses[:, self._tee, :2]

        def turned(vector: Any) -> list[Any]:
            x, y = vector.T
            return [cosine * x + sine * y, cosine * y - sine * x]

        pusher, goal = turned(poses[:, self._pusher, :2] - tee), turned(self._goal[:, :2] - tee)
        columns = [*pusher, *goal, *turned(self._goal[:, 2:]), *turned(self._force), *self._lengths.T]
        return self._observation(self.library.stack(columns, 1))

    def judge(self) -> tuple[Any, Any]:
        """Rewards [N], and who has the T at the goal [N]; see the class."""
        there = self._there()
        rewards = self._scored() - self._score + _STEP_REWARD
        rewards[there] += _END_REWARD
        return rewards, there

    def inform(self) -> dict[str, Any]:
        """Arrays [N, ...] by name; see the class."""
        distance, angle = self._apart()
        return {"there": self._there(), "distance": distance, "angle": angle}

    def decorate(self, environment: int, project: Any, ax: Any) -> None:
        """Draws the outline of the goal; `environment`, `project` and `ax` as VectorEnv.decorate()."""
        bar, stem = (float(length) for length in self._lengths[environment])
        x, y, cosine, sine = (float(number) for number in self._goal[environment])
        w, low = _WIDTH / 2, _ABOVE - stem
        right = [[w, low], [w, _ABOVE], [bar / 2, _ABOVE], [bar / 2, _ABOVE + _WIDTH]]
        corners = np.array(right + [[-a, b] for a, b in reversed(right)] + right[:1])
        turned = corners @ np.array([[cosine, sine], [-sine, cosine]]) + [x, y]
        line = project(np.column_stack([turned, np.zeros(len(turned))]))
        ax.plot(line[:, 0], line[:, 1], color="black", ls="--", lw=1)

    def _heading(self) -> tuple[Any, Any]:
        """Cosine and sine of the angle of the T's x axis."""
        w, x, y, z = self.simulator.poses[:, self._tee, 3:].T
        return 1 - 2 * (y * y + z * z), 2 * (w * z + x * y)

    def _apart(self) -> tuple[Any, Any]:
        """How far the T is from the goal [N], m, and the angle from it to the goal [N], rad."""
        cosine, sine = self._heading()
        x, y = (self._goal[:, :2] - self.simulator.poses[:, self._tee, :2]).T
        c, s = self._goal[:, 2:].T
        return (x * x + y * y) ** 0.5, self.library.arctan2(cosine * s - sine * c, cosine * c + sine * s)

    def _scored(self) -> Any:
        distance, angle = self._apart()
        tee = self.simulator.poses[:, self._tee, :2]
        ahead, across = ((self._goal[:, :2] - tee) / (distance[:, None] + _NEAR_DISTANCE)).T
        aside = _ASIDE * self.library.clip(angle / _ASIDE_ANGLE, -1, 1)  # where pushing ahead turns the T to the goal
        x, y = (self.simulator.poses[:, self._pusher, :2] - tee).T
        x, y = x + _BEHIND * ahead - aside * across, y + _BEHIND * across + aside * ahead
        left = distance + _ANGLE_WORTH * abs(angle) + _PUSHER_WORTH * (x * x + y * y) ** 0.5
        return -left / _REWARDED_WAY

    def _there(self) -> Any:
        distance, angle = self._apart()
        return (distance < _NEAR_DISTANCE) & (abs(angle) < _NEAR_ANGLE)


class PushTEnv(TaskEnv):
    """isopatch/PushT-v0: one environment of a PushTVectorEnv, which says what it does, by itself.

    Args:
        index: Which one: its bits are those of this index in a PushTVectorEnv with the same seed.
        randomize, precision: As of PushTVectorEnv.
        render_mode: "rgb_array" or None.

    Raises:
        TypeError, ValueError: for an argument that is none of these.
    """

    metadata = {**TaskEnv.metadata, "render_fps": 10}
    _vector = PushTVectorEnv

"""Pivot: two soft fingers hold a bar off its middle, and let it turn to an angle by pressing less."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from isopatch._src.gym.task import TaskEnv, TaskVectorEnv
from isopatch._src.scene import Scene

ID = "isopatch/Pivot-v0"
MAX_EPISODE_STEPS = 75
_MAX_FORCE = 8.0  # N
_FRICTION = 0.8
_MODULUS = 1e5  # of the fingers, Pa
_GOALS = math.radians(15), math.radians(75)
_LOST_HEIGHT = 0.05  # m; the middle of a bar that hangs down from the fingers is 0.04 m below them
_NEAR = 0.1  # rad, at which the reward for being near is half of the most
_DROPPED_REWARD = -20.0

# what an observation has, in this order, and the largest number for each
_OBSERVED = {
    "from the angle to the goal [rad]": math.pi,
    "angle [rad]": math.pi,
    "its rate [rad/s]": 50.0,
    "how far the bar has sunk between the fingers [m]": 0.1,
    "force of a finger on the bar [N]": 20.0,
    "torque of both fingers about their axis [N m]": 0.2,
}


def _scene() -> Scene:
    """Two balls of radius 20 mm, pressed 4.4 mm into a bar as by 6 N, 40 mm beside its middle."""
    finger = {"geometry": "tip", "modulus": _MODULUS, "dissipation": 5, "friction": _FRICTION, "mass": 0.05}
    return Scene(
        {
            "geometries": {
                "tip": {"type": "sphere", "radius": 0.02, "subdivisions": 1},
                "bar": {"type": "box", "size": [0.16, 0.02, 0.04]},
            },
            "bodies": [
                finger
                | {"name": "left", "position": [0, 0.0256, 0], "motion": {"type": "prismatic", "axis": [0, -1, 0]}},
                finger
                | {"name": "right", "position": [0, -0.0256, 0], "motion": {"type": "prismatic", "axis": [0, 1, 0]}},
                {
                    "name": "bar",
                    "geometry": "bar",
                    "rigid": True,
                    "friction": _FRICTION,
                    "mass": 0.1,
                    "position": [0.04, 0, 0],
                },
            ],
            "pairs": [["left", "bar"], ["right", "bar"]],
            "rollout": {"time_step": 0.002},
        }
    )


class PivotVectorEnv(TaskVectorEnv):
    """isopatch/Pivot-v0, N times: a bar that is held off its middle is let turn to an angle, and held there.

    Two soft fingers of 20 mm radius press a bar of 100 g, 40 mm beside its middle. With 4 N they hold it; pressed
    less, gravity turns it, and with much less it slides down. It cannot turn back. An action holds for 20 ms.

    An action is [1], from -1 to 1: each finger presses with 4 (1 + action) N.

    An observation is [6], float32: goal minus angle [rad], angle [rad], its rate [rad/s], how far the bar has sunk
    between the fingers [m], the force of a finger on the bar [N] and the torque of both about the axis through them
    [N m]; the last two are of the last step, and at the start of the state. Angles are positive as gravity turns the
    bar.

    The reward is 1 / (1 + (e / 0.1)^2) - |e| / 2, with e the goal minus the angle in rad. The episode ends with -20 if
    the bar is dropped: its middle has fallen by 50 mm. Goals are drawn evenly from 15 to 75 degrees.

    Infos have `goal` and `error` (goal minus angle), [N], rad, `force` [N], N, of the last action, and `dropped` [N].

    Args:
        num_envs: N.
        max_episode_steps: As of VectorEnv.
        options: Others, by name:
        randomize: Halves of the relative widths from which each episode draws the bar's mass, the friction and the
            fingers' modulus, evenly, say {"mass": 0.2, "friction": 0.1}. None: they are always the same.
        device, precision, threads, arrays: As of Simulator.
        workers: How many actors of an isopatch.ray.Pool take the steps, with `threads` (0: one) each. None: this
            process does.
        autoreset_mode, first_index, render_mode: As of VectorEnv.

    Raises:
        TypeError, ValueError: for an argument that is none of these.
    """

    def __init__(self, num_envs: int = 1, *, max_episode_steps: int | None = MAX_EPISODE_STEPS, **options: Any) -> None:
        most = np.array(list(_OBSERVED.values()), np.float32)
        super().__init__(_scene(), most, 1, num_envs, max_episode_steps=max_episode_steps, **options)
        self._bar = self.simulator.scene.body_index("bar")
        self._goal = self.array(np.zeros(num_envs))
        self._force = self.array(np.zeros(num_envs))
        self._wrench = self.array(np.zeros((num_envs, 2, 6)))

    def begin(self, mask: Any, random: Sequence[np.random.Generator]) -> None:
        """The bar is level and held, and goals are drawn; `mask` and `random` as VectorEnv.begin()."""
        goals = np.array([r.uniform(*_GOALS) for r in random])
        mass, friction, modulus = self._drawn_scales(random)
        self.simulator.reset(mask)
        self._goal[mask] = self.array(goals)
        self._force[mask] = 0
        self._mass_scale[mask, self._bar] = self.array(mass)
        self._friction[mask] = self.array(np.repeat(_FRICTION * friction[:, None], 3, axis=1))
        self._modulus[mask] = self.array(np.repeat(_MODULUS * modulus[:, None], 3, axis=1))
        self._wrench[mask] = self._step("pair_wrench", 0)[mask]

    def act(self, actions: Any) -> None:
        """Presses for 20 ms; `actions` [N, 1], as VectorEnv.act()."""
        self._force = force = _MAX_FORCE / 2 * (1 + self._double(actions)[:, 0])
        self._wrench = self._step("pair_wrench", joint_force=self.library.stack([force, force], 1))

    def observe(self) -> Any:
        """[N, 6], float32; see the class."""
        angle, sunk = self._angle()
        rate = self.simulator.velocities[:, self._bar, 4]
        force = abs(self._wrench[:, :, 1]).sum(1) / 2
        torque = self._wrench[:, :, 4].sum(1)
        return self._observation(self.library.stack([self._goal - angle, angle, rate, sunk, force, torque], 1))

    def judge(self) -> tuple[Any, Any]:
        """Rewards [N] and who has dropped the bar [N]; see the class."""
        error = abs(self._goal - self._angle()[0])
        dropped = self._dropped()
        rewards = 1 / (1 + (error / _NEAR) ** 2) - error / 2
        rewards[dropped] = _DROPPED_REWARD
        return rewards, dropped

    def inform(self) -> dict[str, Any]:
        """Arrays [N] by name; see the class."""
        return {
            "goal": self._goal + 0,
            "error": self._goal - self._angle()[0],
            "force": self._force + 0,
            "dropped": self._dropped(),
        }

    def decorate(self, environment: int, project: Any, ax: Any) -> None:
        """Draws the goal as a line from the fingers; `environment`, `project` and `ax` as VectorEnv.decorate()."""
        goal = float(self._goal[environment])
        line = project([[0, -0.011, 0], [0.12 * math.cos(goal), -0.011, -0.12 * math.sin(goal)]])
        ax.plot(line[:, 0], line[:, 1], color="black", ls="--", lw=1)

    def _angle(self) -> tuple[Any, Any]:
        """Of the bar [rad], and how far the point that was between the fingers at first is below them [m]."""
        pose = self.simulator.poses[:, self._bar]
        w, x, y, z = (pose[:, k] for k in range(3, 7))
        along, down = 1 - 2 * (y * y + z * z), 2 * (w * y - x * z)  # of the bar's x axis
        return self.library.arctan2(down, along), -0.04 * down - pose[:, 2]

    def _dropped(self) -> Any:
        return self.simulator.poses[:, self._bar, 2] < -_LOST_HEIGHT


class PivotEnv(TaskEnv):
    """isopatch/Pivot-v0: one environment of a PivotVectorEnv, which says what it does, by itself.

    Args:
        index: Which one: its bits are those of this index in a PivotVectorEnv with the same seed.
        randomize, precision: As of PivotVectorEnv.
        render_mode: "rgb_array" or None.

    Raises:
        TypeError, ValueError: for an argument that is none of these.
    """

    _vector = PivotVectorEnv

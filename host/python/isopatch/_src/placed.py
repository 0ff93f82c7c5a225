"""Bodies whose poses and velocities follow from something else: from a joint, or from a path and the time."""

from typing import Any

import numpy as np

from isopatch._src.results import SimulatorState
from isopatch._src.scene import Scene


class PlacedBodies:
    """Notices what is written to their poses and velocities between two calls: the next step would write over it.

    Arrays of states are on the host, and the scene has such bodies.
    """

    def __init__(self, scene: Scene, state: SimulatorState) -> None:
        joints = {joint.body: joint.index for joint in scene.joints}
        self._bodies = scene._placed_bodies
        self._names = [scene.bodies[index].name for index in self._bodies]
        self._joints = [joints.get(name) for name in self._names]
        self.remember(state)

    def remember(self, state: SimulatorState) -> None:
        """From now on, what differs from this was written by the user."""
        self._poses, self._velocities = self._bits(state.poses), self._bits(state.velocities)
        self._joint_rows, self._steps = np.array(state.joints), np.array(state.step_count)

    def check(self, call: str, state: SimulatorState) -> None:
        """Raises ValueError for a pose or a velocity that changed though what it follows from did not."""
        before = {"poses": self._poses, "velocities": self._velocities}
        changed = {name: (self._bits(getattr(state, name)) != bits).any(axis=-1) for name, bits in before.items()}
        if not any(rows.any() for rows in changed.values()):
            return
        moved = (np.asarray(state.joints) != self._joint_rows).any(axis=-1), np.asarray(state.step_count) != self._steps
        for name, rows in changed.items():
            for environment, i in np.argwhere(rows):
                joint = self._joints[i]
                if moved[1][environment] if joint is None else moved[0][environment, joint]:
                    continue  # a state that is put together by hand
                where = f"{call}: {name}[{environment}, {self._bodies[i]}]: body {self._names[i]!r} is"
                if joint is None:
                    raise ValueError(f"{where} on a path, which its {name} follow; give the scene another path")
                raise ValueError(
                    f"{where} on a joint, which its {name} follow; write joints[:, {joint}], or reset(joints=...)"
                )

    def _bits(self, array: Any) -> np.ndarray:
        return np.take(np.asarray(array), self._bodies, axis=1).view(np.int64)

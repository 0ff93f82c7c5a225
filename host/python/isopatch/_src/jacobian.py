"""How joints move bodies."""

from typing import Any


def _cross(a: Any, b: Any) -> tuple[Any, Any, Any]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _rotated(pose: Any, vector: tuple[float, float, float]) -> tuple[Any, Any, Any]:
    """A vector of a body's frame in the world's, of bodies with these poses, [N, 7]."""
    w, *q = (pose[:, k] for k in range(3, 7))
    scale = 2 / (w * w + q[0] * q[0] + q[1] * q[1] + q[2] * q[2])
    v = _cross(q, vector)
    u = _cross(q, v)
    return tuple(x + scale * (w * a + b) for x, a, b in zip(vector, v, u, strict=True))


def jacobian(module: Any, frames: tuple[list[Any], list[int], list[list[int]]], poses: Any, body: int) -> Any:
    """[N, 6, D]; of Simulator.jacobian(). `module` is the library of `poses`, [N, B, 7]; `frames` are the scene's."""
    parents, of_body, free_axes = frames
    nothing, one = 0 * poses[:, 0, 0], 0 * poses[:, 0, 0] + 1
    at = [poses[:, body, k] for k in range(3)]
    columns: list[list[Any]] = [[nothing] * 6 for _ in parents]

    def add(joint: int, column: list[Any]) -> None:
        columns[joint] = [a + b for a, b in zip(columns[joint], column, strict=True)]

    root = body
    while of_body[root] >= 0:
        joint = of_body[root]
        parent, turns, axis, anchor, leader, ratio = parents[joint]
        direction = axis if parent < 0 else _rotated(poses[:, parent], axis)
        direction = [ratio * (one * x) for x in direction]
        if turns:
            point = anchor if parent < 0 else _rotated(poses[:, parent], anchor)
            origin = [0.0] * 3 if parent < 0 else [poses[:, parent, k] for k in range(3)]
            arm = [x - o - p for x, o, p in zip(at, origin, point, strict=True)]
            add(leader, [*_cross(direction, arm), *direction])
        else:
            add(leader, [*direction, nothing, nothing, nothing])
        if parent < 0:
            break
        root = parent
    arm = [x - poses[:, root, k] for k, x in enumerate(at)]
    for place, axis in enumerate(free_axes[root]):
        unit = [one if i == axis % 3 else nothing for i in range(3)]
        columns.insert(place, [*unit, *[nothing] * 3] if axis < 3 else [*_cross(unit, arm), *unit])
    if not columns:
        return module.stack([poses[:, 0, :0]] * 6, 1)
    return module.stack([module.stack([column[i] for column in columns], -1) for i in range(6)], 1)

"""The patches of many worlds, from which contacts are made."""

from typing import Any

import warp as wp

from isopatch import _core
from isopatch._src.mujoco_warp import kernels

_OUTPUTS = ("patch_point", "patch_normal", "patch_stiffness", "patch_distance", "patch_residual", "status")


class FoundPatches:
    """Patches of N worlds a step ahead, and of pairs that have none there now, with their bounds, on Warp's current
    device.

    Args:
        evaluator: Of a scene with B bodies and P pairs, on that device.
        worlds: N.
        clusters: Into how many directions a patch is divided.
        modulus: [N, B], float32, Pa, read in each call. None: the scene's.
    """

    def __init__(self, evaluator: _core.Evaluator, worlds: int, clusters: int, modulus: wp.array | None = None) -> None:
        n, bodies, pairs = worlds, evaluator.scene.num_bodies, evaluator.scene.num_pairs
        self.poses, self.poses_ahead = wp.zeros((n, bodies, 7), dtype=float), wp.zeros((n, bodies, 7), dtype=float)
        """[N, B, 7], which are to be written before find()."""
        self.pushes = kernels.Pushes()
        self.pushes.point, self.pushes.normal = wp.zeros((n, pairs), dtype=wp.vec3), wp.zeros((n, pairs), dtype=wp.vec3)
        self.pushes.stiffness, self.pushes.distance = wp.zeros((n, pairs), dtype=float), wp.zeros(
            (n, pairs), dtype=float
        )
        self.has_points = wp.zeros((n, pairs), dtype=int)
        """[N, P]. 1 where a pair has points or a push."""
        self.bounded, self.last = wp.zeros(n, dtype=int), wp.zeros(n, dtype=wp.uint32)
        """[N]. 1 where a world has deep patches, or bits; and its bits in the last call."""
        self.status = wp.zeros(n, dtype=wp.uint32)
        """[N]. All bits of each world."""
        self.parted = wp.zeros((n, pairs), dtype=wp.bool)
        evaluator.reserve(n)
        arguments: dict[str, Any] = {"max_clusters": clusters} | ({} if modulus is None else {"modulus": modulus})
        self.calls, self.sides, self._words = [], [], []
        for poses, mask in ((self.poses_ahead, None), (self.poses, self.parted)):
            of = _new_patches(n, pairs, clusters)
            words = wp.zeros(n, dtype=wp.uint32)
            out = dict(zip(_OUTPUTS, (of.point, of.normal, of.stiffness, of.distance, of.residual, words)))
            candidates = evaluator.make_candidate_cache(n)
            self.calls.append(evaluator.bind(poses, out=out, pair_mask=mask, candidates=candidates, **arguments))
            self.sides.append(of)
            self._words.append(words)

    def find(self, timestep: wp.array, pairs: kernels.Pairs) -> None:
        """Evaluates what is at the poses; `timestep` is [1 or N], s. Nothing waits for the device."""
        self.bounded.zero_()
        bounds, shape = [self.bounded, self.has_points], self.has_points.shape
        self.calls[0]()
        inputs = [timestep, pairs, self.poses_ahead, self.sides[0], self.pushes, *bounds, self.parted]
        wp.launch(kernels.bound_ahead, dim=shape, inputs=inputs)
        self.calls[1]()
        wp.launch(kernels.bound_now, dim=shape, inputs=[timestep, pairs, self.sides[1], *bounds])
        wp.launch(kernels.join_status, dim=shape[0], inputs=[*self._words, self.bounded, self.last, self.status])


def _new_patches(n: int, pairs: int, clusters: int) -> kernels.Patches:
    of = kernels.Patches()
    of.point = wp.zeros((n, pairs, clusters, 4), dtype=wp.vec3)
    of.normal = wp.zeros((n, pairs, clusters), dtype=wp.vec3)
    of.stiffness = wp.zeros((n, pairs, clusters, 4), dtype=float)
    of.distance = wp.zeros((n, pairs, clusters, 4), dtype=float)
    of.residual = wp.zeros((n, pairs), dtype=wp.spatial_vector)
    return of

"""Wrenches for whoever integrates bodies of his own."""

from typing import Any

import numpy as np


def _matrices(value: Any, name: str) -> np.ndarray:
    matrices = np.asarray(value, np.float64)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise ValueError(f"implicit_wrench: {name}: expected the shape [..., n, n], found {list(matrices.shape)}")
    if not np.isfinite(matrices).all():
        raise ValueError(f"implicit_wrench: {name}: expected finite numbers")
    return matrices


def _vectors(value: Any, name: str, n: int) -> np.ndarray:
    vectors = np.asarray(value, np.float64)
    if vectors.ndim < 1 or vectors.shape[-1] != n:
        raise ValueError(f"implicit_wrench: {name}: expected the shape [..., {n}], found {list(vectors.shape)}")
    return vectors


def implicit_wrench(
    K: Any, C: Any, M: Any, h: float, *, wrench: Any, velocity: Any, other: Any = 0.0, clamp: bool = True
) -> np.ndarray:
    """The contact wrench that a step of length h has to apply so that stiffness and damping are implicit.

    With M (v' - v) = h (other + W') and the wrench at the end of the step W' = W - K h v' - C (v' - v), this is

        W' = (1 + h (h K + C) M^-1)^-1 (W - h K v - h (h K + C) M^-1 other),

    which stays bounded however stiff the contact is, where W itself would make it explode. Apply W' as an explicit
    integrator applies any wrench. See Baraff and Witkin, "Large steps in cloth simulation", 1998, equation 6.

    n is 6 for a free body, or the number of coordinates of several; leading axes are environments.

    Args:
        K: [..., n, n], N/m and so on. Stiffness, by how much the wrench falls as the coordinates grow: -dW/dq.
        C: [..., n, n], N s/m and so on. Damping: -dW/dv.
        M: [..., n, n], kg and so on. Inertia.
        h: Length of the step, s.
        wrench: [..., n], N; N m. The contact wrench W at the beginning of the step.
        velocity: [..., n], m/s; rad/s. v at the beginning of the step, in the same coordinates.
        other: [..., n], N; N m. All other wrenches, such as weight.
        clamp: Whether K is replaced by its symmetric part without negative eigenvalues, which patches on round bodies
            have, of rolling: with them the step may be unstable.

    Returns:
        [..., n], N; N m.

    Raises:
        ValueError: for other shapes, numbers that are not finite, and h that is not above 0.
    """
    if not 0 < h < np.inf:
        raise ValueError(f"implicit_wrench: h: expected a length of a step above 0 s, found {h}")
    K, C, M = _matrices(K, "K"), _matrices(C, "C"), _matrices(M, "M")
    n = M.shape[-1]
    for name, matrices in (("K", K), ("C", C)):
        if matrices.shape[-1] != n:
            raise ValueError(
                f"implicit_wrench: {name}: expected the shape [..., {n}, {n}] of M, found {list(matrices.shape)}"
            )
    if clamp:
        values, vectors = np.linalg.eigh((K + np.swapaxes(K, -1, -2)) / 2)
        K = (vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    given = [_vectors(wrench, "wrench", n), _vectors(velocity, "velocity", n)]
    other = np.broadcast_to(np.asarray(other, np.float64), given[0].shape) if np.ndim(other) == 0 else other
    given.append(_vectors(other, "other", n))
    w, v, f = (vector[..., None] for vector in given)
    stiff = h * (h * K + C)
    # (M + stiff) M^-1 W' = ..., so M is not inverted
    right = w - h * K @ v - stiff @ np.linalg.solve(M, f)
    return (M @ np.linalg.solve(M + stiff, right))[..., 0]

"""Wrenches for whoever integrates bodies of his own."""

from typing import Any

import numpy as np

from isopatch import _core
from isopatch._src.records import CONTACT_DTYPE


def _matrices(value: Any, name: str, call: str = "implicit_wrench") -> np.ndarray:
    matrices = np.asarray(value, np.float64)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise ValueError(f"{call}: {name}: expected the shape [..., n, n], found {list(matrices.shape)}")
    if not np.isfinite(matrices).all():
        raise ValueError(f"{call}: {name}: expected finite numbers")
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
    given = [_vectors(wrench, "wrench", n), _vectors(velocity, "velocity", n)]
    other = np.broadcast_to(np.asarray(other, np.float64), given[0].shape) if np.ndim(other) == 0 else other
    given.append(_vectors(other, "other", n))
    batch = np.broadcast_shapes(*(m.shape[:-2] for m in (K, C, M)), *(v.shape[:-1] for v in given))
    rows = [np.broadcast_to(m, (*batch, n, n)).tobytes() for m in (K, C, M)]
    rows += [np.broadcast_to(v, (*batch, n)).tobytes() for v in given]
    found = _core._implicit_wrench(*rows, int(np.prod(batch)), n, h, clamp)
    return np.frombuffer(found).reshape(*batch, n).copy()


def clamped(K: Any) -> np.ndarray:
    """The symmetric part of stiffness matrices without their negative eigenvalues, as implicit_wrench() takes it.

    Args:
        K: [..., n, n], N/m and so on, such as `pair_stiffness` with the shape [N, P, 6, 6].

    Returns:
        [..., n, n], symmetric, with no eigenvalue below 0: the nearest such matrix by the sum of squared differences.

    Raises:
        ValueError: for another shape, and numbers that are not finite.
    """
    K = _matrices(K, "K", call="clamped")
    values, vectors = np.linalg.eigh((K + np.swapaxes(K, -1, -2)) / 2)
    return (vectors * np.maximum(values, 0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)


def contact_matrices(contacts: Any, origin: Any, velocity: Any, slip_tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and damping of the contacts of one pair, as implicit_wrench() takes them for body A.

    With v_n and v_t the relative velocity at a contact along its normal n and across, d the dissipation and N the
    damped normal force, a contact has the stiffness k (1 - d v_n) and the damping d A p along n, and across it the
    secant of friction, mu N / sqrt(|v_t|^2 + v_s^2): with this damping a step of any length slows a slide and does not
    reverse it.

    Args:
        contacts: Rows of `packed_contacts` or `contacts`, all of one pair.
        origin: [3], m. A point of body A, world frame, to whose velocity and torque the matrices belong.
        velocity: [6], m/s; rad/s. Of body A relative to B there: linear, angular, world frame.
        slip_tolerance: v_s, m/s.

    Returns:
        K [6, 6], N/m, N, N m, and C [6, 6], N s/m, N s, N m s: by how much force and torque fall as the body moves.

    Raises:
        ValueError: for contacts of another type, other shapes, and a slip tolerance that is not above 0.
    """
    contacts = np.ascontiguousarray(contacts)
    if contacts.dtype != CONTACT_DTYPE:
        raise ValueError(f"contact_matrices: contacts: expected rows of packed_contacts, found {contacts.dtype}")
    if not 0 < slip_tolerance < np.inf:
        raise ValueError(f"contact_matrices: slip_tolerance: expected a speed above 0 m/s, found {slip_tolerance}")
    point, twist = np.asarray(origin, np.float64), np.asarray(velocity, np.float64)
    for name, vector, size in (("origin", point, 3), ("velocity", twist, 6)):
        if vector.shape != (size,) or not np.isfinite(vector).all():
            raise ValueError(f"contact_matrices: {name}: expected {size} finite numbers, found {vector.tolist()}")
    found = _core._contact_matrices(contacts.tobytes(), point.tobytes(), twist.tobytes(), slip_tolerance)
    K, C = np.frombuffer(found).reshape(2, 6, 6).copy()
    return K, C

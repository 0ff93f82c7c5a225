"""Orders of quaternions."""

from typing import Any


def _rolled(values: Any, shift: int) -> Any:
    shape = getattr(values, "shape", None)
    if shape is None:
        raise TypeError(f"expected an array of quaternions, found {type(values).__name__}; numpy.asarray() makes one")
    if len(shape) == 0 or shape[-1] != 4:
        raise ValueError(f"expected quaternions along the last axis, [..., 4], found the shape {list(shape)}")
    order = [3, 0, 1, 2] if shift == 1 else [1, 2, 3, 0]
    if type(values).__module__.partition(".")[0] not in ("jax", "jaxlib"):
        return values[..., order]
    import jax.numpy

    return values.take(jax.numpy.asarray(order), axis=-1)


def from_xyzw(values: Any) -> Any:
    """Quaternions w x y z of quaternions x y z w.

    Args:
        values: [..., 4], an array of NumPy, torch, JAX, CuPy or alike.

    Returns:
        A new array of the same library and shape.

    Raises:
        TypeError: for what is no array.
        ValueError: for another shape.
    """
    return _rolled(values, 1)


def to_xyzw(values: Any) -> Any:
    """Quaternions x y z w of `values` [..., 4], quaternions w x y z; as from_xyzw()."""
    return _rolled(values, -1)

"""Evaluation and steps inside compiled functions of JAX: under jit, vmap and scan, on the CPU and on CUDA.

    import isopatch.jax

    @jax.jit
    def force(poses):
        return isopatch.jax.evaluate(evaluator, poses).pair_wrench[..., 2]

Importing this module imports JAX, 0.10 or newer. Outside of compiled functions, Evaluator.evaluate() takes JAX's arrays
as they are.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("jax", "jax")

from isopatch._src.jax_functions import evaluate, release, step  # noqa: E402

__all__ = ["evaluate", "release", "step"]

_answer_unknown_keywords(globals())

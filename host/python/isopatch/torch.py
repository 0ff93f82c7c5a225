"""Evaluation as an operator of torch, for torch.compile and torch.export.

    import isopatch.torch

    @torch.compile(fullgraph=True)
    def policy_input(poses):
        return isopatch.torch.evaluate(evaluator, poses).pair_wrench.flatten(1)

Importing this module imports torch. Without a compiler, Evaluator.evaluate() takes tensors as they are and costs less.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("torch", "torch")

from isopatch._src.torch_operator import evaluate, register, release  # noqa: E402

__all__ = ["evaluate", "register", "release"]

_answer_unknown_keywords(globals())

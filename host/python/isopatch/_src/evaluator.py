"""Evaluators, which are compiled."""

from isopatch._core import Call, Evaluator

__all__ = ["Call", "Evaluator"]

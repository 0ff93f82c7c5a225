"""Evaluations and steps on the cores, GPUs and machines of a cluster, by Ray: `pip install isopatch[ray]`.

    import isopatch.ray

    pool = isopatch.ray.Pool(scene, workers=2)
    results = pool.evaluate(poses, outputs=("pair_wrench", "status"))

Importing this module imports Ray.
"""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.messages import require as _require

_require("ray", "ray")

from isopatch._src.ray_pool import Pool  # noqa: E402

__all__ = ["Pool"]

_answer_unknown_keywords(globals())

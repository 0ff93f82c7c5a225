"""Orders of quaternions. Isopatch writes them w x y z, with the real part first; other libraries write it last."""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.quaternions import from_xyzw, to_xyzw

__all__ = ["from_xyzw", "to_xyzw"]

_answer_unknown_keywords(globals())

"""Scenes live in a browser, by viser: `pip install isopatch[view]`."""

from isopatch._src.messages import answer_unknown_keywords as _answer_unknown_keywords
from isopatch._src.picture.live import LiveView, live

__all__ = ["LiveView", "live"]

_answer_unknown_keywords(globals())

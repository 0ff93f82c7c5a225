"""Scenes live in a browser, by viser: `pip install isopatch[view]`."""

from isopatch._src.picture.live import LiveView, live

__all__ = ["LiveView", "live"]

# SPDX-License-Identifier: Apache-2.0
"""A scene in a browser is evaluated as its sliders move."""

import socket
import urllib.request

import numpy as np
import pytest

import isopatch
from conftest import requires

pytestmark = pytest.mark.skipif(not isopatch.build_info()["render"], reason="isopatch was built without render")


@pytest.fixture
def view(scene, poses):
    from isopatch.view import LiveView

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shown = LiveView(scene, np.stack([poses, poses[::-1]]), times=[0, 0.5], port=port)
    yield shown
    shown.stop()


def force_in(view) -> float:
    """That of the table; 0 if nothing touches."""
    rows = view._table.content.splitlines()[4:]
    return float(rows[0].split("|")[2]) if rows else 0.0


@requires("viser")
@requires("trimesh")
def test_sliders_move_time_environment_and_body(view, evaluator, scene, poses):
    results = evaluator.evaluate(poses, outputs=("pair_wrench",))
    expected = np.linalg.norm(results.pair_wrench[:, 0, :3], axis=1)
    assert force_in(view) == pytest.approx(expected[0], rel=1e-3)
    view._environment.value = 1
    view._show()
    assert force_in(view) == pytest.approx(expected[1], rel=1e-3)
    view._time.value = 1
    view._show()
    assert "0.500 s" in view._table.content
    assert force_in(view) == pytest.approx(expected[2], rel=1e-3)
    view._offsets[2].value = 1e3 * (0.045 - 0.0495)  # m to mm
    view._show()
    assert force_in(view) == pytest.approx(expected[0], rel=1e-2)
    view._offsets[2].value = 50.0
    view._show()
    assert force_in(view) == 0
    view._angles[0].value = 90.0
    np.testing.assert_allclose(view.poses[0, 3:], [np.sqrt(0.5), np.sqrt(0.5), 0, 0], atol=1e-12)


@requires("viser")
@requires("trimesh")
def test_a_browser_gets_a_page(view):
    with urllib.request.urlopen(view.url, timeout=20) as answer:
        assert b"<html" in answer.read().lower()


def test_bad_calls_are_refused(scene, monkeypatch):
    import sys

    from isopatch.view import LiveView

    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "viser", None)
        with pytest.raises(ImportError):
            LiveView(scene)
    pytest.importorskip("viser")
    with pytest.raises(ValueError, match=r"expected the shape \[2, 7\], with axes"):
        LiveView(scene, np.zeros((3, 7)))
    with pytest.raises(ValueError, match="times: expected 1, found 2"):
        LiveView(scene, times=[0, 1])

# SPDX-License-Identifier: Apache-2.0
"""Pages in Chromium without a network: they are ready soon, ask for nothing, print nothing, and show what they have."""

import os

import numpy as np
import pytest
from browser import Shown, started_chromium, wait_until

import isopatch

pytestmark = pytest.mark.skipif(not isopatch.build_info()["render"], reason="isopatch was built without render")

SCENES = ("box_stack", "gripper", "incline", "nut_on_bolt", "pinch", "sphere_on_box", "spoon", "stack_of_ten")
READY = 3  # s
TOLERANCE = 6  # of a colour
PANEL = 300  # pixels


@pytest.fixture(scope="module")
def chromium():
    with started_chromium() as browser:
        yield browser


def count_of(pixels, color):
    return int((np.abs(pixels[:, PANEL:] - color).max(axis=2) <= TOLERANCE).sum())  # beside the panel


def shown_scene(browser, root, tmp_path, name):
    picture = isopatch.Scene(root / f"bench/scenes/{name}.json").render(tmp_path / f"{name}.html", title=name)
    assert (tmp_path / f"{name}.html").stat().st_size <= 1.2e6 + 4 / 3 * len(picture.glb)
    return Shown(browser, tmp_path / f"{name}.html"), picture


@pytest.mark.parametrize("name", SCENES)
def test_pages_are_ready_soon_and_show_the_patches(chromium, root, tmp_path, name):
    shown, picture = shown_scene(chromium, root, tmp_path, name)
    assert shown.log == []
    assert shown.seconds <= READY * (4 if os.environ.get("CI") or os.getloadavg()[0] > os.cpu_count() else 1)
    from isopatch._src.picture.glb import Glb

    glb = Glb(picture.glb)
    table, pixels = glb.color_table()[:, :3].astype(int), shown.pixels()
    pressures = glb.patches(0)[2]
    if not len(pressures):
        assert shown.page.inner_text("#pairs tbody") == "none"
        return
    wanted = table[np.unique((255 * pressures / glb.max_pressure).round().astype(int))]
    colourful = [color for color in wanted if np.ptp(color) > 60]
    found = [color for color in colourful if count_of(pixels, color) > 0]
    assert len(found) >= 0.5 * len(colourful) > 0, f"{len(found)} of {len(colourful)} colours"
    assert len(shown.page.query_selector_all("#pairs tbody tr:not([hidden])")) == len(
        [mesh for mesh in glb._json["meshes"] if "pair" in mesh.get("extras", {})]
    )
    shown.page.close()


def test_boxes_hide_what_they_name(chromium, root, tmp_path):
    shown, _ = shown_scene(chromium, root, tmp_path, "sphere_on_box")
    with_all = shown.pixels()
    shown.page.uncheck("#show_patches")
    assert np.abs(shown.pixels() - with_all).max() > 50
    shown.page.check("#show_patches")
    assert np.array_equal(shown.pixels()[:, PANEL:], with_all[:, PANEL:])  # beside the panel
    shown.page.uncheck("#show_body_0")
    without_ball = shown.pixels()
    assert np.abs(without_ball - with_all).max() > 10
    shown.page.uncheck("#show_body_1")
    shown.page.uncheck("#show_forces")
    only_patch = shown.pixels()[:, PANEL:].reshape(-1, 3)
    colours = only_patch[np.ptp(only_patch, axis=1) > 60]
    assert 0 < len(colours) < 0.2 * len(only_patch)
    shown.page.close()


@pytest.mark.parametrize(("name", "steps", "every"), [("bouncing_ball", 3000, 25), ("pinch", 1200, 10)])
def test_a_rollout_plays(chromium, root, tmp_path, name, steps, every):
    scene = isopatch.Scene(root / f"bench/scenes/{name}.json")
    simulator = isopatch.Simulator(scene)
    with simulator.record(every=every) as recording:
        simulator.step(steps)
    path = tmp_path / "run.html"
    picture = recording.render(path)
    assert path.stat().st_size <= 2e6
    from isopatch._src.picture.glb import Glb

    glb = Glb(picture.glb)
    assert glb.num_frames == 121
    shown = Shown(chromium, path)
    assert shown.log == []
    first = shown.pixels()
    moving = next(i for i, body in enumerate(scene.bodies) if body.motion == "free")
    node = next(k for k, n in enumerate(glb._nodes) if n.get("extras", {}).get("body") == moving)
    for frame in (40, 120):
        shown.move_slider(frame)
        at = shown.page.evaluate(f"window.viewer.bodies[{moving}].position.toArray()")
        np.testing.assert_allclose(at, glb.placement(node, frame)[:3, 3], atol=1e-6)
        assert shown.page.inner_text("#time") == glb.label(frame)
    assert np.abs(shown.pixels() - first).max() > 30
    # from the end it plays from the start
    shown.page.select_option("#speed", "4")
    shown.page.click("#play")
    wait_until(shown.page, "Number(document.getElementById('slider').value) % 120 > 2")
    shown.page.click("#play")
    assert shown.log == []
    shown.page.close()


def test_environments_follow_each_other(chromium, scene, poses, tmp_path):
    scene.render(tmp_path / "envs.html", poses=poses)
    shown = Shown(chromium, tmp_path / "envs.html")
    assert shown.page.inner_text("#time") == "environment 0"
    force = shown.page.inner_text("#pairs tbody tr td:nth-child(2)")
    shown.move_slider(1)
    assert 0 < float(shown.page.inner_text("#pairs tbody tr td:nth-child(2)")) < float(force)
    shown.move_slider(3)
    assert shown.page.inner_text("#pairs tbody") == "none"
    assert shown.log == []
    shown.page.close()


def test_without_webgl_the_page_says_so_and_has_the_table(chromium, scene, tmp_path):
    page = scene.render().html
    disabled = '<script>HTMLCanvasElement.prototype.getContext = () => null;</script><script id="glb"'
    (tmp_path / "page.html").write_text(page.replace('<script id="glb"', disabled, 1), encoding="utf-8")
    shown = Shown(chromium, tmp_path / "page.html")
    assert "no WebGL" in shown.page.inner_text("#sentence")
    assert "ball on table" in shown.page.inner_text("#pairs tbody")
    shown.page.click("#pairs tbody button")
    assert "kPa" in shown.page.inner_text("#numbers")
    for key in "rtf1":
        shown.page.keyboard.press(key)
    assert shown.log == []
    shown.page.close()


def test_a_notebook_shows_the_frame(chromium, scene, tmp_path):
    (tmp_path / "notebook.html").write_text(scene.render()._repr_html_(), encoding="utf-8")
    page = chromium.new_page(offline=True)
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "notebook.html").as_uri())
    wait_until(page, "document.querySelector('iframe') !== null")
    frame = page.frames[1]
    wait_until(frame, "window.ready === true")
    assert frame.inner_text("#title") == "scene"
    assert problems == []
    page.close()

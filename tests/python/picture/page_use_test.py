# SPDX-License-Identifier: Apache-2.0
"""Keys, buttons and clicks on a page, on screens of several sizes."""

import re

import numpy as np
import pytest
from browser import BACKGROUNDS, SCREENS, Shown, started_chromium, wait_until

import isopatch

pytestmark = pytest.mark.skipif(not isopatch.build_info()["render"], reason="isopatch was built without render")

CAMERA = "window.viewer.camera.position.toArray()"
TARGET = "window.viewer.controls.target.toArray()"


@pytest.fixture(scope="module")
def chromium():
    with started_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def rolled(scene, tmp_path_factory):
    """The ball rolls 1 m in 41 frames."""
    poses = np.tile(scene.default_poses, (41, 1, 1))
    poses[:, 0, 0] = np.linspace(0, 1, 41)
    poses[:, 0, 2] = 0.046
    poses[40, 0, 2] = 0.06
    path = tmp_path_factory.mktemp("page") / "rolled.html"
    scene.render(path, poses=poses, times=0.05 * np.arange(41), title="rolled")
    return path


@pytest.fixture
def shown(chromium, rolled):
    shown = Shown(chromium, rolled)
    yield shown
    assert shown.log == []
    shown.page.close()


def test_keys_go_from_frame_to_frame_and_play(shown):
    shown.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft")
    assert shown.frame == 2
    shown.press("End", "ArrowRight")
    assert shown.frame == 40
    shown.press("Home", "ArrowLeft")
    assert shown.frame == 0
    shown.press("Space")
    wait_until(shown.page, "Number(document.getElementById('slider').value) > 2")
    assert shown.page.get_attribute("#play", "aria-label") == "Pause"
    shown.press("Space")
    assert shown.page.get_attribute("#play", "aria-label") == "Play"
    stopped = shown.frame
    shown.page.wait_for_timeout(200)
    assert shown.frame == stopped


def test_buttons_do_the_same_and_leave_the_keys(shown):
    for _ in range(3):
        shown.page.click("#forward")
    shown.page.click("#back")
    assert shown.frame == 2
    shown.press("Space")  # which would press the button again if it kept the focus
    wait_until(shown.page, "Number(document.getElementById('slider').value) > 4")
    shown.page.click("#play")
    # what is focused by the keyboard keeps its keys
    shown.press("Home")
    shown.page.focus("#forward")
    shown.press("Space")
    assert shown.frame == 1
    shown.page.focus("#slider")
    shown.press("ArrowRight", "ArrowRight")
    assert shown.frame == 3
    shown.page.focus("#speed")
    shown.press("ArrowDown")
    assert shown.page.input_value("#speed") == "2"
    assert shown.frame == 3
    shown.press("t")
    assert not np.allclose(shown.page.evaluate(CAMERA)[::2], shown.page.evaluate(TARGET)[::2], atol=1e-3)


def test_the_camera_is_reset_looks_from_above_and_follows(shown):
    start = shown.page.evaluate(CAMERA)
    shown.press("t")
    camera, target = np.array(shown.page.evaluate(CAMERA)), np.array(shown.page.evaluate(TARGET))
    np.testing.assert_allclose(camera[::2], target[::2], atol=1e-4)
    assert camera[1] > target[1]
    left, bottom = shown.place([0, 0, 0.05]), shown.place([1, 0.1, 0.05])
    assert left[0] < bottom[0] and left[1] > bottom[1]  # x to the right, y up
    shown.page.click("#reset")
    np.testing.assert_allclose(shown.page.evaluate(CAMERA), start, atol=1e-6)

    assert shown.page.is_disabled("#follow")
    shown.press("f")
    assert shown.page.get_attribute("#follow", "aria-pressed") == "false"
    shown.page.click("#bodies button >> text=ball")
    shown.press("f")
    for frame in (0, 20, 40):
        shown.move_slider(frame)
        np.testing.assert_allclose(shown.page.evaluate(TARGET)[0], frame / 40, atol=1e-3)
    shown.press("f", "Home")
    np.testing.assert_allclose(shown.page.evaluate(TARGET)[0], 1, atol=1e-3)
    shown.press("r")
    np.testing.assert_allclose(shown.page.evaluate(CAMERA), start, atol=1e-6)


def test_digits_hide_bodies(shown):
    assert shown.page.is_checked("#show_body_0")
    before = shown.pixels()
    shown.press("1")
    assert not shown.page.is_checked("#show_body_0")
    assert np.abs(shown.pixels() - before).max() > 10
    shown.press("1", "9")
    assert shown.page.is_checked("#show_body_0")


def numbers_of(shown, name):
    """The length and the three numbers of a vector."""
    value = shown.page.evaluate(
        "name => [...document.querySelectorAll('#numbers dt')].find(of => of.textContent === name)"
        ".nextElementSibling.textContent",
        name,
    )
    return [float(number) for number in re.findall(r"-?\d[\d.]*(?:e[-+]?\d+)?", value.replace("N m", ""))]


def test_what_is_selected_has_the_numbers_of_the_results(chromium, root, tmp_path):
    scene = isopatch.Scene(root / "bench/scenes/box_stack.json")
    scene.render(tmp_path / "stack.html")
    outputs = ("pair_wrench", "body_wrench", "area", "polygon_count")
    velocities = scene.default_velocities[None]
    results = isopatch.Evaluator(scene).evaluate(scene.default_poses[None], velocities=velocities, outputs=outputs)
    shown = Shown(chromium, tmp_path / "stack.html")

    def expect(wrench):
        for name, vector in (("force", wrench[:3]), ("torque", wrench[3:])):
            length, *components = numbers_of(shown, name)
            near = 2e-3 * np.linalg.norm(vector) + 1e-6
            assert length == pytest.approx(np.linalg.norm(vector), abs=near)
            np.testing.assert_allclose(components, vector, atol=near)

    for pair in np.flatnonzero(results.polygon_count[0]):
        shown.page.click(f"#pairs button >> text={' on '.join(scene.pairs[pair])}")
        expect(results.pair_wrench[0, pair])
        assert numbers_of(shown, "area")[0] == pytest.approx(1e4 * results.area[0, pair], rel=1e-3)
        assert f"On {scene.pairs[pair][0]}, the torque about its origin." in shown.page.inner_text("#on")
    for body, button in enumerate(shown.page.query_selector_all("#bodies button")):
        button.click()
        assert shown.page.inner_text("#selected_name") == scene.bodies[body].name
        expect(results.body_wrench[0, body])
    button.click()
    assert shown.page.is_hidden("#selected")
    assert shown.log == []
    shown.page.close()


def test_a_click_selects_a_patch_a_body_or_nothing(shown):
    shown.page.mouse.click(*shown.place([0, 0, 0]))
    assert shown.page.inner_text("#selected_name") == "ball on table"
    shown.page.mouse.click(*shown.place([0, 0, 0.092]))
    assert shown.page.inner_text("#selected_name") == "ball"
    left, top, right, _ = shown.box("#canvas")
    shown.page.mouse.click(right - 5, top + 5)
    assert shown.page.is_hidden("#selected")


def test_the_plots_mark_the_frame_and_go_to_what_is_clicked(shown):
    shown.page.click("#pairs button")
    marks = shown.page.query_selector_all("#plots .dot")
    assert len(marks) == 2
    left, _, right, _ = shown.box("#plots svg >> nth=0")
    for frame in (0, 20, 40):
        shown.move_slider(frame)
        at = marks[0].bounding_box()
        assert at["x"] + at["width"] / 2 == pytest.approx(left + frame / 40 * (right - left), abs=1)
    assert "force 0 N at 2.000 s" in shown.page.get_attribute("#plots svg", "aria-label")
    _, top, _, bottom = shown.box("#plots svg >> nth=0")
    shown.page.mouse.click(left + 0.25 * (right - left), (top + bottom) / 2)
    assert shown.frame == 10


def test_colours_are_those_of_nine_tenths_of_the_frames(chromium, scene, tmp_path):
    poses = np.tile(scene.default_poses, (40, 1, 1))
    poses[:, 0, 2] = 0.048
    poses[:4, 0, 2] = 0.03
    picture = scene.render(tmp_path / "deep.html", poses=poses, times=np.arange(40))
    from isopatch._src.picture.glb import Glb

    still = isopatch.Evaluator(scene).evaluate(poses[[0, 20]], outputs=("max_pressure",)).max_pressure[:, 0]
    assert Glb(picture.glb).max_pressure == pytest.approx(still[1], rel=1e-5)
    assert still[0] > 2 * still[1]
    shown = Shown(chromium, tmp_path / "deep.html")
    assert shown.page.inner_text("#range span:last-child") == f"≥ {1e-3 * still[1]:.3g} kPa"
    scene.render(tmp_path / "even.html", poses=poses[4:], times=np.arange(36))
    even = Shown(chromium, tmp_path / "even.html")
    assert even.page.inner_text("#range span:last-child") == f"{1e-3 * still[1]:.3g} kPa"
    assert shown.log == even.log == []
    shown.page.close()
    even.page.close()


def test_the_status_is_in_words(chromium, scene, poses, tmp_path):
    poses[1, 0, 2] = -0.06
    scene.render(tmp_path / "lost.html", poses=poses)
    shown = Shown(chromium, tmp_path / "lost.html")
    assert shown.page.inner_text("#status") == ""
    shown.press("ArrowRight")
    assert shown.page.inner_text("#status") == "Status: no contact surface"
    shown.page.close()


@pytest.mark.parametrize("colors", BACKGROUNDS)
@pytest.mark.parametrize("screen", SCREENS)
def test_panel_and_buttons_leave_the_picture_free(chromium, rolled, screen, colors):
    shown = Shown(chromium, rolled, color_scheme=colors, **SCREENS[screen])
    width, height = SCREENS[screen]["width"], SCREENS[screen]["height"]
    is_small = screen != "desktop"
    assert shown.page.is_hidden("#panel") == is_small
    for is_open in (not is_small, is_small):
        assert shown.page.is_visible("#panel") == is_open
        wait_until(
            shown.page, "Math.abs(window.viewer.camera.aspect - canvas.clientWidth / canvas.clientHeight) < 1e-6"
        )
        left, top, right, bottom = picture = shown.box("#canvas")
        assert (right - left) * (bottom - top) >= 0.25 * width * height
        for other in filter(None, (shown.box("#panel"), shown.box("#buttons"))):
            across = min(picture[2], other[2]) - max(picture[0], other[0])
            down = min(picture[3], other[3]) - max(picture[1], other[1])
            assert across <= 0 or down <= 0, (picture, other)
            assert other[0] >= 0 and other[1] >= 0 and other[2] <= width and other[3] <= height
        for point in ([-0.05, 0, 0.046], [1.05, 0, 0.046], [0, 0, 0.096], [1, 0, 0]):
            x, y = shown.place(point)
            assert left <= x <= right and top <= y <= bottom, (point, picture)
        np.testing.assert_array_equal(shown.pixels()[int(top) + 3, int(right) - 3], BACKGROUNDS[colors])
        shown.page.click("#fold")
    shown.page.evaluate(
        "document.getElementById('fold').ariaExpanded === 'true' || document.getElementById('fold').click()"
    )
    for target in shown.page.query_selector_all("button, select, input:not([type=range])"):
        box = target.bounding_box()
        if box is None:
            assert target.get_attribute("id") == "environment", "as there is only one"
            continue
        assert is_small is False or min(box["width"], box["height"]) >= 24, target.get_attribute("id")
    assert shown.log == []
    shown.page.close()


def test_screen_readers_get_names(shown):
    nameless = shown.page.evaluate(
        "[...document.querySelectorAll('button, select, input')].filter(of => !of.ariaLabel && !of.textContent.trim()"
        " && !(of.labels || []).length).map(of => of.id)"
    )
    assert nameless == []
    assert shown.page.get_attribute("#canvas", "role") == "img"
    assert shown.page.get_attribute("#canvas", "aria-label") == (
        "rolled at 0.000 s: ball, table. Touching: ball on table."
    )
    shown.press("End")
    assert shown.page.get_attribute("#canvas", "aria-label").endswith("at 2.000 s: ball, table. Nothing touches.")
    assert shown.page.get_attribute("#slider", "aria-valuetext") == "2.000 s"
    assert shown.page.get_attribute("#status", "role") == "status"
    assert shown.page.title() == "rolled"

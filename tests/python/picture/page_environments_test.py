# SPDX-License-Identifier: Apache-2.0
"""Pages of several environments of a rollout, of which one is chosen."""

import base64
import gzip
import html
import json
import re
import subprocess

import numpy as np
import pytest
from browser import BACKGROUNDS, SCREENS, Shown, started_chromium, wait_until

import isopatch
from isopatch._src.picture.glb import Glb

pytestmark = pytest.mark.skipif(not isopatch.build_info()["render"], reason="isopatch was built without render")

EXACT = 1e-6  # relative: what a page has of a step's force and area
EVERY, ROWS = 10, 8
DRAWN = [0, 3, 4, 5]
SHAPES = ("small", "cube", "large")
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src blob: data:"


@pytest.fixture(scope="module")
def chromium():
    with started_chromium() as browser:
        yield browser


def thrown():
    ball = {"name": "ball", "geometry": "small", "modulus": 1e5, "dissipation": 1, "friction": 0.4, "mass": 1}
    return {
        "isopatch": 1,
        "geometries": {
            "small": {"type": "sphere", "radius": 0.04, "subdivisions": 2},
            "cube": {"type": "box", "size": [0.08, 0.08, 0.08]},
            "large": {"type": "sphere", "radius": 0.05, "subdivisions": 2},
            "ground": {"type": "half_space"},
        },
        "bodies": [
            ball | {"position": [0, 0, 0.05]},
            ball | {"name": "other", "position": [0.2, 0, 0.0395]},
            {"name": "ground", "geometry": "ground", "rigid": True, "fixed": True, "friction": 0.4},
        ],
        "rollout": {"time_step": 0.002},
    }


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder with run.npz, run.html and one.html, the scene, and results of the steps of all rows but the first."""
    folder = tmp_path_factory.mktemp("environments")
    scene, n = isopatch.Scene(thrown()), 6
    simulator = isopatch.Simulator(scene, n, threads=1)
    shapes = np.tile(np.array([[0, 0, 3]], np.int32), (n, 1))
    shapes[:, 0] = np.arange(n) % 3
    simulator.poses[:, 0, 2] = [0.039, 0.039, 0.049, 0.045, 0.06, 0.2]  # the last one never touches
    simulator.velocities[:, 0, 0] = 0.1 * np.arange(n)
    simulator.velocities[5, 0, 2] = 20
    told = []
    with simulator.record(folder / "run.npz", every=EVERY) as recording:
        for _ in range(ROWS):
            results = simulator.step(EVERY, geometry_index=shapes, outputs=("pair_wrench", "area"))
            told.append((results.pair_wrench.copy(), results.area.copy()))
        recording.render(folder / "run.html", environment=DRAWN)
        recording.render(folder / "one.html", environment=3)
    return folder, scene, told


def choose(shown, number):
    shown.page.select_option("#environment", label=str(number))
    wait_until(shown.page, f"window.viewer.record.facts.environment === {number}")


def expect_step(shown, scene, told, number, row):
    """The page has the forces and areas of the step of this environment, in its memory and in its panel."""
    shown.move_slider(row)
    wrenches, areas = told[row - 1]
    rows = shown.page.locator("#pairs tbody tr:not([hidden])").all_inner_texts()
    for pair in range(scene.num_pairs):
        wrench, area = wrenches[number, pair], areas[number, pair]
        contact = shown.page.evaluate(f"window.viewer.record.contact({{pair: {pair}}}, {row})")
        np.testing.assert_allclose(contact["force"], wrench[:3], atol=EXACT * np.linalg.norm(wrench[:3]))
        np.testing.assert_allclose(contact["torque"], wrench[3:], atol=EXACT * np.linalg.norm(wrench[3:]))
        assert contact["area"] == pytest.approx(area, rel=EXACT)
        of_pair = [text.split("\t") for text in rows if text.startswith(" on ".join(scene.pairs[pair]))]
        assert len(of_pair) == (area > 0)
        if area > 0:
            assert float(of_pair[0][1]) == pytest.approx(np.linalg.norm(wrench[:3]), rel=1e-3), "four digits"
            assert float(of_pair[0][2]) == pytest.approx(1e4 * area, rel=1e-3)


@pytest.mark.parametrize("colors", BACKGROUNDS)
@pytest.mark.parametrize("screen", SCREENS)
def test_the_chosen_environment_has_the_numbers_of_its_steps(chromium, recorded, screen, colors):
    folder, scene, told = recorded
    shown = Shown(chromium, folder / "run.html", color_scheme=colors, **SCREENS[screen])
    left, top, right, bottom = shown.box("#environments")
    within = shown.box("#view")
    assert left >= within[0] and top >= within[1] and right <= within[2] and bottom <= within[3]
    box = shown.box("#environment")
    assert min(box[2] - box[0], box[3] - box[1]) >= (40 if SCREENS[screen].get("has_touch") else 24)
    assert shown.page.locator("#environment option").all_inner_texts() == [str(number) for number in DRAWN]
    if shown.page.is_hidden("#panel"):
        shown.page.click("#fold")
    for number in (5, 3, 0, 4):
        choose(shown, number)
        for row in (1, ROWS):
            expect_step(shown, scene, told, number, row)
        assert shown.page.get_attribute("#canvas", "aria-label").startswith(f"run.npz, environment {number} at ")
        parts = shown.page.evaluate("window.viewer.record.gltf.meshes.filter(of => !of.extras).map(of => of.name)")
        assert set(parts) - {"force"} == {SHAPES[number % 3], "small", "ground"}
    shown.page.evaluate("document.getElementById('fold').click()")
    assert shown.page.get_attribute("meta[http-equiv]", "content") == POLICY
    assert shown.log == []
    shown.page.close()


def test_an_environment_is_shown_at_the_same_time_and_as_the_last_one_was(chromium, recorded):
    folder, scene, told = recorded
    shown = Shown(chromium, folder / "run.html", **SCREENS["desktop"])
    shown.move_slider(6)
    shown.page.click("#pairs button >> text=ball on ground")
    shown.page.uncheck("#show_body_1")
    shown.page.uncheck("#show_forces")
    shown.press("t")
    camera = shown.page.evaluate("window.viewer.camera.position.toArray()")
    before = shown.pixels()
    choose(shown, 4)
    assert shown.frame == 6
    assert shown.page.inner_text("#time") == "0.120 s"
    np.testing.assert_allclose(shown.page.evaluate("window.viewer.camera.position.toArray()"), camera, atol=1e-9)
    bodies = shown.page.evaluate("window.viewer.bodies.map(of => of.visible)")
    assert bodies == [True, False, True]
    assert shown.page.evaluate("window.viewer.arrows.every(of => !of.visible)")
    assert np.abs(shown.pixels() - before).max() > 30
    force = np.linalg.norm(told[5][0][4, scene.pair_index("ball", "ground"), :3])
    assert shown.page.inner_text("#selected_name") == "ball on ground"
    assert shown.page.text_content("#plots text >> nth=0") == f"force {force:.4g} N"
    assert shown.page.get_attribute("#pairs button >> text=ball on ground", "aria-pressed") == "true"
    choose(shown, 0)
    assert np.array_equal(shown.pixels(), before)
    assert shown.log == []
    shown.page.close()


def test_a_body_is_followed_into_the_next_environment(chromium, recorded):
    folder = recorded[0]
    shown = Shown(chromium, folder / "run.html", **SCREENS["desktop"])
    shown.page.click("#bodies button >> text=ball")
    shown.press("f")
    shown.move_slider(ROWS)
    for number in (0, 5, 3):
        choose(shown, number)
        body, target = (
            shown.page.evaluate(f"window.viewer.{of}.toArray()") for of in ("bodies[0].position", "controls.target")
        )
        np.testing.assert_allclose(target, [body[0], body[2], -body[1]], atol=1e-3)
    shown.page.close()


def test_keys_choose_the_environment_also_while_it_plays(chromium, recorded):
    shown = Shown(chromium, recorded[0] / "run.html", **SCREENS["desktop"])
    number = "window.viewer.record.facts.environment"
    assert "Page Up" in shown.page.inner_text("#keys")
    shown.press("PageUp")
    assert shown.page.evaluate(number) == 0
    shown.press("PageDown", "PageDown", "PageDown", "PageDown", "PageDown", "PageUp")  # faster than they are unpacked
    wait_until(shown.page, f"{number} === 4")
    assert shown.page.input_value("#environment") == "2"
    shown.page.focus("#environment")
    shown.press("ArrowUp")
    wait_until(shown.page, f"{number} === 3")
    assert shown.frame == 0
    shown.page.evaluate("document.activeElement.blur()")
    shown.press("ArrowRight", "ArrowRight", "PageDown")
    wait_until(shown.page, f"{number} === 4")
    assert shown.frame == 2
    shown.press("Space")
    wait_until(shown.page, "Number(slider.value) !== 2")
    shown.press("PageUp")
    wait_until(shown.page, f"{number} === 3")
    at = shown.frame
    wait_until(shown.page, f"Number(slider.value) !== {at}")
    assert shown.page.get_attribute("#play", "aria-label") == "Pause"
    assert shown.log == []
    shown.page.close()


def test_colours_and_forces_are_the_same_for_all_and_the_view_but_of_what_flies_away(chromium, recorded):
    shown = Shown(chromium, recorded[0] / "run.html")
    camera, at_start = "window.viewer.camera.position.toArray()", None
    found = {}
    for number in (5, *DRAWN):
        choose(shown, number)
        found[number] = shown.page.evaluate("window.viewer.record.facts")
        left, top, right, bottom = shown.box("#canvas")
        for row in (0, ROWS):
            shown.move_slider(row)
            x, y, z = shown.page.evaluate("window.viewer.bodies[0].position.toArray()")
            u, v = shown.place([x, y, z])
            assert left < u < right and top < v < bottom
        if number != 5:
            at_start = at_start or shown.page.evaluate(camera)
            np.testing.assert_allclose(shown.page.evaluate(camera), at_start, atol=1e-9)
    for name in ("max_pressure", "newtons_per_metre"):
        assert len({found[number][name] for number in DRAWN}) == 1
    assert len({found[number]["radius"] for number in (0, 3, 4)}) == 1
    assert found[5]["radius"] > 5 * found[0]["radius"]
    shown.page.close()


def test_one_environment_has_no_chooser(chromium, recorded):
    folder = recorded[0]
    shown = Shown(chromium, folder / "one.html")
    assert shown.page.is_hidden("#environments")
    assert "Page Up" not in shown.page.inner_text("#keys")
    shown.press("PageDown", "PageUp")
    assert shown.page.evaluate("window.viewer.record.facts.environment") == 3
    assert shown.page.get_attribute("#canvas", "aria-label").startswith("run.npz at 0.000 s: ")
    assert shown.log == []
    shown.page.close()


def test_without_webgl_the_numbers_change_too(chromium, recorded, tmp_path):
    page = (recorded[0] / "run.html").read_text(encoding="utf-8")
    disabled = '<script>HTMLCanvasElement.prototype.getContext = () => null;</script><script id="glb"'
    (tmp_path / "page.html").write_text(page.replace('<script id="glb"', disabled, 1), encoding="utf-8")
    shown = Shown(chromium, tmp_path / "page.html")
    shown.page.select_option("#environment", label="5")
    wait_until(shown.page, "canvas.ariaLabel.includes('environment 5')")
    assert shown.page.locator("#pairs tbody tr:not([hidden])").count() == 1, "the other ball alone"
    assert shown.log == []
    shown.page.close()


def test_several_are_smaller_than_their_pages(recorded):
    folder = recorded[0]
    assert (folder / "run.html").stat().st_size < 1.25 * (folder / "one.html").stat().st_size


def test_the_command_writes_the_same_page(recorded, program, tmp_path):
    folder, scene, _ = recorded
    (tmp_path / "scene.json").write_text(json.dumps(thrown()))
    arguments = ["render", tmp_path / "scene.json", "--states", folder / "run.npz", "--env", "0,3-5"]
    out = tmp_path / "page.html"
    done = subprocess.run(
        [program, *map(str, arguments), "-o", str(out)], check=True, capture_output=True, text=True
    ).stdout
    assert f"{ROWS + 1} of each of 4 environments, 0 to 0.16 s" in done
    found = []
    for page in (out, folder / "run.html"):
        numbers, packed = re.search(
            r'<script id="glb" .* data-environments="(.*)">(.*)</script>', page.read_text(encoding="utf-8")
        ).groups()
        assert [int(number) for number in numbers.split()] == DRAWN
        assert len(packed.split()) == len(DRAWN)
        found.append(Glb(gzip.decompress(base64.b64decode(packed.split()[0]))))
    assert found[0].facts == found[1].facts | {"title": "scene.json, run.npz"}
    for ending in (".glb", ".png"):
        wrong = subprocess.run(
            [program, *map(str, arguments), "-o", str(tmp_path / f"x{ending}")], capture_output=True, text=True
        )
        assert wrong.returncode == 2
        assert "--env 0,3-5: " in wrong.stderr and "write a page (.html)" in wrong.stderr


def test_in_python_several_are_a_page_alone_and_numbers_are_checked(recorded, tmp_path):
    simulator = isopatch.Simulator(recorded[1], 3, threads=1)
    with simulator.record() as recording:
        simulator.step(2)
        several, one = recording.render(environment=range(1, 3)), recording.render(environment=np.array([2]))
        wrong = {
            "environment 3: the recording has 3, numbered from 0": [0, 3],
            "environment -1: the recording has 3, numbered from 0": -1,
            "environment 1 is there 2 times": (1, 1),
            "expected one or several, found none": [],
        }
        for message, environment in wrong.items():
            with pytest.raises(ValueError, match=re.escape(message)):
                recording.render(environment=environment)
        with pytest.raises(TypeError, match="expected an integer, found str"):
            recording.render(environment="1")
    assert Glb(one.glb).facts["environment"] == 2
    with pytest.raises(ValueError, match="glb shows one environment, and this picture has 2"):
        several.glb  # noqa: B018
    for ending in (".glb", ".png"):
        with pytest.raises(ValueError, match="shows one environment, and this picture has 2"):
            several.save(tmp_path / f"x{ending}")
    assert html.escape(several.html[-20:], quote=True) in several._repr_html_()
    assert list(tmp_path.iterdir()) == []


def test_titles_are_the_names_of_files(tmp_path):
    scene = isopatch.Scene(thrown())
    (tmp_path / "ball.json").write_text(json.dumps(thrown()))
    read = isopatch.Scene(tmp_path / "ball.json")

    def title(picture):
        return re.search("<title>(.*)</title>", picture.html)[1]

    assert title(scene.render()) == "scene"
    assert title(read.render()) == "ball.json"
    assert title(read.render(title="a ball")) == "a ball"
    outputs = ("packed_polygons", "polygon_offsets")
    for of, expected in ((scene, "scene"), (read, "ball.json")):
        results = isopatch.Evaluator(of).evaluate(of.default_poses[None], outputs=outputs)
        assert title(results.render(of, of.default_poses[None])) == expected
    for of, path, expected in (
        (scene, None, "recording"),
        (read, None, "ball.json"),
        (scene, tmp_path / "run.npz", "run.npz"),
        (read, tmp_path / "run.npz", "ball.json, run.npz"),
    ):
        with isopatch.Simulator(of, threads=1).record(path) as recording:
            assert title(recording.render()) == expected
            assert title(recording.render(title="mine")) == "mine"

# SPDX-License-Identifier: Apache-2.0
"""Pages in Chromium without a network."""

import contextlib
import io
import os
import shutil
import time

import numpy as np
import pytest

SCREENS = {
    "desktop": {"width": 1280, "height": 800},
    "upright": {"width": 390, "height": 844, "has_touch": True, "is_mobile": True},
    "lying": {"width": 844, "height": 390, "has_touch": True, "is_mobile": True},
}
BACKGROUNDS = {"light": (255, 255, 255), "dark": (23, 25, 28)}


@contextlib.contextmanager
def started_chromium():
    """Skips, aloud, if there is none."""
    playwright = pytest.importorskip("playwright.sync_api")
    pytest.importorskip("PIL")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    options = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    if os.geteuid() == 0:
        options.append("--no-sandbox")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=options)
        browser.new_page().close()  # the first one waits for the browser
        yield browser
        browser.close()


def wait_until(page, expression, seconds=60):
    """Asks until it is true. Playwright's own way is evaluated in the page, whose policy does not allow that."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"{expression} is not true after {seconds} s"
        time.sleep(0.02)


class Shown:
    """A page in the browser, with what it asked for and printed."""

    def __init__(self, browser, path, width=900, height=600, **options):
        self.page = browser.new_page(viewport={"width": width, "height": height}, offline=True, **options)
        self.log = []
        own = path.resolve().as_uri()
        self.page.on("request", lambda request: request.url != own and self.log.append(request.url[:80]))
        self.page.on("console", lambda message: self.log.append(message.text))
        self.page.on("pageerror", lambda error: self.log.append(str(error)))
        start = time.monotonic()
        self.page.goto(own)
        wait_until(self.page, "window.ready === true")
        self.seconds = time.monotonic() - start

    def pixels(self):
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")).astype(int)

    def move_slider(self, frame):
        move = "slider.value = frame; slider.dispatchEvent(new Event('input'));"
        self.page.evaluate(f"frame => {{ const slider = document.getElementById('slider'); {move} }}", frame)

    @property
    def frame(self):
        return int(self.page.input_value("#slider"))

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def box(self, selector):
        """Left, top, right and bottom in pixels; None if it is hidden."""
        box = self.page.locator(selector).bounding_box()
        return box and (box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])

    def place(self, point):
        """Where in the page a point of the world with z up is [pixels]."""
        x, y, z = map(float, point)
        left, top, right, bottom = self.box("#canvas")
        project = "new THREE.Vector3(x, z, -y).project(window.viewer.camera).toArray()"
        u, v, _ = self.page.evaluate(f"([x, y, z]) => {project}", [x, y, z])
        return left + (u + 1) / 2 * (right - left), top + (1 - v) / 2 * (bottom - top)

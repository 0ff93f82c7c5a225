#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the rollout of bench/scenes/mallet.json as a moving picture, grip.gif: two soft pads grasp a mallet by its
handle, lift it, and let it turn between them by pressing less.

Beside it is the patch on the pad in front, coloured by pressure, and what it carries. --frames DIR also writes every
frame as PNG. NumPy, matplotlib and Pillow are installed in build/.venv where they are missing.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import plotting  # noqa: E402

plotting.import_or_install(PIL="Pillow")

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
import render_patches  # noqa: E402
import shading  # noqa: E402
from PIL import Image, ImageDraw, ImageFont  # noqa: E402
from rollout_runs import SCENES  # noqa: E402

FRAME = 0.04  # s, also from picture to picture
SIZE, PANEL = (520, 380), 220  # of the scene, and the width of what is beside it
PATCH = 0.033  # m of the patch beside it
HAND, LEFT, RIGHT, MALLET = range(4)
PAIR_IN_FRONT = 1  # of the right pad and the mallet
GREY = (70, 70, 70)
PRESSURES = matplotlib.colormaps["turbo"]
COLORS = {
    "metal": np.array([0.62, 0.65, 0.69]),
    "pad": np.array([0.45, 0.7, 0.97]),
    "handle": np.array([0.87, 0.68, 0.43]),
    "head": np.array([0.78, 0.36, 0.27]),
}


def rollout(program, scene, folder):
    """The rows of the rollout, and the files of bodies and patches, one a frame."""
    every = round(FRAME / json.loads(scene.read_text())["rollout"]["time_step"])
    command = [program, "rollout", scene, "--every", every, "--vtk", folder, "--output", folder / "rows.npz"]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    with np.load(folder / "rows.npz") as rows:
        return dict(rows)


def parts_of(bodies):
    """Parts of the scene as they follow each other in a file of bodies: [(body, name, triangles, normals)]."""
    solid = [i for i, polygon in enumerate(bodies["polygons"]) if len(polygon) == 3]  # a half space is a square
    corners, owner = np.array([bodies["polygons"][i] for i in solid]), bodies["body"][solid].astype(int)
    box = 12
    found = [(HAND, "metal", corners[owner == HAND])]
    for finger in (LEFT, RIGHT):
        own = corners[owner == finger]
        found += [(finger, "pad", own[:-box]), (finger, "metal", own[-box:])]
    own = corners[owner == MALLET]
    found += [(MALLET, "handle", own[:box]), (MALLET, "head", own[box:])]
    return [(*part, shading.smooth_normals(bodies["points"], part[2])) for part in found]


def rotation(quaternion):
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * (w * cross + cross @ cross)


def draw_scene(camera, points, parts, patches, largest):
    picture = shading.Picture(camera, np.concatenate([points[triangles] for _, triangles, _ in parts]))
    for name, triangles, normal in parts:
        if name != "pad":
            gloss = 0.25 if name == "metal" else 0.1
            picture.draw(points, triangles, [COLORS[name]] * len(triangles), normal, gloss)
    shapes, colors = patch_triangles(patches, patches["points"], range(len(patches["polygons"])), largest)
    if len(shapes):
        picture.draw(shapes.reshape(-1, 3), np.arange(3 * len(shapes)).reshape(-1, 3), colors, lift=0.004)
    for name, triangles, normal in parts:
        if name == "pad":
            picture.draw_glass(points, triangles, COLORS[name], normal)
    return picture.image()


def patch_triangles(patches, points, chosen, largest):
    """Triangles [n, 3, dimensions] of the polygons and their colours [n, 3]."""
    shapes, values = [np.zeros((0, 3, points.shape[1]))], [np.zeros(0)]
    for polygon in (patches["polygons"][i] for i in chosen):
        for k in range(1, len(polygon) - 1):
            fan = polygon[[0, k, k + 1]]
            shape, value = render_patches.fine_triangles(points[fan], patches["pressure"][fan], 6 * largest)
            shapes.append(shape)
            values.append(value)
    return np.concatenate(shapes), PRESSURES(np.clip(np.concatenate(values) / largest, 0, 1))[:, :3]


def draw_patch(patches, center, largest, side):
    """The patch of the pad in front, seen along its normal: `side` metres fill the square of the panel."""
    fine = shading.FINE * (PANEL - 40)
    colors = np.ones((fine, fine, 3))
    chosen = np.flatnonzero(patches["pair"] == PAIR_IN_FRONT) if len(patches["polygons"]) else []
    flat = np.stack([patches["points"][:, 0] - center[0], center[2] - patches["points"][:, 2]], -1)
    flat = fine * (0.5 + flat / side)
    shapes, shades = patch_triangles(patches, flat, chosen, largest)
    for corners, color in zip(shapes, shades):
        found = shading.pixels_of(corners, fine, fine)
        if found is not None:
            colors[found[0], found[1]] = color
    image = Image.fromarray(np.rint(255 * colors).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for polygon in (patches["polygons"][i] for i in chosen):
        draw.line([tuple(flat[v]) for v in np.append(polygon, polygon[0])], fill=(60, 60, 60), width=1)
    return image.resize((fine // shading.FINE,) * 2, Image.Resampling.BOX)


def font(size, bold=False):
    folder = Path(matplotlib.get_data_path()) / "fonts/ttf"
    return ImageFont.truetype(str(folder / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")), size)


def draw_bar(draw, x, y, width, largest):
    for i in range(width):
        color = tuple(int(255 * c) for c in PRESSURES(i / (width - 1))[:3])
        draw.line([(x + i, y), (x + i, y + 8)], fill=color)
    draw.text((x, y + 11), "0", font=font(11), fill=GREY)
    draw.text((x + width, y + 11), f"{largest / 1e3:.0f} kPa", font=font(11), fill=GREY, anchor="ra")


def draw_panel(image, patches, pad, wrench, largest):
    """The patch of the pad in front, and what it carries: `wrench` is on the pad, about its middle."""
    draw, x, right = ImageDraw.Draw(image), SIZE[0] + 20, SIZE[0] + PANEL - 21
    draw.text((x, 26), "patch on the pad in front", font=font(12), fill=GREY)
    image.paste(draw_patch(patches, pad, largest, PATCH), (x, 52))
    draw.rectangle([x, 52, right + 1, 52 + PANEL - 40], outline=(200, 200, 200))
    draw_bar(draw, x, 244, PANEL - 41, largest)
    carried = [("squeeze", f"{abs(wrench[1]):.1f} N"), ("torque", f"{abs(1e3 * wrench[4]):.0f} mN m")]
    for y, (name, value) in zip((286, 310), carried):
        draw.text((x, y), name, font=font(13), fill=GREY)
        draw.text((right, y), value, font=font(13, True), fill=(30, 30, 30), anchor="ra")
    draw.text((right, 330), "of a point contact: 0", font=font(11), fill=(130, 130, 130), anchor="ra")


def draw_frames(rows, patches, bodies):
    highest = max(of_frame["pressure"].max() for of_frame in patches if len(of_frame["polygons"]))
    largest = 5e3 * np.ceil(highest / 5e3)
    camera = shading.Camera((0.30, -0.62, 0.33), (0.015, 0, 0.104), SIZE, 0.36)
    parts = parts_of(bodies[0])
    images = []
    for i, poses in enumerate(rows["poses"][:, 0]):
        turned = [rotation(now[3:]) @ rotation(before[3:]).T for now, before in zip(poses, rows["poses"][0, 0])]
        posed = [(name, triangles, normals @ turned[body].T) for body, name, triangles, normals in parts]
        image = Image.new("RGB", (SIZE[0] + PANEL, SIZE[1]), "white")
        image.paste(Image.fromarray(draw_scene(camera, bodies[i]["points"], posed, patches[i], largest)))
        wrench = rows["pair_wrench"][i, 0, PAIR_IN_FRONT]
        draw_panel(image, patches[i], poses[RIGHT, :3], wrench, largest)
        images.append(image)
    return images


def write(images, path):
    """A GIF that repeats, with one palette for all frames; says how large it is."""
    some = images[:: max(1, len(images) // 12)]
    strip = Image.new("RGB", (some[0].width, some[0].height * len(some)))
    for k, image in enumerate(some):
        strip.paste(image, (0, k * image.height))
    palette = strip.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    found = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    times = [round(1000 * FRAME)] * (len(found) - 1) + [1200]
    found[0].save(path, save_all=True, append_images=found[1:], duration=times, loop=0, optimize=True, disposal=1)
    print(f"{path}: {len(found)} frames, {path.stat().st_size / 1e6:.2f} MB")


def main():
    parser = plotting.argument_parser(__doc__)
    parser.add_argument("--frames", type=Path, help="a folder for the frames")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        rows = rollout(arguments.program.resolve(), SCENES / "mallet.json", folder)
        files = [f"0000_{i:06d}.vtk" for i in range(len(rows["time"]))]
        patches = [render_patches.read_vtk(folder / f"patches_{file}") for file in files]
        bodies = [render_patches.read_vtk(folder / f"bodies_{file}") for file in files]
    images = draw_frames(rows, patches, bodies)
    if arguments.frames:
        arguments.frames.mkdir(parents=True, exist_ok=True)
        for i, image in enumerate(images):
            image.save(arguments.frames / f"{i:03d}.png")
    write(images, arguments.output / "grip.gif")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""An egg that two soft pads lift: by MuJoCo's defaults, by options that were tuned for it, and by patches as they are.

Prints how high the egg is and by how much it creeps; with a path, writes a film of the three at twice the speed. Needs
isopatch and MuJoCo, and for a film imageio and a way to draw, as MUJOCO_GL=egl. Usage: bench/mujoco/egg.py [FILM.gif]
"""

import sys
import time

import mujoco
import numpy as np

import isopatch.mujoco

PAD = """<body pos="{x} 0 -.09"><joint name="{name}" type="slide" axis="{axis} 0 0" damping="2"/>
<geom name="{name}" type="box" size=".008 .02 .03" mass=".1" friction="1" condim="{condim}"
rgba=".05 .2 .6 .22"/></body>"""
EGG = """<mujoco><option timestep=".002" {option}/>
<visual><global offwidth="400" offheight="480"/>
<headlight ambient=".65 .65 .65" diffuse=".35 .35 .35" specular="0 0 0"/></visual>
<asset><texture name="sky" type="skybox" builtin="flat" rgb1="1 1 1" width="8" height="48"/></asset><worldbody>
<geom name="floor" type="plane" size=".12 .12 .1" rgba=".97 .97 .97 1" condim="{condim}"/>
<body name="egg" pos="0 0 .03"><freejoint/><geom name="egg" type="ellipsoid" size=".022 .022 .029" mass=".08"
friction=".8" condim="{condim}" rgba=".75 .35 .05 .3"/></body>
<body pos="0 0 .12"><joint name="lift" type="slide" axis="0 0 1" damping="20"/>
<geom type="box" size=".06 .02 .01" mass=".5" rgba=".35 .35 .4 1" contype="0" conaffinity="0"/>
{left}{right}</body></worldbody>
<actuator><position joint="lift" kp="2000"/><motor joint="left"/><motor joint="right"/></actuator></mujoco>"""
PRESS, RISE = 5.0, 0.1  # N, m
CONTACTS = {
    "MuJoCo's defaults": {},
    "MuJoCo, tuned": {"option": 'cone="elliptic" impratio="10" noslip_iterations="10"', "condim": 4},
    "patches": {"option": 'cone="elliptic"'},
}


def model_of(option="", condim=3):
    pads = {
        name: PAD.format(name=name, x=x, axis=axis, condim=condim)
        for name, x, axis in (("left", -0.035, 1), ("right", 0.035, -1))
    }
    return mujoco.MjModel.from_xml_string(EGG.format(option=option, condim=condim, **pads))


class Grip:
    """A hand and an egg."""

    def __init__(self, contacts):
        self.model = model_of(**CONTACTS[contacts])
        self.data, self.seconds = mujoco.MjData(self.model), 0.0
        pairs = [("egg", name) for name in ("left", "right", "floor")]
        self.bridge = isopatch.mujoco.Bridge(self.model, pairs=pairs, modulus=2e5) if contacts == "patches" else None

    @property
    def height(self):
        """Of the egg over where it was, m."""
        return float(self.data.body("egg").xpos[2]) - 0.03

    def step(self):
        data = self.data
        data.ctrl[:] = RISE * np.clip((data.time - 0.6) / 0.8, 0, 1), PRESS, PRESS
        began = time.thread_time()
        if self.bridge is None:
            mujoco.mj_step(self.model, data)
        else:
            self.bridge.step(self.model, data)
        self.seconds += time.thread_time() - began


def table():
    print(f"isopatch {isopatch.__version__}, MuJoCo {mujoco.mj_versionString()}; an egg of 80 g, {PRESS:g} N a pad")
    print("  contact            up at 3 s, 6 s [mm]  moves in the last second [um]  us a step")
    for contacts in CONTACTS:
        grip, heights = Grip(contacts), []
        for _ in range(3000):
            grip.step()
            heights.append(1e3 * grip.height)
        moved = 1e3 * abs(heights[-1] - heights[-501])
        print(
            f"  {contacts:17}  {heights[1499]:8.0f} {heights[-1]:6.0f}  {moved:29.1f}  {1e6 * grip.seconds / 3000:9.0f}"
        )


def film(path):
    import imageio
    import PIL.Image
    import PIL.ImageDraw

    camera = mujoco.MjvCamera()
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = (0, 0, 0.105), 0.33, 68, -8
    grips = [Grip(contacts) for contacts in CONTACTS]
    drawn = [mujoco.Renderer(grip.model, 360, 300) for grip in grips]
    frames = []
    for i in range(3000):
        for grip in grips:
            grip.step()
        if i % 40:
            continue
        row = []
        for name, grip, renderer in zip(CONTACTS, grips, drawn):
            renderer.update_scene(grip.data, camera)
            if grip.bridge is not None:
                grip.bridge.draw(grip.model, grip.data, renderer.scene, max_pressure=3e4)
            image = PIL.Image.fromarray(renderer.render())
            PIL.ImageDraw.Draw(image).text((150, 342), name, fill=(60, 60, 60), anchor="mm", font_size=17)
            row.append(image)
        frames.append(np.hstack(row))
    imageio.mimsave(path, frames + [frames[-1]] * 15, duration=40, loop=0)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        film(sys.argv[1])
    else:
        table()

# SPDX-License-Identifier: Apache-2.0
"""What is held keeps still: near the limit of friction, off the middle, by light and heavy hands."""

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

from isopatch.mujoco import Bridge  # noqa: E402

# of the hands' own drives
pytestmark = pytest.mark.filterwarnings("ignore::isopatch.mujoco.DampingWarning")

MOST = 1e-6  # m/s
HAND = """<mujoco><option timestep="{step}" cone="elliptic" integrator="implicitfast"/>
<default><geom type="box" friction="1"/></default><worldbody>
  <body name="hand" pos="0 0 .5"><joint name="lift" type="slide" axis="0 0 1" damping="500"/>
    <joint name="turn" type="hinge" axis="0 1 0" damping="50"/>
    <geom size=".1 .1 .1" pos="0 0 .2" mass="{mass}" contype="0" conaffinity="0"/>
    <body pos="-.0245 0 0"><joint name="left" type="slide" axis="1 0 0" damping="10" armature=".1"/>
      <geom name="l1" size=".004 .008 .004" pos="0 0 .005" mass=".01"/>
      <geom name="l2" size=".004 .008 .004" pos="0 0 -.005" mass=".01"/></body>
    <body pos=".0245 0 0"><joint name="right" type="slide" axis="-1 0 0" damping="10" armature=".1"/>
      <geom name="r1" size=".004 .008 .004" pos="0 0 .005" mass=".01"/>
      <geom name="r2" size=".004 .008 .004" pos="0 0 -.005" mass=".01"/></body></body>
  <body name="cube" pos="0 {off} .5"><freejoint/><geom name="cube" size=".02 .02 .02" mass=".1"/></body></worldbody>
  <actuator><position joint="lift" kp="50000"/><position joint="turn" kp="5000"/>
    <motor joint="left"/><motor joint="right"/></actuator></mujoco>"""

# Masses and gains of Franka's hand, as published in MuJoCo Menagerie's panda/hand.xml
PANDA = """<mujoco><option timestep="{step}" cone="elliptic" integrator="implicitfast" impratio="10"/><worldbody>
  <body name="hand" pos="0 0 .5" quat="0 1 0 0"><joint name="lift" type="slide" axis="0 0 1" damping="500"/>
    <inertial mass=".73" pos="-.01 0 .03" diaginertia=".001 .0025 .0017"/>
    <body name="left" pos="0 0 .0584"><inertial mass=".015" pos="0 0 0" diaginertia="2.375e-6 2.375e-6 7.5e-7"/>
      <joint name="finger1" axis="0 1 0" type="slide" range="0 .04" armature=".1" damping="1"/>
      <geom name="l1" type="box" size=".0085 .004 .0085" pos="0 .0055 .0445"/></body>
    <body name="right" pos="0 0 .0584" quat="0 0 0 1"><inertial mass=".015" pos="0 0 0"
        diaginertia="2.375e-6 2.375e-6 7.5e-7"/>
      <joint name="finger2" axis="0 1 0" type="slide" range="0 .04" armature=".1" damping="1"/>
      <geom name="r1" type="box" size=".0085 .004 .0085" pos="0 .0055 .0445"/></body></body>
  <body name="cube" pos="{off} 0 .3971"><freejoint/><geom name="cube" type="box" size=".02 .02 .02" mass=".1"/></body>
</worldbody>
<contact><exclude body1="hand" body2="left"/><exclude body1="hand" body2="right"/></contact>
<tendon><fixed name="split"><joint joint="finger1" coef=".5"/><joint joint="finger2" coef=".5"/></fixed></tendon>
<equality><joint joint1="finger1" joint2="finger2" solimp=".95 .99 .001" solref=".005 1"/></equality>
<actuator><position joint="lift" kp="50000"/><general name="grip" tendon="split" forcerange="-100 100"
  ctrlrange="0 255" gainprm=".01568627451 0 0" biastype="affine" biasprm="0 -100 -10"/></actuator></mujoco>"""


def creep(model, data, seconds=3.0):
    """How fast the cube moves from its hand in the last half second, m/s."""
    names = [name for name in ("l1", "l2", "r1", "r2") if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name) >= 0]
    bridge = Bridge(model, pairs=[(name, "cube") for name in names], modulus=dict.fromkeys(names, 1e6) | {"cube": 1e7})
    step, places = model.opt.timestep, []
    for i in range(round(seconds / step)):
        bridge.step(model, data)
        if i >= round((seconds - 0.5) / step) - 1:
            places.append(data.body("cube").xpos - data.body("hand").xpos)
    assert bridge.forces(model, data).force[:, 2].sum() == pytest.approx(-0.981, rel=1e-3)  # it is held
    return np.linalg.norm(places[-1] - places[0]) / 0.5


@pytest.mark.parametrize("off, use", [(0.001, 0.95), (0.003, 0.8)])
@pytest.mark.parametrize("mass, step", [(0.1, 0.002), (2, 0.005), (20, 0.002)])
def test_cube_near_the_limit_of_friction_keeps_still_with_mujocos_own_tolerance(mass, step, off, use):
    """MuJoCo's tolerance is of a scale that grows with the mass of the hand: 835 um/s for 20 kg, 3 mm off."""
    model = mujoco.MjModel.from_xml_string(HAND.format(mass=mass, off=off, step=step))
    data = mujoco.MjData(model)
    data.ctrl[2:] = 0.1 * 9.81 / 2 / use  # N
    tolerance = model.opt.tolerance
    assert creep(model, data) < MOST
    assert model.opt.tolerance == tolerance


@pytest.mark.parametrize("step", [0.002, 0.005])
def test_hand_as_frankas_holds_a_cube_still(step):
    model = mujoco.MjModel.from_xml_string(PANDA.format(off=0.003, step=step))
    data = mujoco.MjData(model)
    for finger in ("finger1", "finger2"):
        data.joint(finger).qpos[0] = 0.0205
    assert creep(model, data) < MOST

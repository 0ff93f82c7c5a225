# SPDX-License-Identifier: Apache-2.0
"""Models of tests, as MJCF."""

import mujoco


def model_of(bodies: str, option: str = "", flags: str = "", rest: str = "") -> mujoco.MjModel:
    """Bodies above a floor, 2 ms a step, with elliptic cones."""
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep=".002" cone="elliptic" {option}><flag {flags}/></option>
        <worldbody><geom name="floor" type="plane" size="1 1 1" friction=".5"/>{bodies}</worldbody>{rest}</mujoco>"""
    )


def free(name: str, x: float = 0.0, z: float = 0.0249, geom: str = 'type="box" size=".025 .025 .025"') -> str:
    """A free body of .1 kg with a geom of the same name, by default a cube 0.1 mm in the floor."""
    return (
        f'<body name="{name}" pos="{x} 0 {z}"><freejoint name="{name}"/>'
        f'<geom name="{name}" {geom} mass=".1" friction=".5"/></body>'
    )


def bits(data: mujoco.MjData) -> list[bytes]:
    """Of what a step leaves."""
    names = "qpos qvel qacc qacc_warmstart sensordata energy xpos xquat qfrc_constraint xfrc_applied qfrc_applied"
    return [getattr(data, name).tobytes() for name in names.split()]

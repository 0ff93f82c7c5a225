# SPDX-License-Identifier: Apache-2.0
"""The law of a single contact, for arrays of contacts."""

import re

import numpy as np
import pytest

import isopatch

LAW = {"stiffness": 1e5, "exponent": 1, "friction": 0.5, "friction_model": "bristle"}
UP = [0.0, 0.0, 1.0]


def cap(height: float, radius: float = 0.1) -> isopatch.Overlap:
    """What a ball at (0.01, 0.02, height) has in common with the half space z <= 0."""
    h = radius - height
    volume = np.pi * h**2 * (radius - h / 3)
    along = np.pi * h**4 * (radius**2 / 18 - radius * h / 30 + h**2 / 240) / (radius - h / 3)
    across = np.pi * h**3 * (20 * radius**2 - 15 * radius * h + 3 * h**2) / 60
    deep = h * (4 * radius - h) / (4 * (3 * radius - h))
    area = np.pi * h * (2 * radius - h)
    return isopatch.Overlap(volume, [0.01, 0.02, -deep], [across, across, along, 0, 0, 0], [0, 0, area])


def test_one_step_of_a_ball_on_a_table():
    law = {
        "stiffness": 1e7,
        "restitution": 0.5,
        "friction": 0.05,
        "friction_model": "bristle",
        "bristle": {"damping": np.sqrt(1e5), "dwell_time": 0.3, "static_ratio": 1.6},
        "bristle_flow": "always",
    }
    found = isopatch.single_contact(
        cap(0.0975),
        [[-3e-4, -1.5e-3, 0, 0.012, -0.004, 0.002], [0] * 6],
        law,
        contact_state=[0.3, 0, 2e-7, -1e-7, 0, 1e-5, 0.4, 0.1],
        time_step=1e-3,
        origins=[[0.01, 0.02, 0.0975], [0, 0, 0]],
    )
    assert found.wrench.shape == (6,) and found.damping_matrix.shape == (6, 6)
    expected = [-0.4414127534, 1.110385829, 19.47132947, 0.10909786, 0.04343703481, -0.00220825679]
    assert np.abs(found.wrench - expected).max() < 1e-8  # as it is printed
    assert found.contact_state[6] == pytest.approx(0.4016447905, abs=1e-10)
    assert found.radius == pytest.approx(0.01284257461, abs=1e-11)
    assert np.allclose(found.friction_force[:2], found.wrench[:2], atol=1e-12)


def test_rows_have_the_bits_of_each_contact_alone():
    n = 50
    random = np.random.default_rng(1)
    contact = isopatch.Depth(random.uniform(-1e-3, 1e-3, n), random.uniform(-1, 1, (n, 3)), UP)
    twists = random.uniform(-1e-2, 1e-2, (n, 2, 6))
    friction = random.uniform(0, 1, n)
    first = isopatch.single_contact(contact, twists, {**LAW, "friction": friction}, time_step=1e-3)
    found = isopatch.single_contact(
        contact, twists, {**LAW, "friction": friction}, contact_state=first.contact_state, time_step=1e-3
    )
    for i in range(n):
        alone = isopatch.single_contact(
            isopatch.Depth(contact.depth[i], contact.point[i], UP),
            twists[i],
            {**LAW, "friction": friction[i]},
            contact_state=first.contact_state[i],
            time_step=1e-3,
        )
        for all_rows, one in zip(found, alone, strict=True):
            assert (all_rows[i] == one).all()
    none = contact.depth <= 0
    assert 10 < none.sum() < 40
    assert not found.wrench[none].any() and not found.contact_state[none].any()
    assert (found.wrench[~none][:, 2] > 0).all()


def test_leading_axes_are_broadcast():
    depth = np.full((3, 1), 1e-3)
    twists = np.zeros((4, 2, 6), np.float32)
    found = isopatch.single_contact(isopatch.Depth(depth, [0, 0, 0], UP), twists, {"stiffness": [1e5, 2e5, 3e5, 4e5]})
    assert found.wrench.shape == (3, 4, 6) and found.radius.shape == (3, 4)
    expected = np.array([1e5, 2e5, 3e5, 4e5]) * 1e-3**1.5
    assert np.allclose(found.wrench[..., 2], expected, rtol=1e-14)
    nothing = isopatch.single_contact(isopatch.Depth(np.zeros(0), [0, 0, 0], UP), twists[0], LAW)
    assert nothing.wrench.shape == (0, 6)


def test_rebound_is_the_restitution():
    restitution = np.array([0.1, 0.5, 0.9])
    law = {"stiffness": 1e6, "restitution": restitution}
    depth, speed, h = np.full(3, 1e-12), np.full(3, -1.0), 5e-7
    state, left = None, np.zeros(3)
    twists = np.zeros((3, 2, 6))
    for _ in range(10000):
        twists[:, 0, 2] = speed
        found = isopatch.single_contact(
            isopatch.Depth(depth, [0, 0, 0], UP), twists, law, contact_state=state, time_step=h
        )
        state = found.contact_state
        speed = speed + h * found.wrench[:, 2] / 0.5e-3
        depth = depth - h * speed
        ended = (depth <= 0) & (left == 0)
        left[ended] = speed[ended]
        if (left > 0).all():
            break
    assert np.abs(left / restitution - 1).max() < 5e-3  # of steps that are explicit


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"contact": 3}, TypeError, "contact: expected an isopatch.Overlap or an isopatch.Depth, found int"),
        ({"law": {"stifness": 1}}, ValueError, "law: unknown key 'stifness'; expected one of stiffness, exponent"),
        ({"law": {}}, ValueError, "law: stiffness is missing; expected N/m^3"),
        ({"law": {**LAW, "bristle": {"damp": 1}}}, ValueError, "law: bristle: unknown key 'damp'; expected one of"),
        ({"law": {**LAW, "latch": "last"}}, ValueError, 'law: latch: expected "first" or "largest", found \'last\''),
        ({"law": {**LAW, "normal": "up"}}, ValueError, 'law: normal: expected "inertia" or "area"'),
        ({"law": {**LAW, "friction_model": 1}}, ValueError, 'friction_model: expected "coulomb" or "bristle", found 1'),
        ({"law": {**LAW, "bristle_flow": "never"}}, ValueError, 'expected "near_limit" or "always", found \'never\''),
        (
            {"law": {"stiffness": 1, "bristle_flow": "always"}},
            ValueError,
            "bristle_flow is given, but friction_model is",
        ),
        ({"law": {**LAW, "restitution": 0}}, ValueError, "restitution is 0; it must be above 0 and at most 1"),
        ({"law": {**LAW, "exponent": 0.5}}, ValueError, "law.exponent is 0.5; it must be from 1 to 64"),
        ({"law": {**LAW, "stiffness": "soft"}}, TypeError, "law: stiffness: expected numbers, found 'soft'"),
        ({"velocities": np.zeros((2, 5))}, ValueError, "velocities: expected the shape [..., 2, 6], found [2, 5]"),
        (
            {"velocities": np.full((2, 6), np.nan)},
            ValueError,
            "velocities: expected finite numbers, found nan at [0, 0]",
        ),
        ({"contact_state": np.zeros(7)}, ValueError, "contact_state: expected the shape [..., 8], found [7]"),
        ({"contact_state": [1, 0, 0, 0, 0, 0, 1.5, 0]}, ValueError, "state[6] (dwell) is 1.5; it must be from 0 to 1"),
        ({"contact_state": [-1, 0, 0, 0, 0, 0, 0, 0]}, ValueError, "state[0] (impact speed) is -1"),
        ({"time_step": -1}, ValueError, "time_step is -1; it must be finite and not negative"),
        ({"time_step": [1, 2]}, ValueError, "time_step: expected one number, found the shape [2]"),
        ({"contact": isopatch.Depth(1e-3, [0, 0, 0], [0, 0, 2])}, ValueError, "the length of depth.normal is 2"),
        (
            {"contact": isopatch.Depth(np.ones(3), np.zeros((2, 3)), UP)},
            ValueError,
            "leading axes [2] do not fit the [3]",
        ),
    ],
)
def test_bad_input_is_named(change, error, message):
    given = {"contact": isopatch.Depth(1e-3, [0, 0, 0], UP), "velocities": np.zeros((2, 6)), "law": LAW, **change}
    with pytest.raises(error, match=re.escape(message)) as caught:
        isopatch.single_contact(given.pop("contact"), given.pop("velocities"), given.pop("law"), **given)
    assert str(caught.value).startswith("single_contact: ")


def test_an_error_of_one_among_many_says_which():
    depths = isopatch.Depth(np.full(4, 1e-3), np.zeros((4, 3)), UP)
    states = np.zeros((4, 8))
    states[2, 6] = 2
    with pytest.raises(ValueError, match=re.escape("(contact 2)")):
        isopatch.single_contact(depths, np.zeros((2, 6)), LAW, contact_state=states)

# SPDX-License-Identifier: Apache-2.0
"""The scenes that Drake's continuous plant and isopatch step in time, and their meshes. Needs NumPy, but not Drake."""

import itertools

import numpy as np
from drake_rollout_cases import UPRIGHT, Body, Case, Finger
from tet_meshes import fan_sphere, positive, write_vtk

CUTS = 8  # of an edge of a box; in the stack, whose surfaces are cut by both, half as many
BRICK = (0.2, 0.1, 0.05)  # m
BAR = (0.16, 0.02, 0.04)


def cut_box(size, cuts):
    """Tets from the middle of a box to its faces, each cut into cuts x cuts rectangles of two triangles."""
    grid = np.array(list(itertools.product(range(cuts + 1), repeat=3)))
    outside = ((grid == 0) | (grid == cuts)).any(axis=1)
    numbers = {tuple(corner): i for i, corner in enumerate(grid[outside])}
    tets = []
    for axis, side in itertools.product(range(3), (0, cuts)):
        for cell in itertools.product(range(cuts), repeat=2):
            corners = [np.insert(np.add(cell, step), axis, side) for step in ((0, 0), (1, 0), (1, 1), (0, 1))]
            a, b, c, d = (numbers[tuple(corner)] for corner in corners)
            tets += [(a, b, c, len(numbers)), (a, c, d, len(numbers))]
    points = np.append(grid[outside] / cuts - 0.5, np.zeros((1, 3)), axis=0)
    return positive(points * size, tets)


class ContinuousMeshes:
    """The meshes, as files in a folder, and the programs that read them."""

    def __init__(self, folder, programs):
        self.folder, self.programs = folder, programs
        ball = fan_sphere(3)
        meshes = {"sphere": (0.05 * ball[0], ball[1]), "tip": (0.02 * ball[0], ball[1]), "bar": cut_box(BAR, 1)}
        meshes |= {"cube": cut_box((0.1, 0.1, 0.1), CUTS), "brick": cut_box(BRICK, CUTS)}
        meshes["block"] = cut_box((0.1, 0.1, 0.1), CUTS // 2)
        for name, mesh in meshes.items():
            write_vtk(self.checked_path(name), *mesh)

    def checked_path(self, name):
        return self.folder / f"{name}.vtk"


def box_inertia(mass, size):
    squares = np.square(size)
    return (mass / 12 * (squares.sum() - squares)).tolist()


def turned(orientation, vectors):
    """Vectors turned by a quaternion w, x, y, z of any length."""
    w, *v = np.divide(orientation, np.linalg.norm(orientation))
    return vectors + 2 * np.cross(v, np.cross(v, vectors) + w * np.asarray(vectors))


def box_on_a_corner(shape, modulus, size, orientation, height, velocity, spin):
    """A box of 1 kg whose lowest corner is at this height above the origin of the plane, with the velocity of that
    corner."""
    corners = turned(orientation, np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size)
    arm = -corners[np.argmin(corners[:, 2])]
    velocity = np.add(velocity, np.cross(spin, arm))
    inertia = box_inertia(1, size)
    return Body(shape, 1, modulus, (0, 0, height) + arm, orientation, velocity, spin, inertia)


class ContinuousCase(Case):
    """Also: how far a body may be from Drake's after the last step [m], and how Drake integrates."""

    def __init__(
        self, name, bodies, steps=100, bound=2e-4, scheme="radau3", accuracy=1e-6, slip_tolerance=1e-4, **values
    ):
        super().__init__(name, bodies, 1e-3, steps, slip_tolerance=slip_tolerance, **values)
        self.bound, self.scheme, self.accuracy = bound, scheme, accuracy


def continuous_cases():
    def ball(height, velocity, spin, modulus=1e6):
        return Body("sphere", 0.5, modulus, (0.01, 0.005, height), velocity=velocity, spin=spin)

    def cube(shape, height, offset=(0, 0), orientation=UPRIGHT, velocity=(0, 0, 0)):
        return Body(shape, 1, 1e6, (*offset, height), orientation, velocity)

    def thrown(modulus):
        size, orientation = (0.1, 0.1, 0.1), (1, -0.2, 0.3, 0.5)
        return box_on_a_corner("cube", modulus, size, orientation, 0.0005, velocity=(0.5, 0.1, -0.5), spin=(1, 3, 2))

    def grasp(name, force, slip_tolerance):
        fingers = [Finger("tip", 0.05, 1e5, (0, side, 0), 0.0299, force) for side in (-1, 1)]
        bar = Body("bar", 0.1, None, (0.04, 0, 0), inertia=box_inertia(0.1, BAR))
        values = {"steps": 200, "bound": 4e-4, "accuracy": 1e-5, "slip_tolerance": slip_tolerance}
        return ContinuousCase(name, [*fingers, bar], friction=0.8, dissipation=5.0, ground=False, **values)

    sliding = Body(
        "brick", 1, 1e6, (0, 0, 0.02499), velocity=(1, 0.2, 0), spin=(0, 0, 3), inertia=box_inertia(1, BRICK)
    )
    # the long side leans by 20 degrees, beyond its balance, and the lower edge is almost level
    toppling = box_on_a_corner("brick", 1e6, BRICK, (0.819, 0.01, -0.574, 0.01), -0.0001, (0, 0, 0), (0, 2, 0))
    ball_and_cube = [ball(0.1505, (0.2, 0.1, -0.5), (1, 2, 3)), cube("cube", 0.04999)]
    upper = cube("block", 0.1505, (0.004, 0.003), (1, 0, 0, 0.1), (0.3, 0.1, -0.1))

    yield ContinuousCase("ball, impact with spin", [ball(0.0505, (0.5, 0.1, -1), (6, 20, 4))])
    yield ContinuousCase("the ball with 2e5 Pa", [ball(0.0505, (0.5, 0.1, -1), (6, 20, 4), 2e5)])
    yield ContinuousCase("brick slides", [sliding])
    yield ContinuousCase("cube, thrown", [thrown(1e6)])
    yield ContinuousCase("the cube with 2e5 Pa", [thrown(2e5)])
    yield ContinuousCase("brick topples", [toppling])
    yield ContinuousCase("ball on a free cube", ball_and_cube, scheme="runge_kutta3", accuracy=1e-4)
    yield ContinuousCase(
        "stack of two, sliding", [cube("block", 0.04999), upper], scheme="runge_kutta3", accuracy=1e-4, dissipation=5.0
    )
    yield grasp("grasp off the middle", 6, 1e-4)
    yield grasp("the grasp with 3 N", 3, 1e-5)

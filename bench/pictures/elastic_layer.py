# SPDX-License-Identifier: Apache-2.0
"""Finite elements of an elastic layer that a rigid, frictionless sinusoid presses: plane strain, half a wavelength.

The layer is 1 thick and lies below z = 0, on a rigid base to which it is bonded or on which it slides; both sides are
planes of symmetry. Its constrained modulus is 1, so a stress is over that modulus. Elements are quadrilaterals with
nine nodes; nodes of the surface must not be above the sinusoid. Newton's method finds displacements, contact forces and
the nodes in contact together (a primal-dual active set).
"""

import dataclasses

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import spsolve
from skfem import Basis, BilinearForm, ElementQuad2, ElementVector, MeshQuad
from skfem.models.elasticity import linear_elasticity

POISSON = 0.3
MU = (1 - 2 * POISSON) / (2 * (1 - POISSON))  # Lame's parameters where the constrained modulus lambda + 2 mu is 1
LAMBDA = 1 - 2 * MU
MOST_ITERATIONS = 50
SMALL_STEP = (
    1e-7  # the last displacement of Newton's method is below it, and what is left is of the order of its square
)


# The laws give the first Piola-Kirchhoff stress of deformation gradients: arrays (2, 2, ...) of both. They are analytic
# functions, because tangents are derivatives by a complex step.


def linear(gradient):
    """Hooke's law for small strains."""
    strain = (gradient + gradient.swapaxes(0, 1)) / 2
    strain[0, 0] -= 1
    strain[1, 1] -= 1
    stress = 2 * MU * strain
    for i in range(2):
        stress[i, i] += LAMBDA * (strain[0, 0] + strain[1, 1])
    return stress


def true_strain(gradient):
    """Hooke's law between the Cauchy stress and the true strain ln V."""
    left = np.einsum("ij...,kj...->ik...", gradient, gradient)  # V squared
    mean = (left[0, 0] + left[1, 1]) / 2
    for i in range(2):
        left[i, i] -= mean
    square = (left[0, 0] ** 2 + left[0, 1] ** 2) / mean**2
    small = abs(square) < 1e-6
    root = np.sqrt(np.where(small, 0.25, square))
    stress = MU / mean * np.where(small, 1 + square / 3 + square**2 / 5, np.arctanh(root) / root) * left
    for i in range(2):
        stress[i, i] += (LAMBDA + MU) * np.log(determinant(gradient))
    return np.einsum("ij...,jk...->ik...", stress, cofactor(gradient))


def neo_hooke(gradient):
    """The compressible neo-Hookean material with the energy mu (I1 - 3 - 2 ln J) / 2 + lambda (ln J)^2 / 2."""
    volume = determinant(gradient)
    return MU * gradient + (LAMBDA * np.log(volume) - MU) / volume * cofactor(gradient)


def determinant(gradient):
    return gradient[0, 0] * gradient[1, 1] - gradient[0, 1] * gradient[1, 0]


def cofactor(gradient):
    """The transposed inverse times the determinant."""
    return np.array([[gradient[1, 1], -gradient[1, 0]], [-gradient[0, 1], gradient[0, 0]]])


def confined_pressure(law):
    """The pressure below a flat punch, a function of its depth."""

    def pressure(depth):
        gradient = np.zeros((2, 2, *np.shape(depth)))
        gradient[0, 0], gradient[1, 1] = 1, 1 - depth
        return -law(gradient)[1, 1]

    return pressure


def tangent(law, gradient, step=1e-30):
    """Derivatives of the stress, (2, 2) of it by (2, 2) of the gradient."""
    result = np.empty((2, 2, *gradient.shape))
    for i in range(2):
        for j in range(2):
            changed = gradient.astype(complex)
            changed[i, j] += 1j * step
            result[:, :, i, j] = law(changed).imag / step
    return result


@dataclasses.dataclass
class Contact:
    """What one depth comes to: mean pressure over the wavelength, and position and pressure of the surface's nodes."""

    force: float
    x: np.ndarray
    pressure: np.ndarray
    imbalance: float  # of the contact force and the base's reaction, over the force
    overlap: float  # the greatest of a node, or gap of one with a force
    tension: float  # the greatest of a node's force


class Layer:
    def __init__(self, columns, half_wavelength, bonded):
        heights = -(np.linspace(1, 0, 3 * columns // 4 + 1) ** 1.5)  # flatter elements at the surface
        mesh = MeshQuad.init_tensor(np.linspace(0, half_wavelength, columns + 1), heights)
        self.basis = Basis(mesh, ElementVector(ElementQuad2()), intorder=4)
        self.shape_gradients = np.stack(
            [np.broadcast_to(f[0].grad, (2, 2, *self.basis.dx.shape)) for f in self.basis.basis]
        )

        x, z = self.basis.doflocs
        every = self.basis.get_dofs(elements=np.arange(mesh.nelements))
        horizontal = np.zeros(self.basis.N, bool)
        horizontal[every.all("u^1")] = True
        side, base, top = np.minimum(x, half_wavelength - x) < 1e-9, z < -1 + 1e-9, z > -1e-9
        self.free = np.flatnonzero(~((horizontal & side) | (base & (bonded | ~horizontal))))
        self.base = np.flatnonzero(base & ~horizontal)
        surface = (np.flatnonzero(top & (horizontal == h)) for h in (True, False))
        self.surface_x, self.surface_z = (dofs[np.argsort(x[dofs])] for dofs in surface)
        self.x, self.length = x[self.surface_x], half_wavelength

    def internal_forces(self, law, displacement):
        """Forces of all degrees of freedom, and their derivatives."""
        dofs = self.basis.element_dofs
        gradient = np.einsum("aijeq,ae->ijeq", self.shape_gradients, displacement[dofs])
        for i in range(2):
            gradient[i, i] += 1
        forces = np.einsum("aijeq,ijeq->ae", self.shape_gradients, law(gradient) * self.basis.dx)

        count, elements = dofs.shape
        stiffness = np.zeros((elements, count, count))
        moduli = (tangent(law, gradient) * self.basis.dx).reshape(4, 4, elements, -1).transpose(3, 2, 0, 1)
        shapes = self.shape_gradients.reshape(count, 4, elements, -1).transpose(3, 2, 0, 1)
        for shape, modulus in zip(shapes, moduli):
            stiffness += shape @ modulus @ shape.swapaxes(1, 2)
        rows, columns = np.repeat(dofs.T, count, axis=1).ravel(), np.tile(dofs.T, count).ravel()
        matrix = sparse.csr_matrix((stiffness.ravel(), (rows, columns)), shape=(self.basis.N, self.basis.N))
        return np.bincount(dofs.ravel(), forces.ravel(), self.basis.N), matrix

    def press(self, law, amplitude, depths):
        """The contact at each of the depths, which rise; each solution starts from the last."""
        displacement, force = np.zeros(self.basis.N), np.zeros(len(self.x))
        return [self._press(law, amplitude, depth, displacement, force) for depth in depths]

    def _press(self, law, amplitude, depth, displacement, force):
        """Changes the displacement and the contact forces, which multiply the gradients of the overlap."""
        number, weight, touching = 2 * np.pi / (2 * self.length), self._weights(self.x), np.zeros(len(self.x), bool)
        step, finite = np.inf, law is not linear
        for _ in range(MOST_ITERATIONS):
            # with small strains, the sinusoid is taken at the undeformed x and pushes down
            x = self.x + displacement[self.surface_x] * finite
            overlap = displacement[self.surface_z] + depth - amplitude * (1 - np.cos(number * x))
            slope = amplitude * number * np.sin(number * x) * finite
            curvature = amplitude * number**2 * np.cos(number * x) * finite
            before, touching = touching, force / weight + overlap > 0
            force[~touching] = 0

            forces, matrix = self.internal_forces(law, displacement)
            dofs, rows = np.r_[self.surface_x, self.surface_z], np.tile(np.arange(len(x)), 2)
            normals = sparse.csr_matrix((np.r_[-slope, np.ones(len(x))], (rows, dofs)), shape=(len(x), self.basis.N))
            if (before == touching).all() and step < (SMALL_STEP if finite else np.inf):
                break
            matrix -= sparse.csr_matrix((force * curvature, (self.surface_x, self.surface_x)), shape=matrix.shape)
            normals = normals[touching][:, self.free]
            system = sparse.block_array([[matrix[self.free][:, self.free], normals.T], [normals, None]], format="csc")
            right = -np.r_[forces[self.free], overlap[touching]]
            solution = spsolve(system, right, permc_spec="MMD_AT_PLUS_A")  # takes half the time of the default order
            step = abs(solution[: len(self.free)]).max()
            displacement[self.free] += solution[: len(self.free)]
            force[touching] = solution[len(self.free) :]
        else:
            raise RuntimeError(f"no equilibrium at amplitude {amplitude} and depth {depth}")

        total = force.sum()
        return Contact(
            force=total / self.length,
            x=x,
            pressure=force / self._weights(x),
            imbalance=abs(forces[self.base].sum() - total) / max(total, 1e-300) if depth else 0.0,
            overlap=np.max(np.where(touching, abs(overlap), overlap), initial=0),
            tension=max(0.0, -force.min()),
        )

    @staticmethod
    def _weights(x):
        """Integrals of the surface's shape functions over x, given at their nodes."""
        left, middle, right = x[:-2:2], x[1:-1:2], x[2::2]
        weights = np.zeros(len(x))
        weights[:-2:2] += 2 / 3 * middle - left / 2 - right / 6
        weights[1:-1:2] = 2 / 3 * (right - left)
        weights[2::2] += left / 6 + right / 2 - 2 / 3 * middle
        return weights

    def library_difference(self, law):
        """By how much the stiffness of the undeformed layer differs from the library's, over its greatest entry."""
        expected = BilinearForm(linear_elasticity(LAMBDA, MU)).assemble(self.basis)
        found = self.internal_forces(law, np.zeros(self.basis.N))[1]
        return abs(found - expected).max() / abs(expected).max()

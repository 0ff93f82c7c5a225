# SPDX-License-Identifier: Apache-2.0
"""Shaded pictures of triangle meshes above a floor, by a depth buffer: smooth surfaces, shadows, glass."""

import numpy as np

LIGHT = np.array([-0.42, -0.5, 1.0]) / np.linalg.norm([-0.42, -0.5, 1.0])
FLOOR, BACKGROUND = np.array([0.955, 0.95, 0.935]), np.array([1.0, 1.0, 1.0])
FINE = 2  # by which a picture is larger at first
SHADOW_CELL, SHADOW_BLUR = 0.001, 5  # m, and cells


class Camera:
    """A perspective view of `target` from `eye`, both in metres; `width` of it fills the picture at the target."""

    def __init__(self, eye, target, size, width):
        self.eye, target = np.array(eye, float), np.array(target, float)
        self.size = tuple(FINE * n for n in size)
        back = self.eye - target
        self.distance = np.linalg.norm(back)
        back /= self.distance
        right = np.cross([0, 0, 1], back)
        right /= np.linalg.norm(right)
        self.axes = np.array([right, np.cross(back, right), back])
        self.scale = self.size[0] * self.distance / width  # pixels of a slope of 1

    def project(self, points):
        """Pixels x and y from the upper left corner, and 1 / depth, which is linear over a triangle."""
        seen = (points - self.eye) @ self.axes.T
        nearness = -1 / seen[:, 2]
        x = self.size[0] / 2 + self.scale * seen[:, 0] * nearness
        y = self.size[1] / 2 - self.scale * seen[:, 1] * nearness
        return np.stack([x, y, nearness], -1)

    def rays(self):
        """Directions [height, width, 3] through the pixels."""
        x, y = np.meshgrid(np.arange(self.size[0]) + 0.5, np.arange(self.size[1]) + 0.5)
        x, y = (x - self.size[0] / 2) / self.scale, (self.size[1] / 2 - y) / self.scale
        return np.stack([x, y, -np.ones_like(x)], -1) @ self.axes


def pixels_of(corners, width, height):
    """The pixels whose middle is in a triangle [3, 2]: rows, columns, and weights [n, 3] of the corners."""
    first = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    last = np.minimum(np.ceil(corners.max(0)).astype(int), (width, height))
    (ax, ay), (bx, by), (cx, cy) = corners
    twice_area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if (first >= last).any() or twice_area == 0:
        return None
    x = np.arange(first[0], last[0])[None, :] + 0.5
    y = np.arange(first[1], last[1])[:, None] + 0.5
    b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / twice_area
    c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / twice_area
    rows, columns = np.nonzero((b >= -1e-9) & (c >= -1e-9) & (b + c <= 1 + 1e-9))
    b, c = b[rows, columns], c[rows, columns]
    return rows + first[1], columns + first[0], np.stack([1 - b - c, b, c], -1)


def smooth_normals(points, triangles, crease=40):
    """A normal [n, 3, 3] at each corner: the mean of triangles that share it and turn by less than `crease` degrees."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    units = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    around = {}
    for t, triangle in enumerate(triangles):
        for point in map(tuple, np.rint(1e7 * points[triangle]).astype(int)):
            around.setdefault(point, []).append(t)
    result = np.empty_like(corners)
    for t, triangle in enumerate(triangles):
        for k, point in enumerate(map(tuple, np.rint(1e7 * points[triangle]).astype(int))):
            near = np.array(around[point])
            near = near[units[near] @ units[t] > np.cos(np.radians(crease))]
            mean = normals[near].sum(0)
            result[t, k] = mean / np.linalg.norm(mean)
    return result


def lit(colors, normals, toward_eye, gloss):
    """Colours under the light and the sky; normals and directions to the eye are unit vectors."""
    diffuse = np.maximum(normals @ LIGHT, 0)
    half = toward_eye + LIGHT
    half /= np.linalg.norm(half, axis=-1, keepdims=True)
    shine = gloss * np.maximum((normals * half).sum(-1), 0) ** 40
    sky = 0.5 + 0.5 * normals[..., 2]
    return colors * (0.34 + 0.2 * sky + 0.5 * diffuse)[..., None] + shine[..., None]


class Picture:
    """A picture that is drawn into: first the floor, then bodies, then what shines through, then glass."""

    def __init__(self, camera, shadows):
        """`shadows`: triangles [n, 3, 3] that darken the floor, z = 0."""
        self.camera = camera
        width, height = camera.size
        rays = camera.rays()
        down = -camera.eye[2] / np.where(rays[..., 2] < -1e-6, rays[..., 2], np.nan)
        ground = camera.eye + down[..., None] * rays
        shade = shadow_on_floor(shadows, ground)
        distance = np.linalg.norm(np.nan_to_num(ground[..., :2], nan=9), axis=-1)
        fade = np.clip((distance - 0.16) / 0.3, 0, 1)[..., None]  # the floor ends in the background
        self.colors = (FLOOR * (1 - 0.42 * shade[..., None])) * (1 - fade) + BACKGROUND * fade
        self.nearness = np.zeros((height, width))

    def draw(self, points, triangles, colors, normals=None, gloss=0.0, lift=0.0):
        """Triangles with a colour each or at each corner; without normals they shine by themselves.

        `lift` brings them nearer by so much of their depth, as for a patch on the surface that it lies in.
        """
        for rows, columns, weights, nearness, t in self._visible(points, triangles, lift):
            at = colors[t] if colors[t].ndim == 1 else weights @ colors[t]
            if normals is not None:
                at = np.broadcast_to(at, (len(rows), 3))
                at = self._shaded(at, weights @ normals[t], weights @ points[triangles[t]], gloss)
            self.colors[rows, columns] = at
            self.nearness[rows, columns] = nearness

    def draw_glass(self, points, triangles, color, normals, alpha=(0.2, 0.8)):
        """Triangles that let through what is behind them, less at grazing angles: `alpha` is face on and edge on."""
        height, width = self.nearness.shape
        layer, front = np.zeros((height, width, 4)), self.nearness.copy()
        for rows, columns, weights, nearness, t in self._visible(points, triangles, 0, front):
            normal, at = weights @ normals[t], weights @ points[triangles[t]]
            normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
            facing = np.abs((normal * self._toward_eye(at)).sum(-1))
            layer[rows, columns, :3] = self._shaded(np.broadcast_to(color, (len(rows), 3)), normal, at, 0.5)
            layer[rows, columns, 3] = alpha[0] + (alpha[1] - alpha[0]) * (1 - facing) ** 2
            front[rows, columns] = nearness
        self.colors += layer[..., 3:] * (np.clip(layer[..., :3], 0, 1) - self.colors)

    def _visible(self, points, triangles, lift, front=None):
        front = self.nearness if front is None else front
        height, width = front.shape
        seen = self.camera.project(points)
        for t, corners in enumerate(seen[triangles]):
            (ax, ay), (bx, by), (cx, cy) = corners[:, :2]
            if lift == 0 and (bx - ax) * (cy - ay) - (cx - ax) * (by - ay) >= 0:
                continue  # seen from behind; y points down
            found = pixels_of(corners[:, :2], width, height)
            if found is None:
                continue
            rows, columns, weights = found
            nearness = (weights @ corners[:, 2]) * (1 + lift)
            nearer = nearness > front[rows, columns]
            if nearer.any():
                yield rows[nearer], columns[nearer], weights[nearer], nearness[nearer], t

    def _toward_eye(self, points):
        toward = self.camera.eye - points
        return toward / np.linalg.norm(toward, axis=-1, keepdims=True)

    def _shaded(self, colors, normals, points, gloss):
        normals = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
        return lit(colors, normals, self._toward_eye(points), gloss)

    def image(self):
        """[height, width, 3], uint8."""
        height, width = self.nearness.shape
        fine = np.clip(self.colors, 0, 1).reshape(height // FINE, FINE, width // FINE, FINE, 3)
        return np.rint(255 * fine.mean((1, 3))).astype(np.uint8)


def blurred(values, axis):
    """The mean over the cells within SHADOW_BLUR along an axis, with 0 beyond the ends."""
    width = 2 * SHADOW_BLUR + 1
    pad = [(0, 0), (0, 0)]
    pad[axis] = (SHADOW_BLUR + 1, SHADOW_BLUR)
    sums = np.cumsum(np.pad(values, pad), axis=axis)
    ends = (slice(None),) * axis
    return (sums[(*ends, slice(width, None))] - sums[(*ends, slice(-width))]) / width


def shadow_on_floor(triangles, ground):
    """How dark the floor is, 0 to 1, at the points `ground` [..., 3]: where triangles stop the light."""
    cast = triangles[..., :2] - triangles[..., 2:] * LIGHT[:2] / LIGHT[2]
    low = cast.min((0, 1)) - 4 * SHADOW_BLUR * SHADOW_CELL
    width, height = np.ceil((cast.max((0, 1)) + 4 * SHADOW_BLUR * SHADOW_CELL - low) / SHADOW_CELL).astype(int)
    dark = np.zeros((height, width))
    for corners in (cast - low) / SHADOW_CELL:
        found = pixels_of(corners, width, height)
        if found is not None:
            dark[found[0], found[1]] = 1
    for axis in (0, 1, 0, 1):
        dark = blurred(dark, axis)
    x, y = np.moveaxis((np.nan_to_num(ground[..., :2], nan=1e3) - low) / SHADOW_CELL - 0.5, -1, 0)
    inside = (x >= 0) & (x < width - 1) & (y >= 0) & (y < height - 1)
    x, y = np.where(inside, x, 0), np.where(inside, y, 0)
    i, k = x.astype(int), y.astype(int)
    u, v = x - i, y - k
    above = dark[k, i] * (1 - u) + dark[k, i + 1] * u
    below = dark[k + 1, i] * (1 - u) + dark[k + 1, i + 1] * u
    return np.where(inside, above * (1 - v) + below * v, 0)

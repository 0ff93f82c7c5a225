"""Reads the binary glTF of a picture."""

import bisect
import json
import struct
from typing import Any

import numpy as np

_TYPES = {5123: np.uint16, 5125: np.uint32, 5126: np.float32}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}


class Glb:
    """A picture of frames, with z up, lengths in m and pressures in Pa."""

    def __init__(self, data: bytes) -> None:
        (length,) = struct.unpack_from("<I", data, 12)
        self._json = json.loads(data[20 : 20 + length])
        self._data = memoryview(data)[28 + length :]
        self.facts: dict[str, Any] = self._json["scenes"][0]["extras"]
        self.max_pressure: float = self.facts["max_pressure"]
        self._nodes = self._json["nodes"]
        self._parents = {child: k for k, node in enumerate(self._nodes) for child in node.get("children", ())}
        self._channels: dict[int, dict[str, tuple[np.ndarray, np.ndarray]]] = {}
        for animation in self._json.get("animations", ()):
            for channel in animation["channels"]:
                sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
                track = self._array(sampler["input"])[:, 0], self._array(sampler["output"])
                self._channels.setdefault(target["node"], {})[target["path"]] = track
        inputs = [track[0] for tracks in self._channels.values() for track in tracks.values()]
        self._times = max(inputs, key=len, default=np.zeros(1))
        self._frame_nodes = {
            node["extras"]["frame"]: k for k, node in enumerate(self._nodes) if "frame" in node.get("extras", ())
        }

    @property
    def num_frames(self) -> int:
        return len(self.facts["frames"])

    def _array(self, accessor: int) -> np.ndarray:
        of = self._json["accessors"][accessor]
        view = self._json["bufferViews"][of["bufferView"]]
        begin = view.get("byteOffset", 0) + of.get("byteOffset", 0)
        width = _WIDTHS[of["type"]]
        values = np.frombuffer(self._data, _TYPES[of["componentType"]], width * of["count"], begin)
        return values.reshape(-1, width)

    def triangles(self, mesh: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Points [V, 3], corners [K, 3], and of a patch pressures [V]."""
        primitive = self._json["meshes"][mesh]["primitives"][0]
        points = self._array(primitive["attributes"]["POSITION"])
        corners = self._array(primitive["indices"]).reshape(-1, 3).astype(np.int64)
        coordinates = primitive["attributes"].get("TEXCOORD_0")
        if coordinates is None:
            return points, corners, None
        return points, corners, self._array(coordinates)[:, 0] / 65535 * self.max_pressure

    def parts(self) -> list[tuple[int, int, list[float]]]:
        """The node of each part, its mesh, and its colour with alpha, as a screen shows it."""
        found = []
        for body, node in enumerate(self._nodes):
            if "body" not in node.get("extras", ()):
                continue
            for part in self._nodes[body].get("children", ()):
                mesh = self._nodes[part].get("mesh")
                if mesh is None:
                    continue
                material = self._json["meshes"][mesh]["primitives"][0]["material"]
                color = self._json["materials"][material]["pbrMetallicRoughness"]["baseColorFactor"]
                found.append((part, mesh, [c ** (1 / 2.2) for c in color[:3]] + color[3:]))
        return found

    def arrows(self) -> list[tuple[int, int]]:
        return [(k, node["mesh"]) for k, node in enumerate(self._nodes) if "force_of_pair" in node.get("extras", ())]

    def placement(self, node: int, frame: int) -> np.ndarray:
        """[4, 4]. The node in the world of z up in a frame."""
        matrix = np.eye(4)
        while node in self._parents:  # the root turns z up into y up
            matrix = self._local(node, frame) @ matrix
            node = self._parents[node]
        return matrix

    def _local(self, node: int, frame: int) -> np.ndarray:
        values = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}
        values.update({path: self._nodes[node][path] for path in values if path in self._nodes[node]})
        for path, (times, track) in self._channels.get(node, {}).items():
            values[path] = track[bisect.bisect_right(times, self._times[frame]) - 1]
        x, y, z, w = values["rotation"]
        turned = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        matrix = np.eye(4)
        matrix[:3, :3] = turned * np.asarray(values["scale"])
        matrix[:3, 3] = values["translation"]
        return matrix

    def patches(self, frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All patches of a frame as one mesh: points, corners and pressures."""
        points, corners, pressures, first = [np.zeros((0, 3))], [np.zeros((0, 3), int)], [np.zeros(0)], 0
        node = self._frame_nodes.get(frame)
        for child in self._nodes[node]["children"] if node is not None else ():
            some, triangles, values = self.triangles(self._nodes[child]["mesh"])
            if values is None:  # contacts
                continue
            points.append(some)
            corners.append(first + triangles)
            pressures.append(values)
            first += len(some)
        return np.concatenate(points), np.concatenate(corners), np.concatenate(pressures)

    def contacts(self, frame: int) -> list[int]:
        """The meshes of the contacts of rigid convex parts in a frame."""
        node = self._frame_nodes.get(frame)
        meshes = [self._nodes[child]["mesh"] for child in (self._nodes[node]["children"] if node is not None else ())]
        return [mesh for mesh in meshes if "contacts" in self._json["meshes"][mesh]["extras"]]

    def frame_of_largest_force(self) -> int:
        forces = np.zeros(self.num_frames)
        for mesh in self._json["meshes"]:
            extras = mesh.get("extras", {})
            if "frame" in extras:
                forces[extras["frame"]] += np.linalg.norm(extras["force"])
        return int(forces.argmax())

    def played(self, rate: float, seconds_of_environment: float) -> list[int]:
        """The frames of a film with `rate` of them a second."""
        if "time" not in self.facts["frames"][0]:
            return [k for k in range(self.num_frames) for _ in range(round(rate * seconds_of_environment))]
        count = max(round(rate * float(self._times[-1])), 1)
        return [bisect.bisect_right(self._times, k / rate + 1e-9) - 1 for k in range(count + 1)]

    def label(self, frame: int) -> str:
        of = self.facts["frames"][frame]
        if "time" in of:
            return f"{of['time']:.3f} s"
        return f"environment {of['environment']:.0f}" if self.num_frames > 1 else self.facts["title"]

    def color_table(self) -> np.ndarray:
        """[256, 4], uint8. The colours from 0 to the largest pressure."""
        stops = np.array([[int(color[k : k + 2], 16) for k in (1, 3, 5)] for color in self.facts["colors"]])
        at = np.linspace(0, len(stops) - 1, 256)
        channels = [np.interp(at, np.arange(len(stops)), stops[:, k]) for k in range(3)]
        return np.stack([*channels, np.full(256, 255.0)], axis=1).round().astype(np.uint8)

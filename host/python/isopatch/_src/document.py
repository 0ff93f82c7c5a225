"""A scene as a dictionary, made ready for the parser of scene files: JSON text, and meshes by name."""

import json
import math
import os
from collections.abc import Mapping
from typing import Any

from isopatch._src.meshes import NamedMesh, is_mesh, mesh_from_object, named_mesh
from isopatch._src.messages import require_type, shown

_CELLS = {"tet_mesh": "tets", "surface_mesh": "triangles", "convex_hull": None}


def document_of(scene: Mapping[str, Any]) -> tuple[str, dict[str, NamedMesh]]:
    """JSON text with the scene file's keys, and the meshes that it names.

    Raises TypeError and ValueError, with the path of the key, for what cannot stand in a scene.
    """
    meshes: dict[str, NamedMesh] = {}
    document = dict(scene)
    document.setdefault("isopatch", 1)
    geometries = document.get("geometries")
    if isinstance(geometries, Mapping):
        document["geometries"] = {
            name: _geometry(name, value, meshes) if isinstance(value, Mapping) else value
            for name, value in geometries.items()
        }
    return json.dumps(_plain(document, ""), allow_nan=False), meshes


def _geometry(name: str, geometry: Mapping[str, Any], meshes: dict[str, NamedMesh]) -> dict[str, Any]:
    """The geometry with its arrays taken out, and put among the meshes by a name that stands for a file's."""
    location = f"geometries.{name}"
    kind = geometry.get("type")
    left = dict(geometry)
    if not isinstance(kind, str) or kind not in _CELLS:
        return left
    cells = _CELLS[kind]
    for key in ("points", "file"):
        if key in left and "mesh" in left:
            raise ValueError(f'Scene: {location}: expected one of "{key}" and "mesh", found both')
    if is_mesh(left.get("mesh")):
        meshes[location] = mesh_from_object(left.pop("mesh"), cells, f"Scene: {location}.mesh")
        left["file"] = location
    elif cells is not None and ("points" in left or cells in left):
        for key in ("points", cells):
            if key not in left:
                raise ValueError(f'Scene: {location}: expected "points" and "{cells}" together, found no "{key}"')
        if "file" in left:
            raise ValueError(f'Scene: {location}: expected one of "points" and "file", found both')
        data = left.pop("point_data", {})
        require_type(f"Scene: {location}.point_data", data, Mapping, "arrays by name")
        meshes[location] = named_mesh(cells, left.pop("points"), left.pop(cells), data, f"Scene: {location}")
        left["file"] = location
    return left


def _plain(value: Any, path: str) -> Any:
    """The value with nothing in it but what JSON has."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"Scene: {path}: expected a finite number, found {value}")
        return float(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(
                    f"Scene: {path or 'the dictionary'}: expected keys that are strings, found {shown(key)}"
                )
        return {key: _plain(item, f"{path}.{key}" if path else key) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # arrays and their elements
        return _plain(value.tolist(), path)
    raise TypeError(f"Scene: {path}: expected what a scene file can have, found {type(value).__name__}")

"""Artifacts on disk: a JSON file, with the arrays beside it in an npz.

Every frozen dataclass is written as ``{"$": class name, field: value, ...}``; numpy arrays are
replaced by ``{"$array": key}``. Reading gives back an equal object or raises UsageError.
"""

from __future__ import annotations

import dataclasses
import json
import zipfile
from collections.abc import Mapping
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from deployer.errors import UsageError
from deployer.ir import attrs, graph, plan, region, share, stream, tiling, types

SCHEMA = 1

_CLASSES: dict[str, type] = {
    cls.__name__: cls
    for module in (attrs, graph, plan, region, share, stream, tiling, types)
    for cls in vars(module).values()
    if dataclasses.is_dataclass(cls) and isinstance(cls, type)
}
_ENUMS: dict[str, type[Enum]] = {"DType": types.DType, "Layout": types.Layout}
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def save(artifact: Any, path: Path) -> None:
    """Write ``path`` (JSON) and, if there are arrays, ``path`` with suffix .npz."""
    arrays: dict[str, np.ndarray] = {}
    body = {"schema": SCHEMA, "artifact": _encode(artifact, arrays, "")}
    path.write_text(json.dumps(body, indent=1) + "\n")
    if arrays:
        path.with_suffix(".npz").write_bytes(pack_arrays(arrays))


def load(path: Path) -> Any:
    """The artifact that ``save`` wrote. Raises UsageError when it is not one."""
    try:
        body = json.loads(path.read_text())
        if body["schema"] != SCHEMA:
            raise UsageError(
                f"{path} has schema {body['schema']}, this version reads {SCHEMA}",
                hints=["run the earlier stages again, without --from"],
            )
        return _decode(body["artifact"], _ArrayFile(path.with_suffix(".npz")))
    except FileNotFoundError as error:
        raise UsageError(
            f"no artifact at {error.filename}", hints=["run the earlier stages first"]
        ) from None
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
        raise UsageError(f"not a readable artifact: {path}", why=[str(error)]) from None


def pack_arrays(arrays: Mapping[str, np.ndarray]) -> bytes:
    """An npz with the same bytes for the same arrays: no time stamps."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for key in sorted(arrays):
            member = BytesIO()
            np.lib.format.write_array(
                member, np.asarray(arrays[key], order="C"), allow_pickle=False
            )
            archive.writestr(zipfile.ZipInfo(f"{key}.npy", _ZIP_DATE), member.getvalue())
    return out.getvalue()


class _ArrayFile:
    """The npz beside an artifact, opened only when an array is asked for."""

    def __init__(self, path: Path):
        self._path = path
        self._arrays: Any = None

    def __getitem__(self, key: str) -> np.ndarray:
        if self._arrays is None:
            self._arrays = np.load(self._path, allow_pickle=False)
        return self._arrays[key]


def _encode(item: Any, arrays: dict[str, np.ndarray], where: str) -> Any:
    if isinstance(item, np.ndarray):
        key = f"{len(arrays):04}{where}"  # the number keeps alike names apart
        arrays[key] = item
        return {"$array": key}
    if isinstance(item, Enum):
        return {"$enum": type(item).__name__, "value": item.value}
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        fields = {
            f.name: _encode(getattr(item, f.name), arrays, f"{where}.{f.name}")
            for f in dataclasses.fields(item)
        }
        return {"$": type(item).__name__, **fields}
    if isinstance(item, Mapping):
        return {"$map": {k: _encode(v, arrays, f"{where}.{k}") for k, v in item.items()}}
    if isinstance(item, tuple | list):
        return [_encode(v, arrays, f"{where}.{i}") for i, v in enumerate(item)]
    if isinstance(item, np.generic):
        return item.item()
    return item


def _decode(item: Any, arrays: _ArrayFile) -> Any:
    if isinstance(item, list):
        return tuple(_decode(v, arrays) for v in item)
    if not isinstance(item, dict):
        return item
    if "$array" in item:
        return arrays[item["$array"]]
    if "$enum" in item:
        return _ENUMS[item["$enum"]](item["value"])
    if "$map" in item:
        return {key: _decode(value, arrays) for key, value in item["$map"].items()}
    cls = _CLASSES[item["$"]]
    return cls(**{key: _decode(value, arrays) for key, value in item.items() if key != "$"})

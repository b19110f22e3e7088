"""Artifacts on disk: a JSON file, with the arrays beside it in an npz.

Every frozen dataclass is written as ``{"$": class name, field: value, ...}``; numpy arrays are
replaced by ``{"$array": key}``, words by their text. Reading gives back an equal object or raises
UsageError.
"""

from __future__ import annotations

import dataclasses
import json
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from enum import Enum, StrEnum
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from deployer.errors import UsageError
from deployer.ir import attrs, graph, plan, prefetch, region, share, spills, tie, tiling, types
from deployer.ir.decode import Decoder, stored_fields
from deployer.json_text import read_json
from deployer.npz import Npz, NpzError
from deployer.printed import label

SCHEMA = 1
_ARRAY_ROOM_BYTES = 64 << 20  # of one array, and
_MAX_RATIO = 8  # times those of its file, which is not compressed

_NAMES = {"PrefetchPlan": "StreamPlan"}  # of classes that files call otherwise
_CLASSES: dict[str, type] = {
    _NAMES.get(cls.__name__, cls.__name__): cls
    for module in (attrs, graph, plan, prefetch, region, share, spills, tie, tiling, types)
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
    """The artifact that ``save`` wrote, its fields of the right types; ir.stored says whether it is
    sound, too. Raises UsageError when it is not one."""
    try:
        body = read_json(path)
        if not isinstance(body, dict) or body.get("schema") != SCHEMA:
            stated = body.get("schema") if isinstance(body, dict) else None
            raise UsageError(
                f"{path} has schema {stated}, this version reads {SCHEMA}",
                hints=["run the earlier stages again, without --from"],
            )
        if "artifact" not in body:
            raise ValueError("it holds no artifact")
        return _decoded(body["artifact"], path.with_suffix(".npz"))
    except FileNotFoundError as error:
        raise UsageError(
            f"no artifact at {error.filename}", hints=["run the earlier stages first"]
        ) from None
    except (ValueError, OSError, RecursionError) as error:
        raise unreadable(path, [str(error)]) from None


def unreadable(path: Path, why: Sequence[str]) -> UsageError:
    """The error for a file that no stage wrote so."""
    number, _, stage = path.parent.name.partition("-")
    again = f"run from stage {stage} again" if number.isdigit() else "make it again"
    return UsageError(
        f"not a readable artifact: {path}",
        why=why,
        hints=[f"{again}: it was edited, or is damaged"],
    )


def _decoded(item: Any, arrays: Path) -> Any:
    with ExitStack() as stack:
        opened: list[Npz] = []

        def array(key: str) -> np.ndarray:
            try:
                if not opened:
                    opened.append(stack.enter_context(Npz(arrays)))
                return opened[0].array(key, limit=_ARRAY_ROOM_BYTES + _MAX_RATIO * opened[0].size)
            except NpzError as error:
                raise ValueError(f"{arrays.name}: {error}") from None

        return Decoder(_CLASSES, _ENUMS, array).decode(item)


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


def _encode(item: Any, arrays: dict[str, np.ndarray], where: str) -> Any:
    if isinstance(item, np.ndarray):
        key = f"{len(arrays):04}{label(where)}"  # the number keeps alike names apart
        arrays[key] = item
        return {"$array": key}
    if isinstance(item, StrEnum):
        return item.value
    if isinstance(item, Enum):
        return {"$enum": type(item).__name__, "value": item.value}
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        fields = {
            key: _encode(getattr(item, name), arrays, f"{where}.{key}")
            for name, key in stored_fields(type(item)).items()
        }
        return {"$": _NAMES.get(type(item).__name__, type(item).__name__), **fields}
    if isinstance(item, Mapping):
        return {"$map": {k: _encode(v, arrays, f"{where}.{k}") for k, v in item.items()}}
    if isinstance(item, tuple | list):
        return [_encode(v, arrays, f"{where}.{i}") for i, v in enumerate(item)]
    if isinstance(item, np.generic):
        return item.item()
    return item

"""What the manifest of a bundle holds, key by key (docs/bundle.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deployer.errors import UsageError
from deployer.schema import (
    ANY,
    BOOL,
    Each,
    Named,
    OrNull,
    Rule,
    Table,
    integer,
    number,
    one_of,
    refusal,
    text,
)

WIDTHS = {"int8": 1, "int16": 2, "float32": 4}  # bytes an element
_COUNT = integer(0, 1 << 60)
_TEXT = text()
_FILE = text(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", "the name of a file in the bundle's own folder")
_SHAPE = Each(integer(1, 1 << 32), least=1)
_BY_MEMORY = Named(_COUNT)
_TENSOR = Table(
    {"name": _TEXT, "bytes": integer(1, 1 << 40)},
    {"shape": _SHAPE, "dtype": one_of(list(WIDTHS)), "scale": number(0, 1e38, above=True)},
    open=True,
)
_STEP = Table(
    {
        "index": _COUNT,
        **dict.fromkeys(("name", "op", "kernel", "weight_layout", "rule"), _TEXT),
        **dict.fromkeys(("macs", "output_bytes", "weight_bytes"), _COUNT),
        "bits": Rule("8, 16 or 32", lambda v: v in (8, 16, 32)),
        "shape": _SHAPE,
        "tiles": OrNull(Table({"count": _COUNT}, {}, open=True)),
    },
    {},
    open=True,
)
_MEMORY = Table(
    {
        **dict.fromkeys(("arena", "weights", "code", "static", "stack", "input_copy"), _COUNT),
        **dict.fromkeys(("status", "solver", "input_copy_in"), _TEXT),
        **dict.fromkeys(("arena_by_memory", "limits"), _BY_MEMORY),
        "waits": OrNull(Table({"cycles": _COUNT, "lowest": _COUNT, "proven": BOOL}, {})),
        "copied_weights": OrNull(
            Table({"by_memory": _BY_MEMORY, "saves": integer(-(1 << 60), 1 << 60)}, {}, open=True)
        ),
        "streamed": OrNull(
            Table(
                {
                    "memory": _TEXT,
                    **dict.fromkeys(("bytes", "fetches", "resident", "stalled"), _COUNT),
                    "cycles": integer(1, 1 << 60),
                },
                {},
                open=True,
            )
        ),
        "hot_code": OrNull(
            Table({"memory": _TEXT, "bytes": _COUNT, "functions": Each(_TEXT)}, {}, open=True)
        ),
    },
    {
        "spilled": OrNull(
            Table(
                {"memory": _TEXT, **dict.fromkeys(("bytes", "values", "moved"), _COUNT)},
                {},
                open=True,
            )
        ),
    },
    open=True,
)
_REGION = Table(
    {
        **dict.fromkeys(("first", "last", "title"), _TEXT),
        **dict.fromkeys(("calls", "table_bytes"), _COUNT),
    },
    {},
    open=True,
)
_COST = Table(
    {
        **dict.fromkeys(("before", "added"), number(-1e30, 1e30)),
        **dict.fromkeys(("unit", "kind", "board"), _TEXT),
    },
    {},
    open=True,
)
_RESTRUCTURED = Table(
    {
        **dict.fromkeys(("arena_before", "arena", "macs_before"), _COUNT),
        "added_macs": integer(-(1 << 60), 1 << 60),
        "cost": _COST,
        "regions": Each(_REGION),
    },
    {},
    open=True,
)
_SHARED = ("arena_before", "arena", "in_place", "overlaps", "views", "inside", "copies_saved")
_MODEL = Table(
    {
        **dict.fromkeys(("name", "file", "sha256"), _TEXT),
        **dict.fromkeys(("parameters", "macs"), _COUNT),
    },
    {},
    open=True,
)
_CALIBRATION = Table({"calibrate": _TEXT, "equalize": BOOL, "bias_correction": BOOL}, {}, open=True)
MANIFEST = Table(
    {
        "schema": ANY,
        "id": text(r"[0-9a-f]{1,64}", "hex digits"),
        **dict.fromkeys(("board", "target"), _TEXT),
        "clock_hz": _COUNT,
        "firmware": _FILE,
        "model": _MODEL,
        "options": Table({"scheme": _TEXT, "calibration": _CALIBRATION}, {}, open=True),
        "toolchain": Table({"compiler": _TEXT, "flags": Each(_TEXT)}, {}),
        "inputs": Each(_TENSOR, least=1),
        "outputs": Each(_TENSOR, least=1),
        "steps": Each(_STEP, least=1),
        "memory": _MEMORY,
        "runners": Named(Named(ANY)),
        "files": Named(text(r"[0-9a-f]{64}", "64 hex digits"), key=_FILE),
    },
    {
        "inference": Table({"cycles": _COUNT, "kind": _TEXT}, {}, open=True),
        "restructured": OrNull(_RESTRUCTURED),
        "shared": OrNull(Table(dict.fromkeys(_SHARED, _COUNT), {}, open=True)),
    },
    open=True,
)


def check_manifest(manifest: Any, used: tuple[str, ...], outer: str) -> None:
    """Raises UsageError naming the key. ``used``: files that every bundle needs, hashed; ``outer``:
    the one that it needs when weights are fetched."""
    MANIFEST.check(manifest, "")
    for index, row in enumerate(manifest["steps"]):
        if row["index"] != index:
            raise refusal(f"steps[{index}].index", row["index"], f"{index}: steps are in order")
    for key in ("inputs", "outputs"):
        for index, tensor in enumerate(manifest[key]):
            if tensor["bytes"] % WIDTHS[tensor.get("dtype", "int8")]:
                raise refusal(f"{key}[{index}].bytes", tensor["bytes"], "whole elements")
    _check_hashes(manifest, (*used, *([outer] if manifest["memory"]["streamed"] else [])))


def _check_hashes(manifest: Mapping[str, Any], used: tuple[str, ...]) -> None:
    for name in (manifest["firmware"], *used):
        if name not in manifest["files"]:
            raise UsageError(
                f"files has no hash of {name}",
                hints=["permitted: a hash of every file that is used"],
            )

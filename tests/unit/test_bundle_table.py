"""What each key of a manifest may hold: the last value that is taken and the first that is not."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from deployer.bundle import GOLDEN, OUTER
from deployer.bundle_table import WIDTHS, check_manifest
from deployer.errors import UsageError
from fakes.bundles import make_bundle

MOST, BYTES = 1 << 60, 1 << 40
STREAMED = {
    "memory": "l3", "bytes": 1, "fetches": 1, "resident": 1, "stalled": 0, "cycles": 1,
}  # fmt: skip
COST = {"before": 1, "added": -1.5, "unit": "cycles", "kind": "estimated", "board": "toy"}
REGION = {"first": "a", "last": "b", "title": "t", "calls": 3, "table_bytes": 4}
RESTRUCTURED = {
    "arena_before": 5, "arena": 4, "macs_before": 3, "added_macs": -2, "cost": COST,
    "regions": [REGION],
}  # fmt: skip
SHARED = dict.fromkeys(
    ("arena_before", "arena", "in_place", "overlaps", "views", "inside", "copies_saved"), 1
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    made = make_bundle(tmp_path_factory.mktemp("table") / "bundle")
    body = copy.deepcopy(dict(made.manifest))
    body["files"] = {**body["files"], OUTER: "0" * 64}
    body["memory"] |= {
        "waits": {"cycles": 3, "lowest": 2, "proven": True},
        "copied_weights": {"by_memory": {"dtcm": 4}, "saves": -5},
        "streamed": STREAMED,
        "spilled": {"memory": "l3", "bytes": 8, "values": 1, "moved": 16},
        "hot_code": {"memory": "itcm", "bytes": 5, "functions": ["a"]},
    }
    body |= {"restructured": RESTRUCTURED, "shared": SHARED}
    for name in ("inputs", "outputs"):
        body[name] = [
            {**each, "dtype": "int8", "scale": 0.5, "shape": [1, 4]} for each in body[name]
        ]
    body["steps"] = [{**each, "tiles": {"count": 2}} for each in body["steps"]]
    return body


def paths(body: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Of every value that is a count, told by the path to it."""
    if isinstance(body, dict):
        return [found for key, each in body.items() for found in paths(each, (*path, key))]
    if isinstance(body, list):
        return [found for i, each in enumerate(body[:1]) for found in paths(each, (*path, i))]
    return [path]


def changed(body: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    found = copy.deepcopy(body)
    place: Any = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return found


def taken(body: dict[str, Any]) -> bool:
    try:
        check_manifest(body, (GOLDEN,), OUTER)
    except UsageError:
        return False
    return True


def test_a_manifest_with_everything_is_taken(plain: dict[str, Any]) -> None:
    check_manifest(plain, (GOLDEN,), OUTER)


BOUNDS: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "clock_hz": ((0, MOST), (-1, MOST + 1, 1.5, "1", None)),
    "model.macs": ((0, MOST), (-1, MOST + 1)),
    "model.parameters": ((0, MOST), (-1, MOST + 1)),
    "model.name": (("", "a"), (1, None)),
    "inputs.0.bytes": ((1, BYTES), (0, BYTES + 1)),
    "outputs.0.bytes": ((1, BYTES), (0, BYTES + 1)),
    "inputs.0.shape": (([1], [1 << 32]), ([], [0], [(1 << 32) + 1], [1.5])),
    "inputs.0.dtype": (("int8",), ("int32", "uint8")),
    "inputs.0.scale": ((1e-38, 1e38), (0, -1.0, 1.1e38)),
    "inputs": ((), ([], {})),
    "outputs": ((), ([],)),
    "steps.0.index": ((), (1, -1)),
    "steps.0.macs": ((0, MOST), (-1, MOST + 1)),
    "steps.0.output_bytes": ((0, MOST), (-1, MOST + 1)),
    "steps.0.weight_bytes": ((0, MOST), (-1, MOST + 1)),
    "steps.0.bits": ((8, 16), (7, 9, 15, 17, 0)),
    "steps.0.shape": (([1, 5],), ([], [0])),
    "steps.0.tiles": ((None, {"count": 0}, {"count": MOST}), ({"count": -1}, {}, 3)),
    "steps.0.kernel": (("", "k"), (3,)),
    "memory.arena": ((0, MOST), (-1, MOST + 1)),
    "memory.input_copy": ((0, MOST), (-1, MOST + 1)),
    "memory.status": (("optimal",), (1,)),
    "memory.limits": (({}, {"a": 0}), ({"a": -1}, {"a": MOST + 1}, [])),
    "memory.arena_by_memory": (({}, {"a": MOST}), ({"a": -1}, [])),
    "memory.waits": ((None,), ({}, {"cycles": 1}, 3)),
    "memory.waits.proven": ((True, False), (0, 1, None)),
    "memory.waits.cycles": ((0, MOST), (-1, MOST + 1)),
    "memory.copied_weights": ((None,), ({}, 3)),
    "memory.copied_weights.saves": ((-MOST, MOST), (-MOST - 1, MOST + 1)),
    "memory.streamed": ((None,), ({}, 3)),
    "memory.streamed.cycles": ((1, MOST), (0, MOST + 1)),
    "memory.streamed.stalled": ((0, MOST), (-1, MOST + 1)),
    "memory.spilled": ((None,), ({}, 3)),
    "memory.spilled.moved": ((0, MOST), (-1, MOST + 1)),
    "memory.hot_code": ((None,), ({}, 3)),
    "memory.hot_code.functions": (([], ["a", "b"]), ([1], "a")),
    "restructured": ((None,), ({}, 3)),
    "restructured.added_macs": ((-MOST, MOST), (-MOST - 1, MOST + 1)),
    "restructured.macs_before": ((0, MOST), (-1,)),
    "restructured.cost.before": ((-1e30, 1e30), (-1.1e30, 1.1e30)),
    "restructured.cost.added": ((-1e30, 1e30), (-1.1e30, 1.1e30, None)),
    "restructured.regions": (([],), (None, [{}])),
    "restructured.regions.0.calls": ((0, MOST), (-1, MOST + 1)),
    "shared": ((None,), ({}, 3)),
    "shared.views": ((0, MOST), (-1, MOST + 1)),
    "id": (("0", "f" * 64), ("", "g", "f" * 65, "F")),
    "firmware": ((), ("-a", ".a", "a/b", "")),
    "files": ((), ({}, [])),
    "toolchain.flags": (([], ["-O2"]), ([1], "a")),
    "toolchain.more": ((), (1,)),
    "memory.waits.more": ((), (1,)),
    "options.calibration.equalize": ((True, False), (0, None)),
    "runners": (({}, {"host": {"any": [1]}}), ({"host": 3}, [])),
}
NAMED = [
    (name, value, fine)
    for name, (good, bad) in BOUNDS.items()
    for values, fine in ((good, True), (bad, False))
    for value in values
]


@pytest.mark.parametrize(("name", "value", "fine"), NAMED)
def test_each_key_has_its_bounds(name: str, value: Any, fine: bool, plain: dict[str, Any]) -> None:
    path = tuple(int(part) if part.isdigit() else part for part in name.split("."))
    assert taken(changed(plain, path, value)) is fine


def test_a_key_that_is_needed_may_not_be_left_out(plain: dict[str, Any]) -> None:
    needed = set()
    for path in paths(plain):
        for depth in range(1, len(path) + 1):
            if isinstance(path[depth - 1], str):
                needed.add(path[:depth])
    lacking = set()
    for path in needed:
        body = copy.deepcopy(plain)
        place: Any = body
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]
        if taken(body):
            lacking.add(".".join(map(str, path)))
    assert lacking == {
        *(f"{io}.0.{key}" for io in ("inputs", "outputs") for key in ("shape", "dtype", "scale")),
        *("restructured", "shared", "model.cname", "memory.spilled"),
        *(f"memory.{name}.{key}" for name, key in (("limits", "ram"), ("arena_by_memory", "ram"))),
        "memory.copied_weights.by_memory.dtcm",
    }


@pytest.mark.parametrize(("dtype", "width"), [("int8", 1), ("int16", 2)])
def test_tensors_have_whole_elements(dtype: str, width: int, plain: dict[str, Any]) -> None:
    assert WIDTHS[dtype] == width
    body = changed(plain, ("outputs", 0, "dtype"), dtype)
    for size in (2, 3, 4):
        assert taken(changed(body, ("outputs", 0, "bytes"), size)) is (size % width == 0)
    del body["outputs"][0]["dtype"]  # int8 then
    assert taken(changed(body, ("outputs", 0, "bytes"), 3))


def test_weights_that_are_fetched_have_a_file(plain: dict[str, Any], tmp_path: Path) -> None:
    body = copy.deepcopy(plain)
    del body["files"][OUTER]
    with pytest.raises(UsageError, match=f"files has no hash of {OUTER}") as caught:
        check_manifest(body, (GOLDEN,), OUTER)
    assert caught.value.hints == ("permitted: a hash of every file that is used",)
    body["memory"]["streamed"] = None
    check_manifest(body, (GOLDEN,), OUTER)

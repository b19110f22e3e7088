"""Hardware loops, branches on constants, loads and stores that move their base."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import COMPILER, build, reported

STEP, VALUE, AT = 12, 0xDEADBEEF, 8
SIGNED = {"lb": 1, "lh": 2, "lw": 4}
UNSIGNED = {"lbu": 1, "lhu": 2}
STORED = {"sb": 1, "sh": 2, "sw": 4}
MOVES = {  # by immediates, as control.S has them
    "lb": -3, "lh": 2, "lw": 4, "lbu": 5, "lhu": -2, "sb": -3, "sh": 6, "sw": 8,
}  # fmt: skip


@pytest.fixture
def values(tool: Callable[[str], str], tmp_path: Path) -> dict[str, int]:
    for name in (COMPILER, "gcc"):
        tool(name)
    return reported(run(build(tmp_path, "control.c", "control.S"), limit=10_000_000))


def memory() -> bytearray:
    return bytearray((0x81 + 5 * i) & 0xFF for i in range(32))


def checksum(content: bytes) -> int:
    return sum((i + 1) * byte for i, byte in enumerate(content))


def loaded(kind: str, at: int) -> int:
    width = {**SIGNED, **UNSIGNED}[kind]
    value = int.from_bytes(memory()[at : at + width], "little", signed=kind in SIGNED)
    return value & 0xFFFFFFFF


def stored(kind: str) -> bytes:
    content = memory()
    width = STORED[kind]
    content[AT : AT + width] = VALUE.to_bytes(4, "little")[:width]
    return content


def test_loops_and_branches(values: dict[str, int]) -> None:
    expected = {
        "nested": 5 * 1000 + 5 * 3,
        "shared_end": 4 * 100 + 4 * 6,
        "by_parts": 3 * 9,
        "by_constants": 9 * 7,
        "constants_-5": 3,
        "constants_13": 0,
        "constants_0": 2,
    }
    assert {name: values[name] for name in expected} == expected


def test_loads(values: dict[str, int]) -> None:
    for kind in [*SIGNED, *UNSIGNED]:
        for form, at, moved in (
            ("post", AT, MOVES[kind]),
            ("step", AT, STEP),
            ("at", AT + STEP, 0),
        ):
            name = f"{kind}_{form}"
            assert values[f"{name}.value"] == loaded(kind, at), name
            assert values[f"{name}.moved"] == moved & 0xFFFFFFFF, name
            assert values[f"{name}.memory"] == checksum(memory()), name


def test_stores(values: dict[str, int]) -> None:
    for kind in STORED:
        for form, moved in (("post", MOVES[kind]), ("step", STEP)):
            name = f"{kind}_{form}"
            assert values[f"{name}.moved"] == moved & 0xFFFFFFFF, name
            assert values[f"{name}.memory"] == checksum(stored(kind)), name

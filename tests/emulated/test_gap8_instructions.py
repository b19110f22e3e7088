"""XpulpV2 on the simulator against numpy, on random and extreme operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from deployer.simulator.gap8 import run
from tests.emulated.gap8_instructions import INSTRUCTIONS, Instruction
from tests.emulated.gap8_lanes import Words
from tests.emulated.gap8_programs import COMPILER, build

EXTREMES = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80808080, 0x7F7F7F7F, 0x80008000)


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


def rows(limit: int = 1 << 32) -> Words:
    rng = np.random.default_rng(8)
    extreme = [(d, a, b) for d, a in pairwise(EXTREMES) for b in (a, d)]
    random = rng.integers(0, 1 << 32, (14, 3), dtype=np.uint64)
    out = np.concatenate([np.array(extreme, dtype=np.uint64), random])
    out[:, 2] %= limit
    return out.astype(np.uint32)


def program(folder: Path, instructions: Sequence[Instruction], operands: Words) -> Path:
    """Stubs that run one instruction each, a table of them, and the operands."""
    stubs = "".join(
        f"stub{i}: .4byte {instruction.word:#010x}\nret\n"
        for i, instruction in enumerate(instructions)
    )
    table = "".join(f".4byte stub{i}\n" for i in range(len(instructions)))
    numbers = "".join(f".4byte {','.join(map(str, row))}\n" for row in operands)
    path = folder / "table.S"
    path.write_text(
        ".globl table, operands, instruction_count, row_count\n"
        f".text\n.option norvc\n{stubs}.section .rodata\n.balign 4\n"
        f"table: {table}operands: {numbers}"
        f"instruction_count: .4byte {len(instructions)}\nrow_count: .4byte {len(operands)}\n"
    )
    return build(folder, "instructions.c", path)


def results(folder: Path, instructions: Sequence[Instruction], operands: Words) -> Words:
    """(instructions, rows, 2): the destination and rs1 afterwards."""
    done = run(program(folder, instructions, operands))
    assert done.status == 0
    words = [int(word, 16) for word in done.output.split()]
    return np.array(words, dtype=np.uint32).reshape(len(instructions), len(operands), 2)


@pytest.mark.parametrize("limits", [False, True], ids=["all", "register limits"])
def test_every_instruction_means_what_the_facts_say(tmp_path: Path, limits: bool) -> None:
    chosen = [i for i in INSTRUCTIONS if i.name.startswith("p.clip") and "r" in i.name[6:]]
    chosen = chosen if limits else [i for i in INSTRUCTIONS if i not in chosen]
    operands = rows(1 << 8) if limits else rows()
    got = results(tmp_path, chosen, operands)
    d, a, b = (np.ascontiguousarray(column) for column in operands.T)
    for instruction, found in zip(chosen, got, strict=True):
        expected = instruction.meaning(d, a, b)
        assert np.array_equal(found[:, 0], expected), instruction.name
        assert np.array_equal(found[:, 1], a), f"{instruction.name} changed rs1"
    assert limits or got[..., 0].size > 1000

"""The profiler as it is compiled, and what ran without a rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer.tools.timing import plugin as plugins
from deployer.tools.timing.counts import Ran
from deployer.tools.timing.disassembly import BasicBlock, Instruction, parse
from deployer.tools.timing.estimate import unknown_mnemonics
from deployer.tools.timing.profile import StepProfile
from unit.tools.timing.loops import instructions


def test_the_profiler_is_compiled_as_a_library_that_hides_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []

    def compiled(name: str, sources: list[Path], **options: Any) -> Path:
        given.append((name, sources, options))
        return tmp_path / name

    monkeypatch.setattr(plugins, "compiled", compiled)
    assert plugins.plugin(tmp_path) == tmp_path / "blocks.so"
    ((name, (source,), options),) = given
    assert (name, source) == ("blocks.so", Path(plugins.__file__).parent / "profiler" / "blocks.c")
    assert source.is_file()
    assert {"-shared", "-fPIC", "-fvisibility=hidden"} <= set(options["flags"])
    assert (options["what"], options["cache"]) == ("the profiler", tmp_path)


def test_what_ran_without_a_rule_is_named_once() -> None:
    def step(index: int, *texts: str) -> StepProfile:
        blocks = tuple(BasicBlock(4 * i, instructions(text), 1) for i, text in enumerate(texts))
        counts: Any = None
        return StepProfile(index, counts, blocks)

    steps = [step(0, "nap r1; add r0, r1", "frobnicate r1"), step(1), step(2, "nap r2; dream")]
    assert unknown_mnemonics(steps) == ("dream", "frobnicate", "nap")
    assert unknown_mnemonics(steps[1:2]) == ()


LOOP = """
00000100 <loop>:
     100:\tadd\tr0, r1\t; a remark
     102:\tcmp\tr0, r2\t// another
     104:\tbne.n\t100 <loop>
     106:\tmov\tr0, r3
     108:\tbx\tlr

00000200 <far>:
     200:\tnop
"""


def test_blocks_end_where_counts_change_or_the_flow_leaves() -> None:
    program = parse(LOOP.splitlines())
    ran = [Ran(0x100, 3, 10), Ran(0x106, 2, 1), Ran(0x200, 1, 1), Ran(0x102, 1, 5)]
    found = program.basic_blocks(ran)
    assert [(b.address, len(b.instructions), b.count) for b in found] == [
        (0x100, 1, 10), (0x102, 1, 15), (0x104, 1, 10), (0x106, 2, 1), (0x200, 1, 1),
    ]  # fmt: skip
    assert found[0].instructions == (Instruction("add", "r0, r1"),)
    assert found[2].instructions == (Instruction("bne.n", "100"),)


def test_blocks_that_leave_the_disassembly_end_there() -> None:
    program = parse(LOOP.splitlines())
    assert [len(b.instructions) for b in program.basic_blocks([Ran(0x108, 9, 1)])] == [1, 1]
    assert program.basic_blocks([Ran(0x300, 2, 1)]) == ()
    assert program.basic_blocks([]) == ()

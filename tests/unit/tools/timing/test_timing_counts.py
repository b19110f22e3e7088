"""The plugin's file, and basic blocks out of translated ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.errors import BenchError
from deployer.tools.timing.counts import Loaded, Ran, parse_counts
from deployer.tools.timing.disassembly import disassemble, parse

GOOD = """R 0 14 3 1 0 2 1
B 100 4 10 2 1
I 102 2 0
I 104 0 7
B 200 6 14 1 0
R 1 5 0 0 0 0 0
B 300 5 12 1 0
R 0 4 1 1 0 0 0
B 100 4 10 1 0
"""

LISTING = """
firmware.elf:     file format elf32-littlearm

00000100 <first>:
     100:\tldr\tr0, [pc, #8]\t@ (10c <first+0xc>)
     102:\tadds\tr0, #1
     104:\tcmp\tr0, r1
     106:\tbne.n\t102 <first+0x2>
     108:\tbx\tlr

00000200 <second>:
     200:\tnop
     202:\tbl\t100 <first>
     206:\tpop\t{r4, pc}
"""


def test_every_run_of_every_region() -> None:
    runs = parse_counts(GOOD.splitlines())
    assert [run.region for run in runs] == [0, 1, 0]
    assert [run.instructions for run in runs] == [14, 5, 4]
    assert runs[0].blocks == (Ran(0x100, 4, 2, 1), Ran(0x200, 6, 1))
    assert runs[0].loaded == (Loaded(0x102, 2, 0), Loaded(0x104, 0, 7))
    assert not runs[1].loaded
    assert (runs[0].loads, runs[0].stores, runs[0].data_misses, runs[0].fetch_misses) == (
        3,
        1,
        2,
        1,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("B 200 6 14 1 0\n", ""),  # a line is missing
        ("B 300 5 12 1 0", "B 300 5 12 1"),  # the file was cut short
        ("R 0 14", "14"),
        ("R 0 14 3 1 0 2 1\n", ""),  # blocks of no region
    ],
)
def test_a_damaged_profile_is_refused(old: str, new: str) -> None:
    assert old in GOOD
    with pytest.raises(BenchError, match="damaged"):
        parse_counts(GOOD.replace(old, new, 1).splitlines())


def test_blocks_end_where_control_leaves_or_counts_change() -> None:
    program = parse(LISTING.splitlines())
    assert program.function_at(0x106) == "first"
    assert program.address_of("second") == 0x200
    # the loop ran five times, once entered from above; the translator cut its body at 104
    ran = [Ran(0x100, 2, 1), Ran(0x102, 1, 4), Ran(0x104, 2, 5), Ran(0x108, 1, 1)]
    blocks = program.basic_blocks(ran)
    assert [(b.address, len(b.instructions), b.count) for b in blocks] == [
        (0x100, 1, 1),
        (0x102, 3, 5),
        (0x108, 1, 1),
    ]


def test_blocks_keep_what_was_counted_of_their_instructions() -> None:
    program = parse(LISTING.splitlines())
    ran = [Ran(0x100, 4, 2, 1), Ran(0x102, 3, 3, 2), Ran(0x108, 1, 1)]
    loaded = [Loaded(0x100, 0, 2), Loaded(0x104, 3, 1), Loaded(0x104, 1, 0)]
    first, loop, last = program.basic_blocks(ran, loaded)
    assert (first.unaligned, first.same_bank, first.mispredicted) == (((0, 2),), (), 0)
    assert (loop.same_bank, loop.unaligned, loop.mispredicted) == (((1, 4),), ((1, 1),), 3)
    assert (last.same_bank, last.unaligned, last.mispredicted) == ((), (), 0)


def test_a_function_that_is_not_there() -> None:
    with pytest.raises(BenchError, match="step_7"):
        parse(LISTING.splitlines()).address_of("step_7")


def test_no_disassembler(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no-such-objdump"):
        disassemble(tmp_path / "image.elf", "no-such-objdump")

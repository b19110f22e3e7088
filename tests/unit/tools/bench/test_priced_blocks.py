"""Blocks of object files, priced before anything runs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.cli.main import main
from deployer.tools.timing.disassembly import parse

SOURCE = """
    .section .text.sum, "ax"
    .global sum
sum:
    movi v0.4s, #0
1:  ldr q1, [x0], #16
    subs x1, x1, #1
    sadalp v0.4s, v1.8h
    b.ne 1b
    ret
    .section .text.other, "ax"
    .global other
other:
    crc32b w0, w1, w2
    ret
"""


@pytest.fixture
def kernel(tool: Callable[[str], str], tmp_path: Path) -> Path:
    source, target = tmp_path / "k.s", tmp_path / "k.o"
    source.write_text(SOURCE)
    options = ["-march=armv8-a+crc", "-o", str(target)]
    subprocess.run([tool("aarch64-linux-gnu-as"), *options, str(source)], check=True)
    return target


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str]]]:
    """Exit status and lines of the command."""

    def run(*arguments: object) -> tuple[int, list[str]]:
        with pytest.raises(SystemExit) as stop:
            main(["bench", "blocks", *map(str, arguments)])
        said = capsys.readouterr()
        return int(stop.value.code or 0), [*said.out.splitlines(), *said.err.splitlines()]

    return run


Told = Callable[..., tuple[int, list[str]]]


def test_every_block_of_every_section_has_its_price(kernel: Path, told: Told) -> None:
    """Two cycles of the load, four until its sum, two of that and one of the branch."""
    status, lines = told("-b", "rpi3", kernel)
    assert status == 0
    assert lines == [
        "sum at 0: 1 instructions, 1 cycles",
        "sum at 4: 4 instructions, 7 cycles, loop",
        "sum at 14: 1 instructions, 3 cycles",
        "other at 0: 2 instructions, 3 cycles, no rule for crc32b",
    ]


def test_other_rules_and_a_trace_of_one_function(kernel: Path, told: Told) -> None:
    options = ("--function", "sum", "--trace", "--issue-rules", "loose")
    status, lines = told("-b", "rpi3", *options, kernel)
    assert status == 0
    assert lines[2:7] == [
        "sum at 4: 4 instructions, 5 cycles, loop",
        "     0   ldr q1, [x0], #16",
        "     2   subs x1, x1, #0x1",
        "     4   sadalp v0.4s, v1.8h",
        "       | b.ne 4",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-b", "host"), "nothing estimates times of host"),
        (("-b", "rpi3", "--function", "sun"), "did you mean sum?"),
    ],
)
def test_what_cannot_be_priced_is_told(
    kernel: Path, told: Told, options: tuple[str, ...], said: str
) -> None:
    status, lines = told(*options, kernel)
    assert status == 2
    assert any(said in line for line in lines)


def test_blocks_begin_where_branches_lead_and_end_where_the_flow_leaves() -> None:
    listing = """
00000000 <first>:
       0:\tmov\tr0, r1
       2:\tsubs\tr0, #1
       4:\tbne.n\t2 <first+0x2>
       6:\tbx\tlr

00000008 <second>:
       8:\tnop
    """
    found = parse(listing.splitlines()).written_blocks()
    assert [(each.address, len(each.instructions), each.loops) for each in found] == [
        (0, 1, False), (2, 2, True), (6, 1, False), (8, 1, False),
    ]  # fmt: skip

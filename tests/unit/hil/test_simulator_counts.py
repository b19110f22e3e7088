"""What the simulator of GAP8 writes, read back; and how a run of it can end."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from deployer.errors import BenchError
from deployer.simulator import gap8
from deployer.simulator.counts import FunctionCounts, read_counts
from deployer.simulator.gap8 import EXIT_FAULT, EXIT_LIMIT

TEXT = """\
core fc cycles 100 instructions 70
core pe0 cycles 90 instructions 30
function main core fc cycles 60 instructions 50
function dpl_conv core pe0 cycles 80 instructions 20
"""


def test_counts_are_read_a_core_and_a_function() -> None:
    found = read_counts(TEXT)
    assert found.cores["fc"] == {"cycles": 100, "instructions": 70}
    assert found.cores["pe0"]["cycles"] == 90
    assert found.instructions == 100
    assert found.functions == {
        ("main", "fc"): FunctionCounts(60, 50),
        ("dpl_conv", "pe0"): FunctionCounts(80, 20),
    }


def ended(status: int, *said: str) -> CompletedProcess[bytes]:
    text = "".join(f"{gap8._REASON}{line}\n" for line in said) + "other words\n"
    return CompletedProcess([], status, b"", text.encode())


@pytest.mark.parametrize("status", [0, 3, EXIT_LIMIT, EXIT_FAULT])
def test_a_program_s_own_status_is_no_trouble(status: int) -> None:
    gap8._check(Path("any.elf"), ended(status))
    gap8._check(Path("any.elf"), ended(status, "warning: slow"))


@pytest.mark.parametrize("status", [EXIT_LIMIT, EXIT_FAULT])
def test_what_cannot_go_on_is_told(status: int) -> None:
    with pytest.raises(BenchError, match=r"any\.elf cannot go on") as caught:
        gap8._check(Path("a/any.elf"), ended(status, "warning: slow", "no instruction", "at 0"))
    assert caught.value.why == ("no instruction", "at 0")
    gap8._check(Path("any.elf"), ended(1, "words of the program"))


def test_a_simulator_that_was_killed_is_told() -> None:
    with pytest.raises(BenchError, match="was ended") as caught:
        gap8._check(Path("any.elf"), ended(-9))
    assert caught.value.why == ("signal 9",)

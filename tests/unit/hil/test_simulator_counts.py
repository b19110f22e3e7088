"""What the simulator of GAP8 writes, read back; and how a run of it can end."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

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


FAKE = """#!/bin/sh
echo "$@" > "$0.log"
while [ $# -gt 1 ]; do
    case "$1" in --profile) echo "core fc cycles 9 instructions 8" > "$2" ;; esac
    shift
done
printf 'said\\377'
exit 3
"""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "--limit 20000000000 --profile COUNTS IMAGE"),
        (
            {"limit": 7, "l3": Path("w"), "trace": Path("t"), "traced": ("fc", "pe3")},
            "--limit 7 --profile COUNTS --l3 w --trace t --trace-cores fc,pe3 IMAGE",
        ),
    ],
)
def test_the_simulator_is_told_what_to_do(
    options: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "simulator"
    program.write_text(FAKE)
    program.chmod(0o755)
    monkeypatch.setattr(gap8, "simulator", lambda: program)
    found = gap8.run(Path("IMAGE"), **options)
    assert (found.status, found.output) == (3, "said\ufffd")
    assert found.counts.cores == {"fc": {"cycles": 9, "instructions": 8}}
    said = (tmp_path / "simulator.log").read_text().split()
    said[3] = "COUNTS"
    assert " ".join(said) == words


def test_a_run_that_cannot_go_on_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "simulator"
    program.write_text(f"#!/bin/sh\necho '{gap8._REASON}no instruction' >&2\nexit {EXIT_FAULT}\n")
    program.chmod(0o755)
    monkeypatch.setattr(gap8, "simulator", lambda: program)
    with pytest.raises(BenchError, match="IMAGE cannot go on"):
        gap8.run(Path("IMAGE"))
    assert (EXIT_LIMIT, EXIT_FAULT) == (124, 125)

"""An emulator's run under the profiler, with a script in the emulator's place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.errors import BenchError, UsageError
from deployer.tools.timing import bare
from deployer.tools.timing import plugin as plugins
from deployer.tools.timing.bare import run_bare
from deployer.tools.timing.code_size import kernel_bytes
from deployer.tools.timing.disassembly import disassemble, parse
from deployer.tools.timing.machine import machine_of
from deployer.tools.timing.pipelines import pipeline_of
from deployer.tools.timing.plugin import plugin_argument
from unit.tools.timing.measured import MACHINE
from unit.tools.timing.test_timing_counts import LISTING

EMULATOR = """
import sys
fields = dict(each.partition("=")[::2] for each in sys.argv[-1].split(",")[1:])
print("plugin", sys.argv[-2], sys.argv[-1].split(",")[0])
print("begins", open(fields["regions"]).read().split(), "end", fields["end"])
open(fields["out"], "w").write("R 0 8 3 1 0 2 1\\nB 100 4 10 2 0\\n")
"""


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "plugin", lambda: Path("blocks.so"))


def bare_run(code: str) -> bare.BareRun:
    command = [sys.executable, "-c", code]
    return run_bare(command, parse(LISTING.splitlines()), MACHINE, begin="first", end="second")


def test_the_profiler_counts_from_one_function_to_the_other() -> None:
    """0x100 and 0x200; its file and what the image printed come back."""
    found = bare_run(EMULATOR)
    assert found.lines == ("plugin -plugin blocks.so", "begins ['100'] end 512")
    assert [(run.instructions, run.data_misses) for run in found.runs] == [(8, 2)]


def test_a_failed_emulator_is_told_with_its_last_words() -> None:
    code = "import sys; sys.stderr.write('a\\nb\\nc\\nd\\ne\\nf\\n'); sys.exit(3)"
    with pytest.raises(BenchError, match="the emulator failed") as caught:
        bare_run(code)
    assert caught.value.why == ("status 3", "b", "c", "d", "e", "f")


def test_an_emulator_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bare, "_LIMIT_SECONDS", 0.1)
    with pytest.raises(BenchError, match="did not end") as caught:
        bare_run("while True: pass")
    assert caught.value.why == ("within 0.1 s",)


def test_the_plugin_is_told_of_caches_and_regions(tmp_path: Path) -> None:
    text = plugin_argument(MACHINE, tmp_path / "r", tmp_path / "o", begins=[255, 16], end=32)
    head, *pairs = text.split(",")
    fields = dict(pair.split("=") for pair in pairs)
    assert head == "blocks.so"
    assert (tmp_path / "r").read_text() == "ff\n10\n"
    assert fields["end"] == "32"
    assert (fields["regions"], fields["out"]) == (str(tmp_path / "r"), str(tmp_path / "o"))
    assert int(fields["dsize"]) == MACHINE.data.size
    assert int(fields["iways"]) == MACHINE.code.ways
    assert (fields["prefetch"], fields["replace"]) == ("0", "1")


def test_the_plugin_credits_prefetches_and_replaces_as_the_machine_says(tmp_path: Path) -> None:
    machine = replace(MACHINE, credits_pld=True, pipeline=pipeline_of("cortex-m7", "loose"))
    text = plugin_argument(machine, tmp_path / "r", tmp_path / "o", begins=[255], end=32)
    fields = dict(pair.split("=") for pair in text.split(",")[1:])
    assert int(fields["prefetch"]) == round(2 * MACHINE.costs.data_miss)
    assert fields["replace"] == "0"


def test_the_machine_of_a_board_has_the_addresses_of_its_twin() -> None:
    board, twin = load_board("nucleo-f767zi"), load_board("qemu-mps2-an500")
    machine = machine_of(board, twin)
    assert board.timing is not None
    tight = twin.memory(board.timing.tight)
    assert machine.tight == (tight.base, tight.base + tight.size)
    assert (machine.name, machine.clock_hz) == (board.name, board.clock_hz)
    assert (machine.data, machine.code) == (board.timing.data_cache, board.timing.code_cache)
    assert machine.source == "board file"


def test_a_board_whose_times_nothing_estimates_is_refused() -> None:
    board = load_board("host")
    with pytest.raises(UsageError, match="nothing estimates times of host") as caught:
        machine_of(board, board)
    assert any("[timing]" in line for line in caught.value.why)


def test_a_file_that_is_no_image_is_refused(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("readelf")
    (tmp_path / "no.elf").write_text("no image")
    with pytest.raises(BenchError, match=r"cannot read the symbols of absent\.elf"):
        kernel_bytes(tmp_path / "absent.elf", ["add_s8__ref.c"], prefix="")
    with pytest.raises(BenchError, match=r"cannot read no\.elf"):
        disassemble(tmp_path / "no.elf", tool("objdump"))
    with pytest.raises(BenchError, match="absent-objdump was not found"):
        disassemble(tmp_path / "no.elf", "absent-objdump")

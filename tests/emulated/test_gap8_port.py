"""GAP8's port below the harness: bytes by the cluster's DMA and from the HyperRAM."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.board.served import port_defines
from deployer.codegen.linker import linker_script
from deployer.resources import data_root
from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import reported

BOARD = load_board("gap8")
PROGRAM = Path(__file__).parent / "firmware" / "gap8_port" / "transfers.c"
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-DDPL_CORES=8")


def build(gcc: str, folder: Path, *more: str) -> Path:
    """The program on the port, without the harness; ``more``: flags."""
    root, chain = data_root(), BOARD.toolchain
    firmware = root / "firmware"
    (folder / "link.ld").write_text(linker_script(BOARD, {}))
    sources = [
        PROGRAM,
        firmware / "core/print.c",
        firmware / "core/divide.c",
        *(firmware / "ports/gap8").glob("*.[cS]"),
    ]
    flags = [
        *FLAGS,
        *more,
        *chain.cflags,
        *(f"-D{name}={value}" for name, value in port_defines(BOARD).items()),
        f"-I{firmware / 'include'}",
        f"-I{root / 'kernels/include'}",
        f"-I{firmware / 'ports/gap8'}",
    ]
    command = [gcc, *flags, *chain.ldflags, f"-T{folder / 'link.ld'}", "-o", folder / "port.elf"]
    done = subprocess.run(
        [*map(str, [*command, *sources]), "-lgcc"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "port.elf"


def test_the_port_builds_for_pulp_open(tool: Callable[[str], str], tmp_path: Path) -> None:
    build(tool(f"{BOARD.toolchain.prefix}gcc"), tmp_path, "-DDPL_PULP_OPEN")


@pytest.fixture(scope="module")
def found(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    tool("gcc")
    elf = build(tool(f"{BOARD.toolchain.prefix}gcc"), tmp_path_factory.mktemp("port"))
    return reported(run(elf))


@pytest.mark.parametrize(
    "name",
    [
        *("in", "out", "large", "lines_in", "lines_out", "one_line", "dense_lines", "no_lines"),
        *("wide_in", "wide_out", "many", "first", "second"),
    ],
)
def test_every_byte_of_a_transfer_arrives(name: str, found: dict[str, int]) -> None:
    """Counts of bytes that differ: in one piece, in lines, in lines too far apart for the engine,
    in more commands than it holds, in groups waited for in another order."""
    assert found[name] == 0


def test_a_command_takes_few_cycles(found: dict[str, int]) -> None:
    """Three stores to the cluster, which the FC reaches in 12 cycles; the call included."""
    assert found["command_cycles"] <= 48


def test_calls_run_once_on_every_core_and_in_order(found: dict[str, int]) -> None:
    """Two at a time: the next is made while one runs."""
    assert found["calls"] == 0


@pytest.mark.parametrize("name", ["l3_pieces", "l3_while_forked"])
def test_the_hyperram_gives_back_what_it_was_given(name: str, found: dict[str, int]) -> None:
    """More transfers than the uDMA takes, of more bytes; and fetched while the cluster waits."""
    assert found[name] == 0


def test_the_trigger_is_a_pulse_of_a_millisecond_on_a_pin_that_idles_high(
    found: dict[str, int],
) -> None:
    """Of gpio 17 on pad 31, which is not touched before."""
    assert found["pin_taken_early"] == 0
    assert (found["pin_output"], found["pin_high"], found["pad_function"]) == (1, 1, 1)
    assert 0.5e-3 <= found["pulse_cycles"] / BOARD.clock_hz <= 1.5e-3


def test_a_queued_transfer_is_not_done_at_once(found: dict[str, int]) -> None:
    assert (found["l3_early"], found["l3_running"], found["l3_nothing"]) == (0, 0, 0)

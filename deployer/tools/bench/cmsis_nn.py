"""The layers of a network through the user's own build of CMSIS-NN, under the same profiler."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.board import Board
from deployer.build import COMMON_FLAGS, NAME, Library, checked, find_tools
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.ir import Graph, Schedule
from deployer.tools.bench.cmsis_nn_arithmetic import ROUNDINGS
from deployer.tools.bench.cmsis_nn_jobs import PASSES, Job, blob_of, job_of, supported
from deployer.tools.bench.programs import FOLDER
from deployer.tools.timing import (
    Machine,
    Profile,
    StepProfile,
    StepTime,
    disassemble,
    estimate,
    run_bare,
)
from deployer_hil import find_program
from deployer_hil import machine as command_line

_BLOB_ADDRESS = 0x6000_0000  # RAM of the emulated board, behind the caches
_RUNNER = "qemu_system"
_SUCCESS = 0


@dataclass(frozen=True, eq=False)
class Peer:
    """``times`` by name of the layer; ``rounding``: the arithmetic its outputs are those of."""

    times: Mapping[str, StepTime]
    rounding: str


def library_of(text: str) -> Library:
    """``cmsis-nn=LIB.a,INCLUDE``. Raises UsageError when it is none, or files are not there."""
    name, _, files = text.partition("=")
    archive, _, include = files.rpartition(",")
    if name != NAME or not archive or not include:
        raise UsageError(f"--against {text}", hints=[f"{NAME}=LIB.a,INCLUDE_DIRECTORY"])
    return checked(Library(Path(archive), Path(include)), "--against")


def link_app(library: Library, board: Board, work: Path, *, tight: bool = True) -> Path:
    """The app of programs/cmsis_nn*.c with the library. ``tight``: tensors and scratch that fit
    beside the caches lie there, as a planner has them; else all lie behind. Raises UsageError for
    a board of another family, BenchError when app and library do not fit."""
    if _RUNNER not in board.runners:
        raise UsageError(
            f"--against {NAME} on {board.name}", why=[f"{NAME} runs on a Cortex-M in {_RUNNER}"]
        )
    tools = find_tools(board)
    elf = work / "cmsis_nn.elf"
    command = [
        *(tools.gcc, *COMMON_FLAGS, *board.toolchain.cflags, *board.toolchain.ldflags),
        *("-isystem", str(library.include), "-Wl,--gc-sections", f"-T{FOLDER / 'cmsis_nn.ld'}"),
        *(() if tight else ("-DBEHIND_CACHES",)),
        *(str(FOLDER / name) for name in ("cmsis_nn.c", "cmsis_nn_wide.c")),
        *(str(library.archive), "-o", str(elf)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(
            f"{library.archive.name} does not link with the app that calls it",
            why=done.stderr.splitlines()[:8],
            hints=[f"build it with {' '.join(board.toolchain.cflags)}, from the same release"],
        )
    return elf


def measure(schedule: Schedule, app: Path, *, board: Board, machine: Machine, work: Path) -> Peer:
    """``measure_nodes`` of the schedule's steps."""
    names = [step.node for step in schedule.steps]
    return measure_nodes(schedule.graph, names, app, board=board, machine=machine, work=work)


def measure_nodes(
    graph: Graph, given: Sequence[str], app: Path, *, board: Board, machine: Machine, work: Path
) -> Peer:
    """Every node of ``given`` the library has, in order, twice; the second pass counts. ``board``
    is the twin.

    Raises BenchError when it cannot run, MismatchError when an output is not the one expected.
    """
    nodes = {node.name: node for node in graph.nodes}
    names = [name for name in given if supported(graph, nodes[name])]
    jobs = [job_of(graph, nodes[name], seed) for seed, name in enumerate(names)]
    blob = work / "layers.bin"
    blob.write_bytes(blob_of(jobs))
    program = disassemble(app, board.toolchain.prefix + "objdump")
    found = run_bare(_command(board, app, blob), program, machine, begin="job_run", end="job_end")
    blob.unlink()
    rounding = check(names, jobs, found.lines)
    steps = [
        StepProfile(index, run, program.basic_blocks(run.blocks, run.loaded))
        for index, run in enumerate(found.runs[len(jobs) :])
    ]
    times = estimate(Profile(program, tuple(steps), ""), machine)
    return Peer(dict(zip(names, times, strict=True)), rounding)


def _command(board: Board, app: Path, blob: Path) -> list[str]:
    options = board.runners[_RUNNER]
    emulator = find_program(str(options["program"]), str(options["package"]))
    loader = f"loader,file={blob},addr={_BLOB_ADDRESS:#x},force-raw=on"
    given = options.get("args", ())
    args = [str(each) for each in given] if isinstance(given, list | tuple) else []
    return command_line(emulator, [*args, "-device", loader], str(app))


def check(names: Sequence[str], jobs: Sequence[Job], lines: Sequence[str]) -> str:
    """The rounding whose outputs all layers of all passes have.

    Raises BenchError for a layer the library refused, MismatchError when no rounding fits.
    """
    rows = [[int(word, 16) for word in line.split()] for line in lines]
    if [row[0] for row in rows] != [*range(len(jobs))] * PASSES:
        raise BenchError("the app for CMSIS-NN ended early", why=list(lines[-3:]))
    if refused := [f"{names[i]}: status {status}" for i, status, _ in rows if status != _SUCCESS]:
        raise BenchError("CMSIS-NN refused layers", why=refused)
    wrong = {
        rounding: sorted({i for i, _, crc in rows if crc != jobs[i].crc[rounding]})
        for rounding in ROUNDINGS
    }
    fitting = [rounding for rounding, layers in wrong.items() if not layers]
    if not fitting:
        layers = min(wrong.values(), key=len)
        why = [f"first of {len(layers)} layers: {names[layers[0]]}"]
        raise MismatchError("CMSIS-NN's outputs are not those of its arithmetic", why=why)
    return fitting[0]

"""Kernels in the memory for code: bit-exact, where they are said to be, and never missed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.board.model import Board
from deployer.ir.graph import Graph
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from deployer.tools.timing.machine import Machine, machine_of
from deployer.tools.timing.profile import profile
from unit.quantize.graphs import Draft

EMULATED, BOARD = "qemu_system", "pyocd"
FIRST = 256  # bytes of the memory that stay free


def two_kinds() -> Graph:
    draft = Draft(1, 64, seed=5)
    return draft.graph(draft.dense(draft.dense("x", 48), 10))


@pytest.fixture
def job(tool: Callable[[str], str], tmp_path: Path) -> Callable[..., Job]:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)

    def make(hot_code: str, runner: str = EMULATED) -> Job:
        model = tmp_path / f"{hot_code}-{runner}.onnx"
        model.write_bytes(b"the graph stands in for the imported file")
        options = Options(
            golden_samples=1, bias_correction="off", equalize="off", hot_code=hot_code
        )
        made = make_job(model, "nucleo-f767zi", options=options, runner=runner, output=tmp_path)
        open_store(made).put("import", two_kinds())
        return made

    return make


def addresses(job: Job) -> dict[str, int]:
    elf = open_store(job).path("build") / "firmware.elf"
    command = ["arm-none-eabi-nm", str(elf)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in text.splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "tT"}


def itcm_range(board: Board) -> range:
    memory = board.memory(board.place.hot)
    return range(memory.base + FIRST, memory.base + memory.size)


def require_there(job: Job, facts: dict[str, Any]) -> None:
    """Every kernel of the network is among the functions named, and those lie in the memory."""
    where, found = itcm_range(job.target), addresses(job)
    assert {step.kernel for step in open_store(job).get("schedule").steps} <= set(
        facts["functions"]
    )
    for name in facts["functions"]:
        assert found[name] in where, name
    assert facts["memory"] == "itcm"
    assert sum(address in where for address in found.values()) >= len(facts["functions"])


def test_it_runs_there_bit_exact_and_is_counted_in_flash_once(job: Callable[..., Job]) -> None:
    itcm, off = job("itcm"), job("off")
    report, plain = (run_job(each, execute(each, first="quantize")) for each in (itcm, off))
    assert report["golden"]["match"], report["golden"]
    require_there(itcm, report["memory"]["hot_code"])
    assert plain["memory"]["hot_code"] is None
    assert not [a for a in addresses(off).values() if a in itcm_range(off.target)]
    assert 0 <= report["memory"]["code"] - plain["memory"]["code"] < 256


def test_the_image_of_the_board_reaches_far_code(job: Callable[..., Job]) -> None:
    """Flash is 128 MiB away there, so that the linker puts jumps between."""
    made = job("itcm", BOARD)
    store = execute(made, first="quantize")
    memory = store.get("build").manifest["memory"]
    require_there(made, memory["hot_code"])
    assert itcm_range(made.target).start == FIRST
    assert addresses(made)["step_0"] >= 0x0800_0000
    assert memory["hot_code"]["bytes"] <= 16 << 10


def test_the_profiler_misses_nothing_of_it(job: Callable[..., Job]) -> None:
    itcm, off = job("itcm"), job("off")
    machine = machine_of(itcm.board, itcm.target)
    small = replace(machine, code=replace(machine.code, size=512))
    assert misses(itcm, small) < misses(off, small) / 2


def misses(made: Job, machine: Machine) -> int:
    bundle = execute(made, first="quantize").get("build")
    found = profile(bundle, machine, prefix=made.target.toolchain.prefix)
    return sum(step.counts.fetch_misses for step in found.steps)

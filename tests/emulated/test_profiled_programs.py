"""The profiler on programs of Linux: the same counts wherever they run, and a second cache."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.bundle import Bundle
from deployer.tools.timing.bare import run_bare
from deployer.tools.timing.counts import Counts
from deployer.tools.timing.disassembly import disassemble
from deployer.tools.timing.estimate import estimate, unknown_mnemonics
from deployer.tools.timing.machine import Machine, machine_of
from deployer.tools.timing.pipelines import pipeline_of
from deployer.tools.timing.profile import Profile, profile

BOARD, PREFIX = "rpi3", "aarch64-linux-gnu-"
LINES = 16384  # of 64 bytes: 1 MiB
PROGRAM = """
#include <stdint.h>
static uint8_t memory[1 << 20] __attribute__((aligned(64)));
volatile uint32_t sum;
__attribute__((noinline)) void region_end(void) { __asm__ volatile(""); }
#define REGION(name, lines, address) \\
    __attribute__((noinline)) void name(void) { \\
        for (uint32_t i = 0; i < (lines); i++) { \\
            sum += *(volatile uint8_t *)(memory + (address)); \\
        } \\
        region_end(); \\
    }
REGION(in_order, 16384, 64 * i)
REGION(scattered, 4096, 64 * (i * 2654435761u >> 18))
REGION(every_fifth, 3000, 320 * i)
REGION(a_little, 2048, 64 * i)
int main(void) {
    for (uint32_t i = 0; i < sizeof memory; i++) { memory[i] = (uint8_t)i; }
    in_order(); scattered(); every_fifth(); a_little(); a_little();
    return 0;
}
"""
BEGINS = ("in_order", "scattered", "every_fifth", "a_little")


@pytest.fixture(scope="module")
def machine() -> Machine:
    board = load_board(BOARD)
    return machine_of(board, board)


@pytest.fixture(scope="module")
def tools(tool: Callable[[str], str]) -> None:
    for program in ("gcc", PREFIX + "gcc", "qemu-aarch64"):
        tool(program)


@pytest.fixture(scope="module")
def residual(tools: None, built: Callable[..., Bundle]) -> Bundle:
    return built(BOARD, "residual_net")


@pytest.fixture(scope="module")
def found(residual: Bundle, machine: Machine) -> Profile:
    return profile(residual, machine, prefix=PREFIX)


def test_counts_depend_on_no_path_and_no_variable(
    residual: Bundle,
    found: Profile,
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = tmp_path / ("longer" * 20)
    shutil.copytree(residual.path, elsewhere)
    monkeypatch.setenv("DEPLOYER_TEST_VARIABLE", "x" * 3000)
    again = profile(Bundle(elsewhere, residual.manifest), machine, prefix=PREFIX)
    assert [step.counts for step in again.steps] == [step.counts for step in found.steps]


def test_an_estimate_is_the_pipeline_and_what_memory_adds(found: Profile, machine: Machine) -> None:
    assert unknown_mnemonics(found.steps, machine.pipeline) == ()
    assert any(step.counts.loads for step in found.steps)
    for step in estimate(found, machine):
        assert step.instructions / 2 <= step.core <= 8 * step.instructions
        assert step.memory >= machine.costs.misprediction * step.mispredicted
        assert 0 < step.loop.cycles * step.loop.count <= step.core


def test_issue_rules_change_cycles_and_no_counts(found: Profile, machine: Machine) -> None:
    loose = replace(machine, pipeline=pipeline_of(machine.pipeline.name, "loose"))
    pairs = zip(estimate(found, loose), estimate(found, machine), strict=True)
    assert all(one.core <= other.core for one, other in pairs)


@pytest.fixture(scope="module")
def regions(
    tools: None, machine: Machine, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Counts]:
    folder = tmp_path_factory.mktemp("program")
    source, elf = folder / "program.c", folder / "program"
    source.write_text(PROGRAM)
    flags = ["-O2", "-static", "-mcpu=cortex-a53"]
    subprocess.run([PREFIX + "gcc", *flags, str(source), "-o", str(elf)], check=True)
    program, emulator = disassemble(elf, PREFIX + "objdump"), ["qemu-aarch64", "-cpu", "cortex-a53"]
    return {
        begin: run_bare(
            emulator, program, machine, begin=begin, end="region_end", image=[str(elf)]
        ).runs[-1]
        for begin in BEGINS
    }


def test_lines_in_order_are_asked_for_ahead(regions: Mapping[str, Counts]) -> None:
    """But for the first two, which show the distance, and the sum's line, which they replace."""
    counts = regions["in_order"]
    assert LINES <= counts.data_misses < 1.01 * LINES
    assert 0.99 * LINES < counts.outer.streamed_missed <= LINES
    assert counts.outer.missed < 0.01 * LINES
    assert counts.outer.streamed < 0.01 * LINES


def test_scattered_lines_are_waited_for(regions: Mapping[str, Counts]) -> None:
    counts = regions["scattered"]
    assert counts.outer.streamed + counts.outer.streamed_missed < counts.data_misses / 20
    assert counts.outer.missed > counts.data_misses / 3


def test_a_distance_of_five_lines_is_not_recognised(regions: Mapping[str, Counts]) -> None:
    """Arm DDI 0500: a fixed distance within four lines."""
    counts = regions["every_fifth"]
    assert counts.outer.streamed + counts.outer.streamed_missed < counts.data_misses / 50


def test_what_was_read_before_stays_in_the_second_cache(regions: Mapping[str, Counts]) -> None:
    """128 KiB, four times the first cache and a quarter of the second."""
    counts = regions["a_little"]
    assert counts.data_misses > 2048 * 0.6
    assert counts.outer.streamed > 0.9 * counts.data_misses
    assert counts.outer.missed + counts.outer.streamed_missed < 16

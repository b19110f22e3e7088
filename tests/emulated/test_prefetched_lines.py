"""PLD in the profiler: a prefetched line is not waited for, though QEMU ignores it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.board.load import load_board
from deployer.tools.bench.cmsis_nn import _command
from deployer.tools.bench.programs import FOLDER
from deployer.tools.timing.bare import run_bare
from deployer.tools.timing.disassembly import disassemble
from deployer.tools.timing.machine import Machine, machine_of

LINES = 256
LOOP = """
#include <stdint.h>
__attribute__((noinline)) void walk(uint32_t from) {
    uint32_t word, left = %d;
    __asm__ volatile("1: ldr %%0, [%%1]\\n %s\\n .rept 32\\n nop.w\\n .endr\\n"
                     "add %%1, %%1, #32\\n subs %%2, %%2, #1\\n bne 1b\\n"
                     : "=&r"(word), "+r"(from), "+r"(left) : : "cc", "memory");
}
__attribute__((noinline)) void over(void) { __asm__ volatile(""); }
void start(void) {
    walk(%d);
    over();
    uint32_t block[2] = {0x20026, 0};
    register uint32_t call __asm__("r0") = 0x20;
    register uint32_t *argument __asm__("r1") = block;
    __asm__ volatile("bkpt 0xAB" : "+r"(call) : "r"(argument) : "memory");
    for (;;) {
    }
}
extern uint32_t stack_high;
__attribute__((section(".vectors"), used)) static const void *const vectors[2] = {
    &stack_high, (const void *)start};
"""
SRAM, DTCM = 0x2003_0000, 0x2000_0000


@pytest.fixture
def misses(tool: Callable[[str], str], tmp_path: Path) -> Callable[..., int]:
    gcc = tool("arm-none-eabi-gcc")
    tool("qemu-system-arm")
    twin = load_board("qemu-mps2-an500")

    def count(prefetch: str, *, start: int = SRAM, costs: float = 12.0) -> int:
        source, elf, blob = (tmp_path / name for name in ("walk.c", "walk.elf", "none.bin"))
        source.write_text(LOOP % (LINES, prefetch, start))
        blob.write_bytes(bytes(4))
        flags = ("-O2", *twin.toolchain.cflags, *twin.toolchain.ldflags, "-nostdlib")
        script = f"-T{FOLDER / 'cmsis_nn.ld'}"
        subprocess.run([gcc, *flags, script, str(source), "-o", str(elf)], check=True)
        program = disassemble(elf, twin.toolchain.prefix + "objdump")
        machine = machine_with(costs)
        found = run_bare(_command(twin, elf, blob), program, machine, begin="walk", end="over")
        return found.runs[0].data_misses

    return count


def machine_with(data_miss: float) -> Machine:
    from dataclasses import replace

    board = load_board("nucleo-f767zi")
    machine = machine_of(board, load_board("qemu-mps2-an500"))
    return replace(machine, costs=replace(machine.costs, data_miss=data_miss), credits_pld=True)


def test_prefetched_lines_are_not_waited_for(misses: Callable[..., int]) -> None:
    assert misses("nop") >= LINES
    assert misses("pld [%1, #32]") < 8
    assert misses("pld [%1, #96]") < 8


def test_a_line_prefetched_too_late_is_waited_for(misses: Callable[..., int]) -> None:
    assert misses("pld [%1, #32]", costs=40.0) >= LINES - 2  # 36 instructions a turn are too few
    assert misses("pld [%1, #4]") >= LINES


def test_a_preload_of_tight_memory_does_nothing(misses: Callable[..., int]) -> None:
    assert misses("pld [%1, #32]", start=DTCM + 4096) < 8

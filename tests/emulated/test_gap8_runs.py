"""gap8_sim as a machine: output, exit status, and every way a run can end without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.errors import BenchError
from deployer.simulator.gap8 import run
from tests.emulated.gap8_programs import COMPILER, build, build_text, reported


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


def test_output_and_status_are_the_programs(tmp_path: Path) -> None:
    source = '#include "gap8.h"\nint main(void) { put_text("hello\\n"); return 5; }'
    done = run(build_text(tmp_path, source))
    assert (done.status, done.output) == (5, "hello\n")


def test_an_illegal_instruction_is_told_with_its_address(tmp_path: Path) -> None:
    source = 'int main(void) { __asm__(".4byte 0xffffffff"); return 0; }'
    with pytest.raises(BenchError) as error:
        run(build_text(tmp_path, source))
    assert "illegal instruction 0xffffffff at 0x1c0" in str(error.value)
    assert "in main" in str(error.value)


def test_a_program_that_never_ends_is_ended(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="still running after 1000 cycles"):
        run(build_text(tmp_path, "int main(void) { for (;;) ; }"), limit=1000)


def test_cores_that_all_sleep_are_told(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"every core sleeps.*fc at .*main"):
        run(build_text(tmp_path, 'int main(void) { for (;;) __asm__ volatile("wfi"); }'))


@pytest.mark.parametrize(
    ("access", "told"),
    [
        ("*(volatile int *)0x30000000", "load of 4 bytes from 0x30000000, where nothing is"),
        ("*(volatile int *)0x1020c000", "cluster register 0x0c000"),
        ("(*(volatile int *)0x1a1040a4, *(volatile char *)0x1a1040a4)", "access of 1 bytes"),
    ],
)
def test_accesses_to_nothing_are_told(tmp_path: Path, access: str, told: str) -> None:
    with pytest.raises(BenchError, match=told.replace("(", r"\(")):
        run(build_text(tmp_path, f"int main(void) {{ return {access}; }}"))


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.elf"
    path.write_text("not an ELF at all, but long enough to be one: " + "." * 100)
    with pytest.raises(BenchError, match="is no 32-bit RISC-V executable"):
        run(path)


def test_a_trace_has_cycles_mnemonics_and_values(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    run(build(tmp_path, "timing.c", "matmul.S"), trace=trace, traced=["pe3"])
    lines = [line.split(maxsplit=3) for line in trace.read_text().splitlines()]
    assert {core for _, core, _, _ in lines} == {"pe3"}
    times = [int(time) for time, _, _, _ in lines]
    assert times == sorted(times)
    texts = [text for _, _, _, text in lines]
    load = next(text for text in texts if text.startswith("p.lw a4,4(a0!)"))
    assert load.split()[2].startswith("a4=")
    assert load.split()[3].startswith("a0=")
    assert load.split()[4].startswith("[1000")
    assert any(text.startswith("pv.sdotsp.b t4,s5,a4  t4=") for text in texts)
    assert any(text.startswith("lp.setup 0,a3,0x1c0") for text in texts)
    assert any(text.startswith("p.elw ") for text in texts)


def test_a_trace_does_not_change_the_run(tmp_path: Path) -> None:
    elf = build(tmp_path, "timing.c", "matmul.S")
    traced = run(elf, trace=tmp_path / "trace", traced=["fc"])
    assert traced == run(elf)


def test_counts_of_cores_and_functions_agree(tmp_path: Path) -> None:
    counts = run(build(tmp_path, "timing.c", "matmul.S")).counts
    assert list(counts.cores) == [*(f"pe{i}" for i in range(8)), "fc"]
    for core, counters in counts.cores.items():
        spent = [value for (_, of), value in counts.functions.items() if of == core]
        assert sum(count.cycles for count in spent) == counters["cycles"], core
        assert sum(count.instructions for count in spent) == counters["instructions"], core
        assert counters["cycles"] <= counters["end"]
    assert counts.functions["matmul_4x2", "pe5"].instructions > 2 * 64 * 14
    assert counts.cores["pe7"]["bank_conflicts"] > 0
    assert ("matmul_4x2", "fc") not in counts.functions


def test_the_hyperram_can_be_filled_before_the_run(tmp_path: Path) -> None:
    source = """
    #include "gap8.h"
    static uint32_t word;
    int main(void) {
        REG(0x1A1021A0) = 4, REG(0x1A102180) = (uint32_t)&word, REG(0x1A102184) = 4;
        REG(0x1A102188) = 0x14;
        while (REG(0x1A102188) & 0x30)
            ;
        report("word", *(volatile uint32_t *)&word);
        return 0;
    }"""
    content = tmp_path / "l3"
    content.write_bytes(bytes(4) + (1234567).to_bytes(4, "little"))
    assert reported(run(build_text(tmp_path, source), l3=content)) == {"word": 1234567}


ONE_WORD = """
    #include "gap8.h"
    static uint32_t word;
    int main(void) {
        REG(0x1A1021AC) = 0x01000000, REG(0x1A1021A0) = PLACE;
        REG(0x1A102180 + SIDE) = (uint32_t)&word, REG(0x1A102184 + SIDE) = 4;
        REG(0x1A102188 + SIDE) = 0x14;
        while (REG(0x1A102188 + SIDE) & 0x30)
            ;
        report("word", *(volatile uint32_t *)&word);
        return 0;
    }"""


def test_the_flash_has_the_same_behind_its_first_megabyte(tmp_path: Path) -> None:
    content = tmp_path / "l3"
    content.write_bytes(bytes(4) + (7654321).to_bytes(4, "little"))
    flags = ["-DPLACE=0x01100004", "-DSIDE=0"]
    assert reported(run(build_text(tmp_path, ONE_WORD, flags=flags), l3=content)) == {
        "word": 7654321
    }


@pytest.mark.parametrize(
    ("place", "side", "reason"),
    [
        ("0x01100000", "0x10", "a write to the flash is not modelled"),
        ("0x01000000", "0", "behind its first MB the flash has no 4 bytes"),
        ("0x01900000", "0", "behind its first MB the flash has no 4 bytes"),
        ("0x00800000", "0", "HyperRAM has no 4 bytes"),
    ],
)
def test_a_place_that_hyperbus_does_not_have_is_told(
    place: str, side: str, reason: str, tmp_path: Path
) -> None:
    flags = [f"-DPLACE={place}", f"-DSIDE={side}"]
    with pytest.raises(BenchError, match=reason):
        run(build_text(tmp_path, ONE_WORD, flags=flags))


def test_a_transfer_the_udma_cannot_do_is_told(tmp_path: Path) -> None:
    source = """
    #include "gap8.h"
    int main(void) {
        REG(0x1A102180) = 0x10000000, REG(0x1A102184) = 64, REG(0x1A102188) = 0x14;
        return 0;
    }"""
    with pytest.raises(BenchError, match="the uDMA reaches L2 only, not 64 bytes at 0x10000000"):
        run(build_text(tmp_path, source))


def test_code_that_is_overwritten_is_decoded_again(tmp_path: Path) -> None:
    source = """
    #include "gap8.h"
    static uint32_t code[2] __attribute__((section(".text"))) = {0x00100513, 0x00008067};
    int main(void) {
        int (*called)(void) = (int (*)(void))code;
        int first = called();
        *(volatile uint32_t *)code = 0x00200513;
        return 10 * first + called();
    }"""
    flags = ["-Wno-error", "-w"]
    assert run(build_text(tmp_path, source, flags=flags)).status == 12

"""The UART of gap8_sim: text on stdout, input from stdin, and waiting for it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deployer.simulator.gap8 import simulator
from tests.emulated.gap8_programs import COMPILER, build_text

# `say` and `ask` are transfers; `ready` polls; main() is each test's
PROGRAM = """
#include "gap8.h"
enum { UART = 0x1A102200, GATES = 0x1A102780, BUSY = 0x30 };
static volatile uint8_t in[64] __attribute__((aligned(4)));
static void start(void) {
    REG(GATES) = 1 << 4;
    REG(UART + 0x24) = 0x306 | 1518 << 16;
}
static void say(const char *text, int bytes) {
    REG(UART + 0x10) = (uint32_t)text;
    REG(UART + 0x14) = bytes;
    REG(UART + 0x18) = 0x10;
    while (REG(UART + 0x18) & BUSY)
        ;
}
static void ask(int at, int bytes) {
    REG(UART + 0x00) = (uint32_t)(in + at);
    REG(UART + 0x04) = bytes;
    REG(UART + 0x08) = 0x10;
}
static uint32_t ready(void) {
    return !(REG(UART + 0x08) & BUSY);
}
"""
ECHO = """
int main(void) {
    for (start();;) {
        ask(0, 3);
        while (!ready())
            ;
        say((const char *)in, 3);
    }
}
"""


@pytest.fixture(autouse=True)
def tools(tool: Callable[[str], str]) -> None:
    for name in (COMPILER, "gcc"):
        tool(name)


@contextmanager
def started(folder: Path, main: str) -> Iterator[subprocess.Popen[bytes]]:
    elf = build_text(folder, PROGRAM + main)
    pipe = subprocess.PIPE
    command = [str(simulator()), str(elf)]
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def given(folder: Path, main: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The program to its end, with all of its input there from the start."""
    with started(folder, main) as child:
        out, errors = child.communicate(text, timeout=20)
        return subprocess.CompletedProcess([], child.returncode, out, errors)


def test_text_goes_out_and_comes_back(tmp_path: Path) -> None:
    with started(tmp_path, ECHO) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for text in (b"abc", b"\x00\xff\n"):
            child.stdin.write(text)
            assert child.stdout.read(3) == text


def test_a_transfer_waits_until_all_its_bytes_are_there(tmp_path: Path) -> None:
    with started(tmp_path, ECHO) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for text in (b"a", b"b", b"cd"):
            child.stdin.write(text)
            time.sleep(0.05)
        assert child.stdout.read(3) == b"abc"
        child.stdin.write(b"ef")
        assert child.stdout.read(3) == b"def"


def test_at_the_end_of_input_a_program_that_waits_is_done(tmp_path: Path) -> None:
    done = given(tmp_path, ECHO, b"abcdefgh")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"abcdef", b"")


def test_two_transfers_in_are_served_in_order(tmp_path: Path) -> None:
    main = """
    int main(void) {
        start();
        ask(0, 2);
        ask(8, 3);
        say((REG(UART + 0x08) & BUSY) == BUSY ? "+" : "-", 1);
        while (!ready())
            ;
        say((const char *)in, 2);
        say((const char *)in + 8, 3);
        return 7;
    }"""
    with started(tmp_path, main) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.read(1) == b"+"
        child.stdin.write(b"abcde")
        assert child.stdout.read() == b"abcde"
        assert child.wait(10) == 7


WAIT = """
int main(void) {
    start();
    count_from_zero();
    ask(0, 1);
    uint32_t from = cycles(), now = from;
    while (!ready() && now - from < 175000 * 200u)
        now = cycles();
    report("waited", (now - from) / 175000);
    return 0;
}
"""


def numbers(text: bytes) -> dict[str, int]:
    return {line.split()[0]: int(line.split()[1]) for line in text.decode().splitlines()}


def test_simulated_time_passes_while_nothing_comes(tmp_path: Path) -> None:
    """A limit of 200 ms is met."""
    with started(tmp_path, WAIT) as child:
        assert child.stdout is not None
        said = numbers(child.stdout.read())
        assert 200 <= said["waited"] < 250


@pytest.mark.parametrize(
    ("main", "told"),
    [
        ("REG(GATES) = ~0u; ask(0, 1);", "while it is not enabled or its clock is gated"),
        ("start(); REG(GATES) = 0; say((char *)in, 1);", "or its clock is gated"),
        ("start(); ask(0, 1); ask(1, 1); ask(2, 1);", "a third UART transfer"),
        ("start(); ask(0, 0);", "a UART transfer of 0 bytes"),
        ("start(); ask(0x100000, 1);", "the uDMA reaches L2 only, not 1 bytes at 0x1c1"),
        ("REG(UART + 0x28) = 0;", "UART register 0x28 is not modelled"),
    ],
)
def test_what_the_uart_cannot_do_is_told(main: str, told: str, tmp_path: Path) -> None:
    done = given(tmp_path, f"int main(void) {{ {main} return 0; }}")
    assert done.returncode == 125
    assert told in done.stderr.decode()


@pytest.mark.parametrize("late", [0.0, 0.1, 0.2])
def test_code_takes_as_long_whenever_the_host_sends(late: float, tmp_path: Path) -> None:
    """What the fabric controller's cache has then depends on how often the program asked."""
    main = """
    static __attribute__((noinline)) void work(void) {
        __asm__ volatile(".rept 320\\nadd x0, x0, x0\\n.endr");
    }
    int main(void) {
        use_code_cache();
        start();
        count_from_zero();
        ask(0, 1);
        do
            work();
        while (!ready());
        uint32_t from = cycles();
        for (int i = 0; i < 8; i++)
            work();
        report("took", cycles() - from);
        return 0;
    }"""
    at_once = given(tmp_path, main, b"a").stdout
    with started(tmp_path, main) as child:
        time.sleep(late)
        out, _ = child.communicate(b"a", timeout=20)
    assert out == at_once
    assert int(out.split()[1]) > 8 * 320

"""A write outside of the board's memories or a stack overflow ends the twin with its cause."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from emulated.firmware.tiny_build import TARGETS, Device

POKE, DIG, PEEK = 0x71, 0x72, 0x73
SHARE = 1008  # bytes of each stack of GAP8's cluster


def misbehave(device: Device, deed: int, argument: int, *, runs: int = 1) -> str:
    """Load the deed, run, and return the fault line; the device must end with status 1."""
    device.reply()
    device.load(bytes([0, deed, 0, 0]) + argument.to_bytes(4, "little") + bytes(8))
    device.send(f"infer {runs} 0%".encode())
    device.read_until(b"e-[fault ")
    line = device.read_until(b"]\r\n").decode()
    assert device.end() == 1
    return line


@pytest.mark.parametrize("fresh", ["mps2", "mps2-icount"], indirect=True)
@pytest.mark.parametrize(
    "address",
    [
        pytest.param(0x20080000, id="past 512 KiB of RAM"),
        pytest.param(0x203FFFFC, id="end of the machine's own RAM"),
        pytest.param(0x00000000, id="null"),
        pytest.param(0x00001000, id="flash"),
        pytest.param(0x00200000, id="past the flash"),
        pytest.param(0x60000000, id="external RAM of the machine"),
    ],
)
def test_writes_outside_the_board_fault_on_mps2(fresh: Device, address: int) -> None:
    line = misbehave(fresh, POKE, address)
    assert line.startswith("memmanage")
    assert f"mmfar={address:08x}" in line
    assert "pc=00000000" not in line


@pytest.mark.parametrize(
    ("fresh", "cause"),
    [("mps2", "memmanage"), ("riscv-virt", "hart 0 mcause=00000005")],
    indirect=["fresh"],
)
@pytest.mark.parametrize("address", [0, 0xFF])
def test_reading_through_a_null_pointer_faults(fresh: Device, address: int, cause: str) -> None:
    """On mps2 the vectors lie there, which the core itself goes on reading."""
    line = misbehave(fresh, PEEK, address)
    assert line.startswith(cause)
    assert f"={address:08x}" in line


@pytest.mark.parametrize("fresh", ["mps2"], indirect=True)
def test_the_last_byte_of_ram_is_still_there_on_mps2(fresh: Device) -> None:
    fresh.reply()
    fresh.load(bytes([0, POKE, 0, 0]) + (0x2007FFFF).to_bytes(4, "little") + bytes(8))
    assert fresh.ask("infer 1 0")[-1].startswith("m-results-")


@pytest.mark.parametrize("fresh", ["mps2", "mps2-icount"], indirect=True)
def test_a_stack_overflow_hits_the_guard_on_mps2(fresh: Device) -> None:
    line = misbehave(fresh, DIG, 100_000)
    assert line.startswith("memmanage")
    address = int(line.partition("mmfar=")[2][:8], 16)
    assert address in range(0x20000000, 0x20000100)


@pytest.mark.parametrize("fresh", ["riscv-virt", "riscv-virt-icount"], indirect=True)
@pytest.mark.parametrize(
    "address",
    [
        pytest.param(0x80080000, id="past l2"),
        pytest.param(0x80110000, id="past l1"),
        pytest.param(0x00000010, id="null"),
    ],
)
def test_writes_outside_the_board_fault_on_the_twin_of_gap8(fresh: Device, address: int) -> None:
    line = misbehave(fresh, POKE, address)
    assert line.startswith("hart 0 mcause=00000007")
    assert f"mtval={address:08x}" in line


@pytest.mark.parametrize("fresh", ["riscv-virt-icount"], indirect=True)
def test_a_stack_overflow_is_noticed_on_the_twin_of_gap8(fresh: Device) -> None:
    """25 calls of 80 bytes run past the 2 KiB of a core; 10 do not."""
    assert misbehave(fresh, DIG, 25).startswith("stack overflow")


@pytest.mark.parametrize("fresh", ["gap8"], indirect=True)
def test_a_stack_overflow_is_noticed_on_gap8(fresh: Device) -> None:
    """13 calls of 80 bytes run past the 1 KiB of a core; 10 do not."""
    assert misbehave(fresh, DIG, 13).startswith("stack overflow]")


@pytest.mark.parametrize("fresh", ["gap8"], indirect=True)
@pytest.mark.parametrize(
    ("symbol", "offset", "whose"),
    [
        pytest.param("dpl_fc_stack", 0, " of the fabric controller]", id="fabric controller"),
        pytest.param("dpl_stack_high", -SHARE, "]", id="first core"),
        pytest.param("dpl_stack_high", -8 * SHARE, "]", id="last core"),
    ],
)
def test_every_stack_of_gap8_is_guarded(
    fresh: Device,
    symbol: str,
    offset: int,
    whose: str,
    image: Callable[[str], Path],
    tool: Callable[[str], str],
) -> None:
    """A step that writes over the low end of another stack is ended; where that core was done
    already, the next step is."""
    address = address_of(symbol, image("gap8"), tool) + offset
    assert misbehave(fresh, POKE, address, runs=2).startswith(f"stack overflow{whose}")


def address_of(symbol: str, elf: Path, tool: Callable[[str], str]) -> int:
    command = [tool("riscv64-unknown-elf-nm"), str(elf)]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in names.splitlines())
    return next(int(value, 16) for value, _, name in rows if name == symbol)


def with_jump(elf: bytes, address: int, to: int) -> bytes:
    """The image with a jump at ``address``."""
    off = to - address
    bits = (off >> 20 & 1) << 31 | (off >> 1 & 0x3FF) << 21 | (off >> 11 & 1) << 20
    jump = bits | (off >> 12 & 0xFF) << 12 | 0x6F
    table, step, count = *struct.unpack_from("<I", elf, 28), *struct.unpack_from("<HH", elf, 42)
    rows = (struct.unpack_from("<5I", elf, table + step * i) for i in range(count))
    at = next(
        where + address - first
        for kind, where, first, _, size in rows
        if kind == 1 and first <= address < first + size
    )
    return elf[:at] + struct.pack("<I", jump) + elf[at + 4 :]


def test_a_trap_before_the_console_is_told_on_gap8(
    image: Callable[[str], Path], tool: Callable[[str], str], tmp_path: Path
) -> None:
    """The simulator takes no traps by itself: a jump to their entry stands for one."""
    elf, broken = image("gap8"), tmp_path / "broken.elf"
    clock, entry = (address_of(name, elf, tool) for name in ("dpl_clock_start", "dpl_trap_entry"))
    broken.write_bytes(with_jump(elf.read_bytes(), clock, entry))
    device = Device(TARGETS["gap8"].command(broken, tool))
    assert device.read_until(b"]\r\n").decode().startswith("\r\ne-[fault hart 1024 mcause=")
    assert device.end() == 1
    device.close()


@pytest.mark.parametrize("fresh", ["gap8"], indirect=True)
@pytest.mark.parametrize(
    "address",
    [
        pytest.param(0x1C080000, id="past l2"),
        pytest.param(0x10010000, id="past l1"),
        pytest.param(0x1BFFFFFC, id="before l2"),
    ],
)
def test_writes_outside_the_board_end_the_simulated_gap8(fresh: Device, address: int) -> None:
    fresh.reply()
    fresh.load(bytes([0, POKE, 0, 0]) + address.to_bytes(4, "little") + bytes(8))
    fresh.send(b"infer 1 0%")
    assert fresh.end() == 125
    assert fresh.process.stderr is not None
    said = fresh.process.stderr.read().decode()
    assert f"store of 1 bytes to 0x{address:08x}, where nothing is (pe0, " in said
    assert "in misbehave" in said


@pytest.mark.parametrize("fresh", ["mps2", "riscv-virt-icount", "gap8"], indirect=True)
def test_deep_but_fitting_calls_are_fine_and_measured(fresh: Device) -> None:
    fresh.reply()
    before = int(fresh.pairs("x-mem")["stack_used"])
    fresh.load(bytes([0, DIG, 0, 0]) + (9).to_bytes(4, "little") + bytes(8))
    assert fresh.ask("infer 1 0")[-1].startswith("m-results-")
    assert int(fresh.pairs("x-mem")["stack_used"]) > before + 9 * 64

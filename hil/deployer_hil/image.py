"""What a debug probe must know of an image: where its bytes lie, and which."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import BenchError

_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("<IIIIIIII")
_ELF32_LITTLE = b"\x7fELF\x01\x01"
_ARM, _RISCV, _LOADED = 40, 243, 1
_NAMES = {_ARM: "Arm", _RISCV: "RISC-V"}


@dataclass(frozen=True)
class Image:
    """``entry`` is an address, ``bytes`` what has to be transferred."""

    entry: int
    bytes: int


@dataclass(frozen=True)
class Segment:
    """Bytes that a loader puts at ``address``, the physical one."""

    address: int
    data: bytes


def read_image(elf: Path, *, memory: range) -> Image:
    """A 32-bit RISC-V executable whose bytes lie in ``memory``. Raises BenchError for any other."""
    entry, segments = _parsed(elf, _RISCV)
    for part in segments:
        if part.address not in memory or part.address + len(part.data) > memory.stop:
            span = f"{memory.start:#x} to {memory.stop:#x}"
            raise BenchError(
                f"{elf} does not fit where it would be loaded",
                why=[f"{len(part.data)} bytes at {part.address:#x}, memory {span}"],
                hints=["is the image built for this board?"],
            )
    if entry not in memory:
        raise BenchError(f"{elf} starts at {entry:#x}, outside of the memory it is loaded into")
    return Image(entry, sum(len(part.data) for part in segments))


def require_written(elf: Path, read: Callable[[int, int], bytes]) -> None:
    """Raise BenchError unless ``read(address, size)`` gives the bytes of an Arm executable."""
    for part in arm_segments(elf):
        found = read(part.address, len(part.data))
        if found != part.data:
            raise _differs(part, found)


def arm_segments(elf: Path) -> tuple[Segment, ...]:
    """What a loader transfers of an Arm executable. Raises BenchError for any other file."""
    return tuple(_parsed(elf, _ARM)[1])


def _differs(part: Segment, found: bytes) -> BenchError:
    pairs = list(zip(part.data, found, strict=False))
    wrong = [at for at, (wanted, there) in enumerate(pairs) if wanted != there]
    if not wrong:
        what = f"{len(found)} of {len(part.data)} bytes at {part.address:#010x} were read"
    else:
        at = wrong[0]
        first = f"{part.address + at:#010x} has {found[at]:02x} for {part.data[at]:02x}"
        what = f"{first}, the first of {len(wrong):,} bytes that differ"
    return BenchError(
        "the board does not have what was written to it",
        why=[what],
        hints=["program it again; if it stays so, its flash is worn out or protected"],
    )


def _parsed(elf: Path, machine: int) -> tuple[int, list[Segment]]:
    """The entry, and what a loader transfers."""
    try:
        return _executable(elf.read_bytes(), machine)
    except OSError as error:
        raise BenchError(f"cannot read {elf}", why=[error.strerror or str(error)]) from None
    except (ValueError, struct.error):
        raise BenchError(
            f"{elf} is no 32-bit {_NAMES[machine]} executable", hints=["build it again"]
        ) from None


def _executable(data: bytes, wanted: int) -> tuple[int, list[Segment]]:
    ident, _, machine, _, entry, table, _, _, _, step, count, *_ = _HEADER.unpack_from(data)
    if not ident.startswith(_ELF32_LITTLE) or machine != wanted:
        raise ValueError
    found = [_SEGMENT.unpack_from(data, table + step * i) for i in range(count)]
    loaded = [part for part in found if part[0] == _LOADED and part[4]]
    if not loaded or any(offset + size > len(data) for _, offset, _, _, size, *_ in loaded):
        raise ValueError
    return entry, [
        Segment(at, data[offset : offset + size]) for _, offset, _, at, size, *_ in loaded
    ]

"""What a debug probe must know of an image that is loaded into RAM."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from deployer.errors import BenchError

_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("<IIIIIIII")
_ELF32_LITTLE = b"\x7fELF\x01\x01"
_RISCV, _LOADED = 243, 1


@dataclass(frozen=True)
class Image:
    """``entry`` is an address, ``bytes`` what has to be transferred."""

    entry: int
    bytes: int


def read_image(elf: Path, *, memory: range) -> Image:
    """A 32-bit RISC-V executable whose bytes lie in ``memory``. Raises BenchError for any other."""
    try:
        data = elf.read_bytes()
        entry, segments = _parsed(data)
    except OSError as error:
        raise BenchError(f"cannot read {elf}", why=[error.strerror or str(error)]) from None
    except (ValueError, struct.error):
        raise BenchError(
            f"{elf} is no 32-bit RISC-V executable", hints=["build it again"]
        ) from None
    for first, size in segments:
        if first not in memory or first + size > memory.stop:
            raise BenchError(
                f"{elf} does not fit where it would be loaded",
                why=[f"{size} bytes at {first:#x}, memory {memory.start:#x} to {memory.stop:#x}"],
                hints=["is the image built for this board?"],
            )
    if entry not in memory:
        raise BenchError(f"{elf} starts at {entry:#x}, outside of the memory it is loaded into")
    return Image(entry, sum(size for _, size in segments))


def _parsed(data: bytes) -> tuple[int, list[tuple[int, int]]]:
    """The entry, and address and size of what a loader transfers."""
    ident, _, machine, _, entry, table, _, _, _, step, count, *_ = _HEADER.unpack_from(data)
    if not ident.startswith(_ELF32_LITTLE) or machine != _RISCV:
        raise ValueError
    found = [_SEGMENT.unpack_from(data, table + step * i) for i in range(count)]
    loaded = [part for part in found if part[0] == _LOADED and part[4]]
    if not loaded or any(offset + size > len(data) for _, offset, _, _, size, *_ in loaded):
        raise ValueError
    return entry, [(at, size) for _, _, _, at, size, *_ in loaded]

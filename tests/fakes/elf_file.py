"""Executables of a few segments, as a loader reads them."""

from __future__ import annotations

import struct
from pathlib import Path

ARM, RISCV = 40, 243
_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_SEGMENT = struct.Struct("<IIIIIIII")
_RAM = 0x2000_0000


def elf_of(path: Path, *parts: tuple[int, bytes], machine: int = ARM) -> Path:
    """One whose segments lie at these physical addresses; when it runs they are in RAM."""
    table, begin = b"", _HEADER.size + _SEGMENT.size * len(parts)
    for at, data in parts:
        table += _SEGMENT.pack(1, begin, _RAM, at, len(data), len(data) + 64, 5, 4)
        begin += len(data)
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    entry = parts[0][0] if parts else 0
    sizes = (_HEADER.size, _SEGMENT.size, len(parts), 40, 0, 0)
    head = _HEADER.pack(ident, 2, machine, 1, entry, _HEADER.size, 0, 0, *sizes)
    path.write_bytes(head + table + b"".join(data for _, data in parts))
    return path

"""Loads and stores of a Cortex-A53: cycles, lanes, registers."""

from __future__ import annotations

import re
from dataclasses import replace

from deployer.tools.timing.a53_operation import VECTOR, Operation, Registers, listed, named
from deployer.tools.timing.a53_rules import Result, Unit, Use
from deployer.tools.timing.a53_vectors import lanes_of

_STRUCTURE_LOADS = {2: 4, 3: 7, 4: 9}  # cycles of LD2, LD3, LD4 of bytes and halfwords [I]
_WIDE_STRUCTURE_LOADS = {2: 4, 3: 6, 4: 8}  # of words and more [I]
_STRUCTURE_STORES = {2: 2, 3: 4, 4: 5}
_WIDE_STRUCTURE_STORES = {2: 2, 3: 3, 4: 4}


def _address(parts: tuple[str, ...]) -> tuple[Registers, Registers]:
    """What an address is made of, and what of that is written back."""
    at = next((i for i, part in enumerate(parts) if "[" in part and "{" not in part), len(parts))
    read = named(parts[at:])
    writes_back = any("!" in part for part in parts[at:]) or len(parts) > at + 1
    return read, read[:1] if writes_back else ()


def load(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    addresses, updates = _address(parts)
    base = Operation(
        reads=((Use.ADDRESS, addresses),), updates=updates, unit=Unit.MEMORY, result=Result.LOAD
    )
    if mnemonic.startswith("prf"):
        return base
    if parts[0].startswith("{"):
        return _structure_load(mnemonic, parts, base)
    pair = mnemonic.startswith(("ldp", "ldnp"))
    writes = named(parts[: 2 if pair else 1])
    if VECTOR.match(parts[0]):
        return _vector_load(parts[0], pair, replace(base, writes=writes))
    wide = parts[0].startswith("x") and mnemonic in ("ldr", "ldur", "ldp", "ldnp")
    result = Result.WIDE_LOAD if wide else Result.LOAD
    found = replace(base, result=result, writes=writes)
    return replace(found, alone=True, cycles=2, later=1) if pair else found


def _vector_load(first: str, pair: bool, base: Operation) -> Operation:
    """One register of 64 bits takes a lane; others issue alone, 64 bits a cycle [Q, I, N]."""
    if first.startswith("q"):
        found = replace(base, result=Result.WIDE_VECTOR_LOAD, later=2, adds=True)
        return replace(found, alone=True, cycles=4 if pair else 2)
    found = replace(base, result=Result.VECTOR_LOAD, later=1, lanes=1, adds=True)
    return replace(found, alone=True, cycles=2) if pair else found


def _structure_load(mnemonic: str, parts: tuple[str, ...], base: Operation) -> Operation:
    written, count = listed(parts[0]), int(mnemonic[2])
    found = replace(base, writes=written, alone=True, adds=True)
    if mnemonic.endswith("r"):
        return replace(found, result=Result.VECTOR_LOAD, cycles=count)
    if re.search(r"\}\[\d+\]$", parts[0]):
        return replace(found, result=Result.VECTOR_LOAD, cycles=count, writes=(), merges=written)
    wide = lanes_of((parts[0],)) == 2
    if count > 1:
        table = _WIDE_STRUCTURE_LOADS if re.search(r"\.[24]?[sd]\b", parts[0]) else _STRUCTURE_LOADS
        cycles = table[count] if wide else (table[count] + 1) // 2
        return replace(found, result=Result.WIDE_VECTOR_LOAD, cycles=cycles, later=cycles // count)
    if wide:
        cycles = 2 * len(written)
        return replace(found, result=Result.WIDE_VECTOR_LOAD, cycles=cycles, later=2)
    return replace(found, result=Result.VECTOR_LOAD, cycles=len(written), later=1)


def store(mnemonic: str, parts: tuple[str, ...]) -> Operation:
    addresses, updates = _address(parts)
    listing = parts[0].startswith("{")
    stored = listed(parts[0]) if listing else named(parts[: 2 if "p" in mnemonic[2:] else 1])
    in_vectors = bool(VECTOR.search(parts[0]))
    reads = ((Use.ADDRESS, addresses), (Use.VECTOR if in_vectors else Use.STORED, stored))
    base = Operation(reads=reads, updates=updates, unit=Unit.MEMORY)
    if not in_vectors:
        return base
    if listing:
        return _structure_store(mnemonic, parts[0], len(stored), base)
    wide = parts[0].startswith("q")
    if wide and len(stored) > 1:
        return replace(base, alone=True, cycles=2)
    return replace(base, lanes=2 if wide or len(stored) > 1 else 1)


def _structure_store(mnemonic: str, text: str, count: int, base: Operation) -> Operation:
    several = int(mnemonic[2])
    if several == 1 or re.search(r"\}\[\d+\]$", text):
        wide = lanes_of((text,)) == 2 or count == 1
        return replace(base, alone=True, cycles=count if wide else (count + 1) // 2)
    in_words = re.search(r"\.[24]?[sd]\b", text)
    table = _WIDE_STRUCTURE_STORES if in_words else _STRUCTURE_STORES
    return replace(base, alone=True, cycles=table[several])

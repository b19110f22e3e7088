"""What gap8_sim counts: a line a core, a line a function and core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class FunctionCounts(NamedTuple):
    cycles: int
    instructions: int


@dataclass(frozen=True)
class Counts:
    """Simulated counts since reset. ``cores`` maps a core's name (``fc``, ``pe0`` …) to its
    counters by name: ``end`` is the time of its last instruction, ``cycles`` those it did not
    sleep. ``functions`` maps a function and a core to what that core spent in it."""

    cores: Mapping[str, Mapping[str, int]]
    functions: Mapping[tuple[str, str], FunctionCounts]

    @property
    def instructions(self) -> int:
        return sum(core["instructions"] for core in self.cores.values())


def read_counts(text: str) -> Counts:
    """Parse what ``--profile`` wrote."""
    cores: dict[str, Mapping[str, int]] = {}
    functions: dict[tuple[str, str], FunctionCounts] = {}
    for line in text.splitlines():
        kind, name, *fields = line.split()
        if kind == "core":
            cores[name] = {key: int(value) for key, value in zip(*_pairs(fields), strict=True)}
        else:
            _, core, _, cycles, _, instructions = fields
            functions[name, core] = FunctionCounts(int(cycles), int(instructions))
    return Counts(cores=cores, functions=functions)


def _pairs(fields: list[str]) -> tuple[list[str], list[str]]:
    return fields[::2], fields[1::2]

"""The calls of a kernel that tiles make: what each takes, of cycles and of scratch."""

from __future__ import annotations

from dataclasses import dataclass, field

from deployer.ir import Cut
from deployer.kernelset import KernelCase
from deployer.tile.layer import Layer

Kind = tuple[object, ...]  # of a row and a column, and channels: what calls have in common


@dataclass(frozen=True, eq=False)
class TileCalls:
    """Of the kernel of ``layer``, each kind looked at once."""

    layer: Layer
    cases: dict[Kind, KernelCase] = field(default_factory=dict)
    known_cycles: dict[Kind, float] = field(default_factory=dict)
    known_scratch: dict[Kind, int] = field(default_factory=dict)

    def cycles(self, row: Cut, column: Cut, channels: int) -> float:
        key = row.kind, column.kind, channels
        if key not in self.known_cycles:
            estimate = self.layer.kernel.cycles
            assert estimate is not None
            self.known_cycles[key] = estimate(self._case(key, row, column, channels))
        return self.known_cycles[key]

    def scratch(self, row: Cut, column: Cut, channels: int) -> int:
        """Bytes."""
        key = row.kind, column.kind, channels
        if key not in self.known_scratch:
            case = self._case(key, row, column, channels)
            self.known_scratch[key] = self.layer.kernel.scratch(case)
        return self.known_scratch[key]

    def _case(self, key: Kind, row: Cut, column: Cut, channels: int) -> KernelCase:
        if key not in self.cases:
            self.cases[key] = self.layer.tile_case(row, column, channels)
        return self.cases[key]

"""Below how many cycles a MAC the layers of a sweep shall be, on each core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deployer.tools.bench.sweep_layers import FEWEST_MACS, FEWEST_PRODUCTS
from deployer.tools.bench.sweep_row import SweepRow
from deployer.tools.timing import Machine


@dataclass(frozen=True)
class SweepBar:
    """At most ``rate`` cycles a MAC for layers of at least ``macs`` MACs, and ``products`` of them
    an output; ``core``: of the pipeline alone, without memory. ``listed``: whether a table has all
    that take longer; ``parallel``: whether several MACs are a cycle, so that it is told so."""

    rate: float
    macs: int
    products: int
    core: bool
    listed: bool = False
    parallel: bool = False

    def holds_for(self, row: SweepRow) -> bool:
        """Whether it says anything about the layer of ``row``."""
        layer = row.layer
        return layer.macs >= max(self.macs, self.products * layer.elements)

    def above(self, row: SweepRow) -> bool:
        """Whether the layer takes longer."""
        cycles = row.core if self.core else row.cycles
        return cycles is not None and self.holds_for(row) and cycles > self.rate * row.layer.macs


CORTEX_M7 = SweepBar(rate=2.0, macs=FEWEST_MACS, products=FEWEST_PRODUCTS, core=False)
_BY_PIPELINE: Mapping[str, SweepBar] = {
    "cortex-a53": SweepBar(rate=0.8, macs=100_000, products=0, core=True, listed=True),
}
_BY_BOARD: Mapping[str, SweepBar] = {
    "gap8": SweepBar(rate=0.2, macs=100_000, products=0, core=False, listed=True, parallel=True),
}


def bar_of(machine: Machine | None, board: str = "") -> SweepBar:
    """That of a core, or of a board whose runner counts, without one of its own is the
    Cortex-M7's."""
    if machine is None:
        return _BY_BOARD.get(board, CORTEX_M7)
    return _BY_PIPELINE.get(machine.pipeline.name, CORTEX_M7)

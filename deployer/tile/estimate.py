"""Estimated cycles of a step that runs in tiles: kernel, transfers, and how they overlap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from deployer.ir.tiling import Axis, Cut, TileCosts
from deployer.kernelset.kernel import KernelCase
from deployer.tile.layer import Layer
from deployer.tile.memory import Axes
from deployer.tile.transfer import NOTHING, Engine, Run, tile_run

STEP = 500.0  # cycles of a step beside its tiles: fork, first and last barrier
TURN = 1200.0  # of each tile: barrier, commands to the DMA, code the cache has lost meanwhile


@dataclass(frozen=True, eq=False)
class Timeline:
    """The tiles of a step, one after the other. While the kernel works on one, the next is fetched
    and the one before is written back (paper 004, figure 3); the first load and the last store
    have nothing to hide behind. ``known``: cycles of calls that were asked for before."""

    layer: Layer
    axes: Axes
    channels_inner: bool
    engine: Engine
    known: dict[KernelCase, float] = field(default_factory=dict)

    @property
    def costs(self) -> TileCosts:
        compute, moved = float(self.compute.sum()), self._beside
        spans = np.maximum(self.compute, moved)
        ends = self.loads[0] + self.stores[-1]
        busy = float((spans - self.compute).sum() + ends)
        total = STEP + TURN * len(spans) + float(spans.sum()) + ends
        return TileCosts(
            cycles=round(total),
            compute=round(compute),
            waiting=round(busy),
            bytes_in=int(self._bytes_in),
            bytes_out=int(np.prod(self.layer.extents)),
        )

    @property
    def least(self) -> float:
        """No more than ``costs`` says, and cheaper to know."""
        return STEP + TURN * len(self.compute) + float(self.compute.sum())

    @property
    def _beside(self) -> np.ndarray:
        """Cycles of the transfers that run beside each tile."""
        return np.append(self.loads[1:], 0.0) + np.insert(self.stores[:-1], 0, 0.0)

    @cached_property
    def compute(self) -> np.ndarray:
        return self._each(lambda r, c, d: self._call(self.layer.tile_case(r, c, d.count)))

    def _call(self, case: KernelCase) -> float:
        cycles = self.layer.kernel.cycles
        assert cycles is not None
        if case not in self.known:
            self.known[case] = cycles(case)
        return self.known[case]

    @cached_property
    def loads(self) -> np.ndarray:
        """Of each tile: what of inputs and weights the tile before did not have."""
        fresh = self._fresh
        inputs = self._each(lambda r, c, d: self.engine.load(self._input(r, c, d)))
        weights = self._each(lambda r, c, d: self.engine.load(self._weights(d)))
        return inputs * fresh[0] * len(self.layer.case.in_shapes) + weights * fresh[1]

    @cached_property
    def stores(self) -> np.ndarray:
        whole = self.layer.extents
        return self._each(
            lambda r, c, d: self.engine.store(tile_run((r.count, c.count, d.count), whole))
        )

    @property
    def _bytes_in(self) -> float:
        fresh = self._fresh
        inputs = self._each(lambda r, c, d: self._input(r, c, d).bytes)
        weights = self._each(lambda r, c, d: self._weights(d).bytes)
        loads = inputs * fresh[0] * len(self.layer.case.in_shapes) + weights * fresh[1]
        return float(loads.sum())

    def _input(self, rows: Cut, columns: Cut, channels: Cut) -> Run:
        depth = channels.count if self.layer.sliced else self.layer.case.in_channels
        whole = self.layer.rows(1).inputs, self.axes[1].inputs, self.layer.case.in_channels
        across = columns.inputs + self.layer.beside(columns)
        return tile_run((rows.inputs, across, depth), whole)

    def _weights(self, channels: Cut) -> Run:
        size = self.layer.weight_bytes(channels.count) + self.layer.table_bytes
        return Run(1, 1, size) if size else NOTHING

    @cached_property
    def _fresh(self) -> tuple[np.ndarray, np.ndarray]:
        """Whether each tile needs another input, other weights than the one before."""
        places, depths = self.axes[0].count * self.axes[1].count, self.axes[2].count
        shape = (places, depths) if self.channels_inner else (depths, places)
        place, depth = np.meshgrid(range(places), range(depths), indexing="ij")
        if not self.channels_inner:
            place, depth = place.T, depth.T
        assert place.shape == shape
        moved, deeper = (np.diff(a.reshape(-1), prepend=-1) != 0 for a in (place, depth))
        return moved | deeper if self.layer.sliced else moved, deeper

    def _each(self, value: Callable[[Cut, Cut, Cut], float]) -> np.ndarray:
        """``value`` of every tile, in their order, asked once for each kind of tile."""
        rows, columns, channels = (axis.kinds for axis in self.axes)
        table = np.array(
            [[[value(r, c, d) for d in channels] for c in columns] for r in rows], dtype=float
        )
        whole = table[np.ix_(*map(_kind_of_each, self.axes))]
        places = whole.reshape(-1, self.axes[2].count)
        return (places if self.channels_inner else places.T).reshape(-1)


def _kind_of_each(axis: Axis) -> list[int]:
    """Which of ``axis.kinds`` each tile is."""
    kinds = {(c.count, c.inputs, c.before, c.after): i for i, c in enumerate(axis.kinds)}
    return [kinds[c.count, c.inputs, c.before, c.after] for c in axis.cuts]

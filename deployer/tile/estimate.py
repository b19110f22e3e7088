"""Estimated cycles of a step that runs in tiles: kernel, transfers, and how they overlap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

import numpy as np

from deployer.board import TileControl
from deployer.ir import Axis, Cut, TileCosts
from deployer.tile.calls import TileCalls
from deployer.tile.layer import Layer
from deployer.tile.memory import Axes
from deployer.tile.transfer import NOTHING, Engine, Run, tile_run

Value = Callable[[Cut, Cut, Cut], float]  # of a tile's rows, columns and channels


@dataclass(frozen=True, eq=False)
class Timeline:
    """The tiles of a step, one after the other. While the kernel works on one, the next is fetched
    and the one before is written back (paper 004, figure 3), by commands of a core that leads; the
    first load and the last store have nothing to hide behind. ``known``: calls of the layer that
    were estimated before."""

    layer: Layer
    axes: Axes
    channels_inner: bool
    engine: Engine
    known: TileCalls | None = None

    @property
    def _control(self) -> TileControl:
        return self.engine.control

    @property
    def costs(self) -> TileCosts:
        spans, compute = self._spans, float(self.compute.sum())
        total = self._control.step + float(spans.sum()) + self._ends
        return TileCosts(
            cycles=round(total),
            compute=round(compute),
            waiting=round(total - self._control.fixed(len(spans)) - compute),
            bytes_in=int(self._bytes_in),
            bytes_out=int(np.prod(self.layer.extents)) * self.layer.case.element_bytes,
            early=len(spans) > 1
            and not self.layer.serial
            and bool(self.loads[1] + self._control.early > self.compute[0]),
        )

    @property
    def _is_early(self) -> bool:
        """Whether the second tile is worth moving before the first is computed."""
        if len(self.compute) == 1 or self.layer.serial:
            return False
        return bool(self.loads[1] + self._control.early > self.compute[0])

    @property
    def least(self) -> float:
        """No more than ``costs`` says, and cheaper to know."""
        compute = self._calls
        for axis in reversed(self.axes):
            compute = compute @ _shares(axis)
        return self._control.fixed(prod(axis.count for axis in self.axes)) + float(compute)

    @property
    def _spans(self) -> np.ndarray:
        """Cycles of each tile: of the cores, of the engine, of who leads; or of all after another,
        since a tile is loaded where the one before the last is done."""
        moved, cores = self._moved, self.compute + self._control.tile
        if len(cores) == 1:
            return cores
        if self.layer.serial:
            apart: np.ndarray = cores + self._led + self.loads + self.stores
            return apart
        both = (self.compute + moved + self._control.loop) / 2
        spans: np.ndarray = np.maximum.reduce([cores, moved, self._led, both])
        return spans

    @property
    def _moved(self) -> np.ndarray:
        """Cycles of the transfers that run beside each tile."""
        return _beside(self.loads, self.stores)

    @property
    def _led(self) -> np.ndarray:
        """Cycles of who leads beside each tile; the last is followed by none."""
        cut = sum(axis.count > 1 for axis in self.axes)
        control = self._control
        led = control.lead + control.axis * cut + control.command * _beside(*self._commands)
        led[-1] -= control.lead / 2 + control.axis * cut
        return led

    @property
    def _ends(self) -> float:
        """Cycles until the first tile is there, and until the last is written back."""
        if self.layer.serial and len(self.compute) > 1:
            return 0.0
        loading, storing = self._commands
        first = max(self.loads[0], self._control.command * loading[0])
        return float(first + max(self.stores[-1], self._control.command * storing[-1]))

    @cached_property
    def compute(self) -> np.ndarray:
        return self._spread(self._calls)

    @cached_property
    def _calls(self) -> np.ndarray:
        calls = self.known or TileCalls(self.layer)
        return self._of_kinds(lambda r, c, d: calls.cycles(r, c, d.count))

    @cached_property
    def loads(self) -> np.ndarray:
        """Of each tile: what of inputs and weights the tile before did not have."""
        return self._loaded(self.engine.load)

    @cached_property
    def stores(self) -> np.ndarray:
        return self._each(lambda r, c, d: self.engine.store(self._output(r, c, d)))

    @cached_property
    def _commands(self) -> tuple[np.ndarray, np.ndarray]:
        """How many load each tile, and store it."""
        stores = self._each(lambda r, c, d: self._output(r, c, d).commands)
        return self._loaded(lambda run: run.commands), stores

    @property
    def _bytes_in(self) -> float:
        return float(self._loaded(lambda run: run.bytes).sum())

    def _loaded(self, value: Callable[[Run], float]) -> np.ndarray:
        """``value`` of what is loaded for each tile."""
        fresh = self._fresh
        inputs = self._each(lambda r, c, d: value(self._input(r, c, d)))
        weights = self._each(lambda r, c, d: value(self._weights(d)))
        pixels = self._each(lambda r, c, d: value(self._pixels(d)))
        entered = (inputs * self.layer.images + pixels) * fresh[0]
        total: np.ndarray = entered + weights * fresh[1]
        return total

    def _output(self, rows: Cut, columns: Cut, channels: Cut) -> Run:
        tile = rows.count, columns.count, channels.count
        return tile_run(tile, self.layer.extents, self.layer.case.element_bytes)

    def _input(self, rows: Cut, columns: Cut, channels: Cut) -> Run:
        depth = self.layer.inner(channels.count)
        whole = self.layer.rows(1).inputs, self.axes[1].inputs, self.layer.case.in_channels
        across = columns.inputs + self.layer.border_padding(columns)
        return tile_run((rows.inputs, across, depth), whole, self.layer.case.element_bytes)

    def _pixels(self, channels: Cut) -> Run:
        """Of inputs that are one pixel."""
        count = self.layer.case.pixels.count(True)
        size = count * self.layer.inner(channels.count) * self.layer.case.element_bytes
        return Run(count, count, size) if count else NOTHING

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

    def _each(self, value: Value) -> np.ndarray:
        """``value`` of every tile, in their order, computed once for each kind of tile."""
        return self._spread(self._of_kinds(value))

    def _of_kinds(self, value: Value) -> np.ndarray:
        rows, columns, channels = (axis.kinds for axis in self.axes)
        return np.array(
            [[[value(r, c, d) for d in channels] for c in columns] for r in rows], dtype=float
        )

    def _spread(self, table: np.ndarray) -> np.ndarray:
        whole = table[np.ix_(*(axis.kind_of_each for axis in self.axes))]
        places = whole.reshape(-1, self.axes[2].count)
        return (places if self.channels_inner else places.T).reshape(-1)


def _beside(loads: np.ndarray, stores: np.ndarray) -> np.ndarray:
    """Beside each tile the next is loaded and the one before is stored."""
    pairs: np.ndarray = np.append(loads[1:], 0.0) + np.insert(stores[:-1], 0, 0.0)
    return pairs


@lru_cache(maxsize=1024)
def _shares(axis: Axis) -> np.ndarray:
    """How many tiles are of each kind."""
    return np.bincount(axis.kind_of_each).astype(float)

"""The sizes of tiles that are tried, in the order in which they are.

Of an image of many thousand columns there are millions, most of which take far too many bytes: none
of these is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deployer.ir import Axis
from deployer.kernelset import GROUP_CHANNELS as GROUP
from deployer.tile.layer import Layer
from deployer.tile.memory import Axes, Sizes
from deployer.tile.overlap import goes_by_rows, overlap_offset_of_tiles

FEW_ROWS = 16  # rows up to which every number is tried
Size = tuple[Axes, bool]  # and whether all channels of a place come before the next place


def candidates(layer: Layer, *, cores: int) -> Iterator[Size]:
    """Axes and order that leave alone what is still to be read, large tiles first; of more rows
    than a few, multiples of ``cores`` beside even parts."""
    grid = Grid.of(layer, cores=cores, by_rows=_bound(layer))
    return (size for size in grid.sizes() if _is_safe(layer, size))


def _always(tiles: int) -> bool:
    return True


def roomy(
    layer: Layer,
    size: int,
    *,
    cores: int,
    by_rows: bool = False,
    worth: Callable[[int], bool] = _always,
) -> Iterator[Size]:
    """Of ``candidates`` those whose tensors alone take ``size`` bytes at most, the fewest tiles
    first, in as many as are ``worth`` it: of a number that is not, more are not either. With
    ``by_rows`` columns are not cut."""
    grid = Grid.of(layer, cores=cores, by_rows=by_rows or _bound(layer))
    return (each for each in grid.roomy(size, worth) if _is_safe(layer, each))


def _bound(layer: Layer) -> bool:
    """Whether all tiles that are cut between columns are unsafe, or would cut blocks."""
    return layer.blocked or (layer.overlap_offset is not None and goes_by_rows(layer))


def _is_safe(layer: Layer, size: Size) -> bool:
    return is_safe(layer, size[0], channels_inner=size[1])


def is_safe(layer: Layer, axes: Axes, *, channels_inner: bool) -> bool:
    """Whether no tile overwrites input that another needs."""
    if layer.overlap_offset is None:
        return True
    needed = overlap_offset_of_tiles(layer, axes, channels_inner=channels_inner)
    return needed is not None and needed <= layer.overlap_offset


@dataclass(frozen=True, eq=False)
class Grid:
    """Each axis in every size, the largest first."""

    layer: Layer
    columns: Sequence[Axis]
    rows: Sequence[Axis]
    channels: Sequence[Axis]

    @staticmethod
    def of(layer: Layer, *, cores: int, by_rows: bool = False) -> Grid:
        """Tiles of one number differ in size by one at most, so that the last is not a sliver, or
        are whole blocks of the kernels; channels come in groups, any number of them of a single
        pixel. With ``by_rows`` columns are not cut."""
        rows, columns, _ = layer.extents
        tall = {*even(rows), *range(1, min(rows, FEW_ROWS) + 1), *range(cores, rows, cores)}
        wide = {columns} if by_rows else {*even(columns), *range(GROUP, columns, GROUP)}
        count = len(layer.depths)
        deep = even(count) if rows * columns > 1 and layer.case.groups == 1 else range(1, count + 1)
        return Grid(
            layer,
            [layer.columns(size) for size in sorted(wide, reverse=True)],
            [layer.rows(size) for size in sorted(tall, reverse=True)],
            [layer.channels(layer.depths[n - 1]) for n in sorted(deep, reverse=True)],
        )

    def sizes(self) -> Iterator[Size]:
        for column in self.columns:
            for row in self.rows:
                for channel in self.channels:
                    yield from self._orders((row, column, channel))

    def roomy(self, size: int, worth: Callable[[int], bool]) -> Iterator[Size]:
        """As ``roomy`` has it."""
        counts, places = self._fitting(size)
        for place in np.argsort(counts, kind="stable"):
            if not worth(int(counts[place])):
                return
            column, row, channel = places[place].tolist()
            yield from self._orders((self.rows[row], self.columns[column], self.channels[channel]))

    def _fitting(self, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Of those that take ``size`` bytes at most: how many tiles, and which of ``columns``,
        ``rows`` and ``channels``."""
        taken = Sizes(self.layer, self.rows, self.channels)
        fits = np.array([taken.of(column) <= size for column in self.columns])
        places = np.argwhere(fits)
        axes = self.columns, self.rows, self.channels
        numbers = [np.array([axis.count for axis in each], np.int64) for each in axes]
        counts = np.prod([each[places[:, i]] for i, each in enumerate(numbers)], axis=0)
        return counts, places

    def _orders(self, axes: Axes) -> Iterator[Size]:
        yield axes, True
        if axes[0].count * axes[1].count > 1 and axes[2].count > 1 and not self.layer.sliced:
            yield axes, False


def even(size: int) -> list[int]:
    """The largest parts of ``size`` cut in 1, 2, 3 … parts, each once."""
    return sorted({-(-size // parts) for parts in range(1, size + 1)}, reverse=True)

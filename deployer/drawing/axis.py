"""Axes of the pictures of memory: steps to the right, bytes upward."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from deployer.drawing.svg import line, write
from deployer.ir import short_name

WIDE_PX, LEFT_PX, RIGHT_PX, BOTTOM_PX = 1160, 84, 150, 120  # of the plot, and the margins around it
MIN_WIDTH_PX = 820  # of the whole drawing: the heading is that wide
STEP_RANGE_PX = (15, 72)  # least and greatest width of a step


@dataclass(frozen=True)
class Panel:
    """One memory: ``height`` bytes drawn from pixel ``bottom`` up to ``top``; ``limit`` bytes of
    the board, 0 when it is not known."""

    memory: str
    height: int
    limit: int
    left: float
    top: float
    bottom: float
    step: float
    steps: int

    @property
    def right(self) -> float:
        return self.left + self.step * self.steps

    def x(self, step: int) -> float:
        return self.left + step * self.step

    def y(self, address: float) -> float:
        return self.bottom - (self.bottom - self.top) * address / max(self.height, 1)


def step_width(steps: int) -> float:
    """Pixels of a step, so that few fill the plot and names of many can be read."""
    return min(max(WIDE_PX / max(1, steps), STEP_RANGE_PX[0]), STEP_RANGE_PX[1])


def ticks(height: int) -> Iterator[int]:
    """Four to eight round addresses in powers of two."""
    stride = 1
    while height > 7 * stride:
        stride *= 2
    return iter(range(0, height + 1, stride))


def bytes_axis(panel: Panel, title: str) -> Iterator[ET.Element]:
    """The grid with its sizes, both axes, and ``title`` upright beside them."""
    for size in ticks(panel.height):
        y = panel.y(size)
        yield line(panel.left, y, panel.right, y, "grid")
        yield write(panel.left - 8, y + 4, f"{size:,}", "small muted end num")
    yield line(panel.left, panel.bottom, panel.right, panel.bottom, "axis")
    yield line(panel.left, panel.bottom, panel.left, panel.top, "axis")
    middle = (panel.top + panel.bottom) / 2
    turn = f"rotate(-90 18 {middle:.1f})"
    yield write(18, middle, title, "muted mid", transform=turn)


def step_axis(
    panel: Panel, names: Sequence[str], accented: Collection[int]
) -> Iterator[ET.Element]:
    """Number and name of every step below the panel; those of the steps in ``accented`` stand
    out."""
    for index, name in enumerate(names):
        x, y = panel.x(index) + panel.step / 2, panel.bottom + 16
        tone = "hot strong" if index in accented else "muted"
        yield write(x, y, str(index), f"small {tone} mid num")
        turn = f"rotate(-55 {x + 4:.1f} {y + 12})"
        yield write(x + 4, y + 12, short_name(name, 18), f"small {tone} end", transform=turn)

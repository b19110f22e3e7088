"""The view of tiles in an inner memory."""

from __future__ import annotations

from dataclasses import replace

from deployer.ir.plan import StepTiles, TilePlan
from deployer.ir.show import tiles_text
from deployer.ir.tiling import Axis, TileBuffer, TileCosts, Tiling
from unit.ir.test_ir_show import scheduled, small

STEM = Tiling(
    memory="l1",
    rows=Axis(2, 4, 8, stride=2, taps=3),
    columns=Axis(4, 4, 8, stride=2, taps=3),
    channels=Axis(4, 4, 4),
    sliced=False,
    group_bytes=128,
    channels_inner=True,
    buffers=(TileBuffer("input", 0, 128, 2), TileBuffer("weights", 256, 128)),
    costs=TileCosts(cycles=1728, compute=864, waiting=432, bytes_in=320, bytes_out=64),
)
PLAN = TilePlan(
    (
        StepTiles("stem", (1, 2, 4, 4), 2, STEM),
        *(StepTiles(name, (1, 4, 4, 4)) for name in ("dw", "join", "mean", "classes")),
    )
)

VIEW = """\
tile plan: 5 steps, 4 in one tile
1 steps in l1 384 B: 1,728 cycles, 432 waiting (estimated)
inner: channels, all of a place first; places, all of some channels first
inside: bytes in the inner memory; in, out: bytes moved; busy, waits: of the cycles

#  node     tile     tiles  inner  inside   in  out  cycles  busy  waits  MAC/c
0  stem     1x2x4x4      2            384  320   64   1,728   50%    25%   1.00
1  dw       1x4x4x4      1  -
2  join     1x4x4x4      1  -
3  mean     1x4x4x4      1  -
4  classes  1x4x4x4      1  -
"""


def test_what_tiles_hold_move_and_cost() -> None:
    assert tiles_text(PLAN, scheduled(small())) == VIEW


def test_without_a_schedule_there_are_no_rates() -> None:
    text = tiles_text(PLAN)
    assert "1,728" in text
    assert "1.00" not in text


def test_the_order_is_told_where_there_is_one() -> None:
    both = replace(STEM, channels=Axis(2, 4, 4), channels_inner=False)
    assert "places  " in tiles_text(TilePlan((StepTiles("stem", (1, 2, 4, 2), 4, both),)))
    inner = replace(both, channels_inner=True)
    assert "channels  " in tiles_text(TilePlan((StepTiles("stem", (1, 2, 4, 2), 4, inner),)))

"""Estimated cycles of a step in tiles: against runs in GVSoC, figures worked by hand, and a walk
through the tiles that counts pixels and addresses one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.ir.tiling import TileCosts
from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import by_symbol
from deployer.tile.estimate import Timeline
from deployer.tile.layer import Layer
from deployer.tile.transfer import Run, tile_run
from unit.tile.layers import add, conv, room

LAYERS = st.sampled_from([conv(12, 10, 8, 20), conv(9, 16, 3, 12, stride=2), add(8, 6, 24)])
# docs/gap8.md: of a step, of each tile, of who leads one, of an axis that is cut, of a command to
# the DMA, and until who leads has noticed and answered; cycles
STEP, TILE, LEAD, LEAD_AXIS, COMMAND, ANSWER = 800, 150, 800, 130, 80, 700
# cycles of a transfer into L1 and out of it, measured in GVSoC (tests/emulated/test_gap8_timing.py)
RUNS = {
    8: (18, 18), 64: (24, 24), 256: (48, 48), 1024: (144, 150), 4096: (528, 546),
    16384: (2070, 2130), 32764: (4122, 4254),
}  # fmt: skip
LINES = {(64, 32): (270, 336), (256, 4): (270, 528)}  # lines of so many bytes


@pytest.mark.parametrize("size", RUNS)
def test_a_run_of_bytes_takes_as_long_as_measured(size: int) -> None:
    engine, run = room(0).engine, Run(1, 1, size)
    found = engine.load(run), engine.store(run)
    assert found == pytest.approx(RUNS[size], rel=0.02, abs=6)


@pytest.mark.parametrize("lines", LINES)
def test_lines_take_as_long_as_measured(lines: tuple[int, int]) -> None:
    count, size = lines
    engine, run = room(0).engine, Run(1, count, count * size)
    assert (engine.load(run), engine.store(run)) == pytest.approx(LINES[lines], rel=0.05)


def real(layer: Layer, symbol: str) -> Layer:
    return replace(layer, kernel=by_symbol(symbol))


def dense(inputs: int, outputs: int) -> Layer:
    case = KernelCase(
        op="FullyConnected",
        act="s8",
        weights="s8",
        in_shapes=((1, inputs),),
        out_shape=(1, outputs),
        rule="i32",
    )
    return Layer(by_symbol("dpl_fully_connected_s8__xpulpv2"), case, False, 4 * (inputs + 12))


CONV = "dpl_conv2d_s8__xpulpv2"


@pytest.mark.parametrize(
    ("layer", "tile", "measured"),
    [
        (real(conv(32, 32, 32, 64), CONV), (4, 32, 64), 944_843),
        (real(conv(32, 32, 64, 64, kernel=1), CONV), (4, 32, 64), 242_891),
        (dense(512, 128), (1, 1, 32), 10_494),
    ],
    ids=["3x3", "1x1", "dense"],
)
def test_a_step_takes_as_long_as_a_run_in_gvsoc(
    layer: Layer, tile: tuple[int, int, int], measured: int
) -> None:
    """Double buffered from L2 on eight cores, by kernels of the same design; the first load, the
    last store and barriers included."""
    assert costs(layer, tile).cycles == pytest.approx(measured, rel=0.06)


def test_a_tile_brings_its_halo_and_the_pixels_beside_it() -> None:
    """Of 32 rows in tiles of four the outer two need five rows of the input, the others six; each
    row has 32 pixels and one that the next begins with. Weights: 16 groups of 4 x (9 x 32 + 12)."""
    found = costs(real(conv(32, 32, 32, 64), CONV), (4, 32, 64))
    assert found.bytes_in == (2 * 5 + 6 * 6) * 33 * 32 + 16 * 1200
    assert found.bytes_out == 32 * 32 * 64


def timeline(layer: Layer, tile: tuple[int, int, int], *, inner: bool = True) -> Timeline:
    """``tile``: rows, columns and channels of the output. ``inner``: channels change fastest."""
    rows, columns, channels = tile
    axes = layer.rows(rows), layer.columns(columns), layer.channels(channels)
    return Timeline(layer, axes, inner, room(0).engine)


def costs(layer: Layer, tile: tuple[int, int, int], *, inner: bool = True) -> TileCosts:
    return timeline(layer, tile, inner=inner).costs


# -- a walk through the tiles

Box = tuple[range, range, range]  # rows, columns, channels


@dataclass
class Moved:
    """What the DMA does for a tile."""

    commands: int = 0
    cycles: float = 0.0
    bytes: int = 0

    def box(self, box: Box, whole: tuple[int, ...], *, out: bool) -> None:
        """One box of a contiguous tensor whose columns and channels are ``whole``: a command for
        its lines, one for each row where columns and channels are both cut. A line takes a cycle
        for eight bytes begun, out of L1 for 7.75 and one more; a single one is a run."""
        runs = list(_runs(box, whole))
        cut = len(box[1]) < whole[1] and len(box[2]) < whole[2]
        commands = len(box[0]) if cut else 1
        size = sum(runs)
        cycles = size / (7.75 if out else 8)
        if len(runs) > commands:
            cycles = max(cycles, len(runs)) + (len(runs) if out else 0)
        self.add(commands, 20 * commands + cycles, size)

    def add(self, commands: int, cycles: float, size: int) -> None:
        self.commands += commands
        self.cycles += cycles
        self.bytes += size


def _runs(box: Box, whole: tuple[int, ...]) -> Iterator[int]:
    """Bytes of each run of addresses that follow one another."""
    addresses = [
        (row * whole[1] + column) * whole[2] + channel
        for row in box[0]
        for column in box[1]
        for channel in box[2]
    ]
    length = 1
    for before, after in pairwise(addresses):
        if after == before + 1:
            length += 1
        else:
            yield length
            length = 1
    yield length


def parts(extent: int, tile: int) -> list[range]:
    return [range(begin, min(begin + tile, extent)) for begin in range(0, extent, tile)]


def window(outputs: range, inputs: int, layer: Layer, *, whole: bool) -> range:
    """The inputs along an axis that some tap of ``outputs`` falls on; all where it is not cut."""
    taps, stride = layer.case.kernel[0], layer.case.stride[0]
    pad = taps // 2
    seen = {o * stride - pad + tap for o in outputs for tap in range(taps)} & set(range(inputs))
    return range(inputs) if whole else range(min(seen), max(seen) + 1)


def kernel_cycles(layer: Layer, rows: int, columns: int, channels: int) -> float:
    """As unit.tile.layers states them: a convolution does four products a cycle, for groups of four
    channels; an addition two bytes."""
    if layer.case.op == "Add":
        return rows * columns * channels / 2
    products = rows * columns * -(-channels // 4) * 4 * layer.case.in_channels
    return 100 + products * layer.case.kernel[0] * layer.case.kernel[1] / 4


@dataclass
class Walk:
    """Of each tile in its turn."""

    kernel: list[float]
    loads: list[Moved]
    stores: list[Moved]


def walk(layer: Layer, tile: tuple[int, int, int], *, inner: bool) -> Walk:
    cuts = [parts(extent, size) for extent, size in zip(layer.extents, tile, strict=True)]
    places = [(rows, columns) for rows in cuts[0] for columns in cuts[1]]
    boxes: list[Box] = [(*place, depth) for place in places for depth in cuts[2]]
    if not inner:
        boxes = [(*place, depth) for depth in cuts[2] for place in places]
    found, before = Walk([], [], []), None
    for box in boxes:
        found.kernel.append(kernel_cycles(layer, *map(len, box)))
        found.loads.append(loaded(layer, box, before, [len(each) == 1 for each in cuts]))
        stored = Moved()
        stored.box(box, layer.extents, out=True)
        found.stores.append(stored)
        before = box
    return found


def loaded(layer: Layer, box: Box, before: Box | None, uncut: list[bool]) -> Moved:
    """Inputs and weights that the tile before did not have. An addition needs the channels it makes
    of both operands, a convolution all."""
    moved, whole = Moved(), layer.case.in_shapes[0][1:]
    elementwise = layer.case.op == "Add"
    if before is None or before[:2] != box[:2] or (elementwise and before[2] != box[2]):
        rows, columns = (
            window(box[axis], whole[axis], layer, whole=uncut[axis]) for axis in (0, 1)
        )
        channels = box[2] if elementwise else range(whole[2])
        for _ in layer.case.in_shapes:
            moved.box((rows, columns, channels), whole, out=False)
    if layer.group_bytes and (before is None or before[2] != box[2]):
        size = -(-len(box[2]) // 4) * layer.group_bytes
        moved.add(1, 20 + size / 8, size)
    return moved


def spans(found: Walk, axes_cut: int) -> Iterator[float]:
    """Cycles of each tile: of the cores, of the DMA that loads the next and stores the one before,
    of who leads both, or of a tile and its transfers in turn, two tiles at a time."""
    last = len(found.kernel) - 1
    for n, own in enumerate(found.kernel):
        beside = [*found.loads[n + 1 : n + 2], *(found.stores[n - 1 : n] if n else [])]
        moving = sum(each.cycles for each in beside)
        lead = LEAD + LEAD_AXIS * axes_cut if n < last else LEAD / 2
        lead += COMMAND * sum(each.commands for each in beside)
        both = (own + moving + ANSWER) / 2
        yield max(own + TILE, moving, lead, both) if last else own + TILE


@settings(max_examples=60)
@given(LAYERS, st.integers(1, 12), st.integers(1, 16), st.integers(1, 6), st.booleans())
def test_costs_are_those_of_a_walk_through_the_tiles(
    layer: Layer, tall: int, wide: int, groups: int, inner: bool
) -> None:
    extents = layer.extents
    tile = (min(tall, extents[0]), min(wide, extents[1]), min(4 * groups, extents[2]))
    found = walk(layer, tile, inner=inner)
    axes_cut = sum(size < extent for size, extent in zip(tile, extents, strict=True))
    first, last = found.loads[0], found.stores[-1]
    ends = max(first.cycles, COMMAND * first.commands) + max(last.cycles, COMMAND * last.commands)
    total = STEP + sum(spans(found, axes_cut)) + ends
    fixed = STEP + TILE * len(found.kernel)
    line = timeline(layer, tile, inner=inner)
    assert line.costs.cycles == pytest.approx(total, abs=1)
    assert line.costs.compute == pytest.approx(sum(found.kernel), abs=1)
    assert line.costs.waiting == pytest.approx(total - fixed - sum(found.kernel), abs=1)
    assert line.costs.bytes_in == sum(each.bytes for each in found.loads)
    assert line.costs.bytes_out == sum(each.bytes for each in found.stores)
    assert line.least == pytest.approx(fixed + sum(found.kernel))


# -- figures worked by hand


def test_no_line_is_shorter_than_a_cycle() -> None:
    """64 lines of 4 bytes in take as long as of 8; out each takes one more."""
    engine = room(0).engine
    short, eight = tile_run((8, 8, 4), (8, 8, 32)), tile_run((8, 8, 8), (8, 8, 32))
    assert engine.load(short) == engine.load(eight) == 20 + 64
    assert engine.store(short) == 20 + 2 * 64


def point(cycles: float) -> Layer:
    """4 rows of a pixel of 8 channels each, to 4 channels; weights of 160 bytes."""
    layer = conv(4, 1, 8, 4, kernel=1)
    kernel = replace(layer.kernel, cycles=lambda case: cycles * case.out_shape[1])
    return replace(layer, kernel=kernel, group_bytes=160)


def test_a_single_tile_waits_for_its_load_and_its_store() -> None:
    """A step of 800 and a tile of 150; two commands of 80 take longer than 40 + 32 / 8 + 160 / 8,
    one longer than 20 + 16 / 7.75."""
    found = costs(point(100.0), (4, 1, 4))
    assert (found.compute, found.waiting) == (400, 160 + 80)
    assert found.cycles == 800 + 150 + 400 + 160 + 80
    assert (found.bytes_in, found.bytes_out, found.early) == (32 + 160, 16, False)


@pytest.mark.parametrize("cycles", [10_000.0, 400.0, 100.0], ids=["kernel", "both", "lead"])
def test_a_tile_takes_as_long_as_the_slowest_beside_it(cycles: float) -> None:
    """Of two rows each: the second is loaded beside the first, which is stored beside the second.
    Who leads needs 800, 130 for an axis, 80 a command; half of the 800 alone at the end."""
    own = 2 * cycles
    load, store = 20 + 16 / 8, 20 + 8 / 7.75
    first = max(own + 150, load, 800 + 130 + 80, (own + load + 700) / 2)
    second = max(own + 150, store, 400 + 80, (own + store + 700) / 2)
    found = costs(point(cycles), (2, 1, 4))
    assert found.cycles == round(800 + first + second + 160 + 80)
    assert found.early == (load + 500 > own)


@pytest.mark.parametrize(("cycles", "early"), [(260.0, True), (262.0, False)])
def test_commands_are_early_where_the_kernel_ends_before_the_next_tile_is_there(
    cycles: float, early: bool
) -> None:
    """500 cycles after the call who leads gives them; two rows of eight bytes take 20 + 2."""
    assert costs(point(cycles), (2, 1, 4)).early is early

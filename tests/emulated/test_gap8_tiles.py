"""Networks cut to tiles of GAP8's L1, as small as it may be: every integer stays the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from deployer.ir.attrs import Clamp, Pads, PointAttrs, ResizeAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.plan import TilePlan
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute, open_store
from deployer.resources import data_root
from emulated.test_shared import views
from unit.quantize.graphs import Draft

SAME = Window((3, 3), pads=Pads(1, 1, 1, 1))
HALF = Window((3, 3), (2, 2), pads=Pads(0, 0, 1, 1))
STACKS = 8  # KiB of L1


def residual() -> Graph:
    """Convolutions of all strides, an addition, pools, a dense layer."""
    draft = Draft(1, 22, 26, 3, seed=1)
    stem = draft.conv("x", 16, SAME)
    joined = draft.add(stem, draft.conv(draft.conv(stem, 16, SAME), 16, SAME))
    small = draft.largest(draft.conv(joined, 24, HALF), Window((2, 2), (2, 2)))
    point = draft.conv(small, 44, Window((1, 1)))
    pooled = draft.average(point, Window((5, 6)))
    return draft.graph(draft.dense(draft.reshape(pooled, 1, 44), 30))


def deep() -> Graph:
    """Weights that are many times the room."""
    draft = Draft(1, 11, 9, 48, seed=2)
    first = draft.conv("x", 70, SAME)
    flat = draft.reshape(draft.conv(first, 8, Window((11, 9))), 1, 8)
    return draft.graph(draft.dense(draft.dense(flat, 150), 70))


def wide() -> Graph:
    """Rows that do not fit as a whole."""
    draft = Draft(1, 5, 150, 16, seed=3)
    five = Window((5, 5), pads=Pads(2, 2, 2, 2))
    return draft.graph(draft.add(draft.conv("x", 16, five), "x"))


def gated() -> Graph:
    """A table, a product of two tensors, a change of scale."""
    draft = Draft(1, 13, 11, 20, seed=5)
    left = draft.table(draft.conv("x", 22, SAME), "hard_swish")
    right = draft.rescale(draft.conv("x", 22, Window((1, 1))))
    return draft.graph(draft.node("Mul", left, right, attrs=PointAttrs()))


def separable() -> Graph:
    """Depthwise layers of both strides between 1x1 ones."""
    draft = Draft(1, 18, 20, 8, seed=4)
    one = draft.conv(draft.depthwise("x", SAME), 20, Window((1, 1)))
    two = draft.conv(draft.depthwise(one, HALF), 36, Window((1, 1)))
    return draft.graph(draft.conv(draft.depthwise(two, SAME), 8, Window((1, 1))))


def blocked() -> Graph:
    """Depthwise layers that read transposed blocks: of both strides, with pads and without, whole
    strips of columns and halves, bounds of their own, of a Concat; beside some that cannot."""
    draft, wide = Draft(1, 16, 24, 3, seed=15), Window((3, 3), (2, 2), pads=Pads(1, 1, 1, 1))
    point, bounded = Window((1, 1)), Clamp(0.0, 0.8)
    one = draft.depthwise(draft.conv("x", 12, SAME), SAME, clamp=bounded)
    two = draft.depthwise(draft.conv(one, 20, point), wide)
    three = draft.depthwise(draft.conv(two, 16, point), HALF, clamp=bounded)
    four = draft.conv(three, 28, point)
    odd = draft.conv(draft.depthwise(four, SAME), 8, point)
    read = draft.conv(two, 8, point)
    both = draft.concat(read, draft.conv(two, 12, point), axis=3)
    five = draft.depthwise(both, wide, clamp=Clamp(-0.5, 0.5))
    return draft.graph(draft.concat(odd, draft.conv(five, 4, point), axis=3))


def parted() -> Graph:
    """Convolutions that read a part of what a Concat makes, whose pixels have others between them;
    one whose taps do."""
    draft = Draft(1, 14, 18, 3, seed=6)
    left = draft.conv("x", 8, SAME)
    joined = draft.concat(left, draft.conv(left, 5, SAME), axis=3)
    half = draft.conv(joined, 6, HALF)
    both = draft.concat(half, draft.conv(half, 4, SAME), axis=3)
    apart = Window((3, 3), dilation=(2, 2), pads=Pads(2, 2, 2, 2))
    return draft.graph(draft.conv(both, 8, apart))


def tiny() -> Graph:
    """Tensors that are no larger in L1 with zero points beside them than without."""
    draft = Draft(1, 1, 2, 4, seed=7)
    point = draft.conv("x", 4, Window((1, 1)))
    return draft.graph(draft.conv(draft.conv(point, 4, SAME), 8, SAME))


def grouped() -> Graph:
    """Groups of words and of none, channels that are no fours, taps apart, several outputs of a
    channel."""
    draft = Draft(1, 14, 15, 18, seed=8)
    three = draft.conv("x", 30, SAME, groups=3)
    apart = Window((3, 3), dilation=(2, 2), pads=Pads(2, 2, 2, 2))
    two = draft.conv(draft.conv(three, 32, Window((1, 1)), groups=2), 24, apart, groups=4)
    single = draft.conv(draft.depthwise(two, HALF, multiplier=2), 1, SAME)
    return draft.graph(draft.conv(single, 5, Window((5, 3), pads=Pads(2, 1, 2, 1))))


def column() -> Graph:
    """Images of one column, which are cut as rows."""
    draft = Draft(1, 90, 1, 5, seed=9)
    long = Window((9, 1), pads=Pads(4, 0, 4, 0))
    first = draft.depthwise(draft.conv("x", 17, long), Window((5, 1), pads=Pads(2, 0, 2, 0)))
    half = draft.largest(first, Window((2, 1), (2, 1)))
    second = draft.conv(half, 24, Window((4, 1), (3, 1), pads=Pads(1, 0, 2, 0)))
    return draft.graph(draft.conv(second, 6, Window((3, 1), dilation=(2, 1)), groups=2))


def sloped() -> Graph:
    """PRelus, and a pixel that multiplies all others."""
    draft = Draft(1, 15, 14, 3, seed=10)
    slopes = np.linspace(0.05, 0.6, 22).astype(np.float32)
    first = draft.prelu(draft.conv("x", 22, SAME, clamp=Clamp()), slopes)
    pixel = draft.conv(draft.average(first, Window((15, 14))), 22, Window((1, 1)))
    factors = draft.table(pixel, "hard_sigmoid", 1 / 6, 0.5)
    return draft.graph(draft.node("Mul", factors, first, attrs=PointAttrs()))


def decoder() -> Graph:
    """Transposed convolutions: neighbours apart and together, groups, many weights."""
    draft = Draft(1, 9, 7, 20, seed=11)
    first = draft.deconv("x", 16, Window((2, 2), (2, 2)), (18, 14))
    wide = Window((4, 4), (2, 2), pads=Pads(1, 1, 1, 1))
    second = draft.deconv(first, 10, wide, (36, 28), groups=2)
    single = draft.deconv(second, 20, SAME, (36, 28), groups=10)
    return draft.graph(draft.deconv(single, 7, SAME, (36, 28)))


def shuffled() -> Graph:
    """Channels of groups in turns, cut by rows."""
    draft = Draft(1, 21, 16, 12, seed=13)
    first = draft.conv("x", 30, Window((1, 1)), groups=3)
    turned = draft.transpose(draft.reshape(first, 1, 21 * 16, 3, 10), 0, 1, 3, 2)
    second = draft.conv(draft.reshape(turned, 1, 21, 16, 30), 8, Window((1, 1)), groups=2)
    return draft.graph(second)


def magnified() -> Graph:
    """Pixels that become several, by other factors down and across."""
    draft = Draft(1, 9, 11, 5, seed=14)
    two = draft.node("Resize", draft.conv("x", 12, SAME), attrs=ResizeAttrs((2, 2)))
    six = draft.node("Resize", draft.conv(two, 3, SAME), attrs=ResizeAttrs((1, 3)))
    return draft.graph(draft.conv(six, 4, HALF))


def heavy() -> Graph:
    """Four channels whose weights have no room twice in 8 KiB."""
    draft = Draft(1, 1, 40, 64, seed=12)
    return draft.graph(draft.conv("x", 12, Window((1, 20), pads=Pads(0, 10, 0, 9))))


NETS: dict[str, Callable[[], Graph]] = {
    "residual": residual,
    "deep": deep,
    "wide": wide,
    "separable": separable,
    "blocked": blocked,
    "gated": gated,
    "views": views,
    "parted": parted,
    "tiny": tiny,
    "grouped": grouped,
    "column": column,
    "sloped": sloped,
    "decoder": decoder,
    "heavy": heavy,
    "shuffled": shuffled,
    "magnified": magnified,
}


def _board(folder: Path, tiles_kib: int) -> Path:
    text = (data_root() / "boards" / "gap8.toml").read_text()
    size = f'size   = "{STACKS + tiles_kib}KiB"'
    small = re.sub(r'size   = "64KiB"', size, text.replace('"gap8"', '"small"', 1))
    assert size in small
    (folder / "small.toml").write_text(small)
    return folder


def _job(net: Graph, folder: Path, tiles_kib: int, options: Options) -> Job:
    model = folder / "net.onnx"
    model.write_bytes(b"the graph stands in for the imported file")
    board = _board(folder, tiles_kib)
    job = make_job(
        model, "small", runner="gap8_sim", options=options, output=folder, board_dir=board
    )
    open_store(job).put("import", net)
    return job


def _run(net: Graph, folder: Path, tiles_kib: int, options: Options) -> tuple[dict, TilePlan]:
    job = _job(net, folder, tiles_kib, options)
    store = execute(job, first="quantize")
    return run_job(job, store), store.get("tile")


OPTIONS = Options(golden_samples=1, bias_correction="off", equalize="off", restructure="off")


@pytest.mark.parametrize("kib", [8, 24, 56])
@pytest.mark.parametrize("name", NETS)
def test_tiles_are_bit_exact(
    name: str, kib: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("riscv64-unknown-elf-gcc")
    report, tiles = _run(NETS[name](), tmp_path, kib, OPTIONS)
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    assert tiles.heights["l1"] <= kib << 10


@pytest.mark.parametrize("kib", [8, 24])
@pytest.mark.parametrize(
    "name",
    [
        "residual",
        "deep",
        "separable",
        "gated",
        "views",
        "column",
        "sloped",
        "decoder",
        "grouped",
        "shuffled",
        "magnified",
    ],
)
def test_tiles_of_int16_are_bit_exact(
    name: str, kib: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    """Values of two bytes; rows, columns and channels are cut, and some arrays are views. No layer
    takes much longer than its estimate, as where a few cores had all of the work."""
    tool("riscv64-unknown-elf-gcc")
    report, tiles = _run(NETS[name](), tmp_path, kib, replace(OPTIONS, bits=16))
    assert report["golden"]["match"], report["golden"]
    assert all(layer["match"] for layer in report["layers"])
    counts = [step.tiling.count for step in tiles.steps if step.tiling]
    assert max(counts) > 1 or kib > 8 or name == "views"
    tiled = [each for each in report["layers"] if each["tiles"]]
    own = [each for each in tiled if each["kernel"].endswith("__xpulpv2")]
    assert own
    assert all(each["count"] < 1.6 * each["tiles"]["cycles"] for each in own)
    assert tiles.heights["l1"] <= kib << 10


def test_dorys_tiles_are_bit_exact(tool: Callable[[str], str], tmp_path: Path) -> None:
    """They take all places of some channels first."""
    tool("riscv64-unknown-elf-gcc")
    report, tiles = _run(deep(), tmp_path, 24, replace(OPTIONS, tiler="dory"))
    assert report["golden"]["match"]
    cut = [step.tiling for step in tiles.steps if step.tiling]
    assert any(t.rows.count > 1 and t.channels.count > 1 and not t.channels_inner for t in cut)


def test_blocks_are_read_in_all_ways(tmp_path: Path) -> None:
    """So that the network above runs through them."""
    store = execute(_job(blocked(), tmp_path, 56, OPTIONS), first="quantize", last="schedule")
    kernels = {step.kernel.partition("__xpulpv2")[2] for step in store.get("schedule").steps}
    assert {"_blocked", "_blocked_by_2", "_blocked_by_2_unpadded", "_3x3"} <= kernels


def test_small_tiles_cut_every_axis(tmp_path: Path) -> None:
    """So that the networks above run through all the ways data moves."""
    found = set()
    for name, kib in product(NETS, (8, 24)):
        folder = tmp_path / f"{name}{kib}"
        folder.mkdir()
        store = execute(_job(NETS[name](), folder, kib, OPTIONS), first="quantize", last="tile")
        tiles: TilePlan = store.get("tile")
        for step in filter(None, (step.tiling for step in tiles.steps)):
            cut = [a for a in ("rows", "columns", "channels") if getattr(step, a).count > 1]
            found.update(cut)
    assert found == {"rows", "columns", "channels"}


def test_nothing_moves_beside_tiles_that_have_no_room_twice(tmp_path: Path) -> None:
    found = {}
    for kib in (8, 24):
        folder = tmp_path / str(kib)
        folder.mkdir()
        store = execute(_job(heavy(), folder, kib, OPTIONS), first="quantize", last="tile")
        (step,) = (each.tiling for each in store.get("tile").steps if each.tiling)
        assert not step.serial or {b.sides for b in step.buffers if b.id != "turns"} == {1}
        found[kib] = step.serial, step.count > 1
    assert found == {8: (True, True), 24: (False, False)}

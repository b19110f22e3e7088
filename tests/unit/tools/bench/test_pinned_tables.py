"""Whole tables of figures made up, as JSON and as Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from deployer.allocate.heuristics.bag import BAG
from deployer.board.load import load_board
from deployer.tools.bench import (
    accuracy_table,
    allocation_table,
    board_time_table,
    cost,
    fits_table,
    kernels_table,
    model_time_table,
    tiled_kernels_table,
    tiles_facts,
    tiles_table,
    zoo_table,
)
from deployer.tools.bench.allocation import OURS, Result
from deployer.tools.bench.cost_fit import Fit, KernelError
from deployer.tools.bench.fits import FitsRow, Plan
from deployer.tools.bench.row import DIFFERS, FAILED, LIMIT
from deployer.tools.bench.tiled_kernels import Found, KernelRow
from deployer.tools.bench.tiles import TilesRun
from planned import pinned
from unit.tools.bench.test_bench_rows import EXACT_ROW, TOO_LARGE
from unit.tools.bench.test_bench_texts import FACTS
from unit.tools.bench.test_board_time_table import FOUND
from unit.tools.bench.test_tiled_kernels_table import INSIDE, TILED
from unit.tools.bench.tiled_rows import board, coarse, row, run, too_large
from unit.tools.bench.timed_nets import layer, timed
from unit.tools.timing.measured import MACHINE

FOLDER = Path(__file__).parent / "pinned"
Texts = Iterator[str]


def _json(facts: Any) -> str:
    return json.dumps(facts, indent=1)


def tiles() -> Texts:
    streamed = {"bytes": 4096, "stalled": 1000, "stalls": {"first": 700}}
    rows = [
        row(1200, 2400, 400, more=(run(1000, 2500, 500, runner="gvsoc"),)),
        coarse(row(900, 2600, 0, tiler="dory")),
        replace(row(1500, 2500, 0, inner=32), streamed=streamed),
        replace(coarse(row(1400, 2800, 0, tiler="dory", inner=32)), streamed=streamed),
        too_large(),
        replace(row(1, 2, 3), runs=(TilesRun("gvsoc", FAILED, "gapy | is\nnot here"),)),
        replace(row(5, 6, 7), outcome=DIFFERS, detail="second"),
    ]
    for some in (rows, rows[:2], rows[2:4], rows[4:5]):
        facts = tiles_facts.tiles_table_facts(board(), some)
        yield from (tiles_table.tiles_markdown(facts, layers=each) for each in (False, True))
    yield _json(facts)
    yield _json(tiles_facts.tiles_table_facts(board(), rows[:4]))


def zoo() -> Texts:
    other = replace(EXACT_ROW, style="dynamo", same_as="torchscript")
    rows = [
        EXACT_ROW, other, TOO_LARGE,
        replace(EXACT_ROW, scheme="float-scale", outcome=DIFFERS, exact_layers=9, compiler="gcc"),
        replace(EXACT_ROW, network="unet", outcome=LIMIT, detail="not done within 9 s", count=None),
        replace(EXACT_ROW, network="vgg16", regions=2, plain_arena=4321, added_macs=0.125),
        replace(TOO_LARGE, network="vgg16", over={}, detail="no room", regions=0),
    ]  # fmt: skip
    for some in (rows, rows[:1], rows[2:3]):
        yield zoo_table.zoo_markdown(zoo_table.zoo_facts(some))
    yield _json({**zoo_table.zoo_facts(rows), "deployer": ""})


def fits() -> Texts:
    rows = []
    plain = Plan(900, 0.0, 0.0, (("sram", 7),), 0)
    for index, (flash, by_rows, regions) in enumerate(product((0, 5), (False, True), (0, 2))):
        over = (("flash", flash),) if flash else ()
        found = Plan(400 + index, 0.01 * regions, 0.02 * regions, over, regions)
        fitting = None if index == 5 else found
        rows.append(
            FitsRow(
                "net", 0.5, 160, 10**6, 99, plain, found, plain, fitting, by_rows, "exact"[:index]
            )
        )
    rows.append(replace(rows[0], plain=replace(plain, over=()), emulated=""))
    for some in (rows, rows[:1], rows[-1:]):
        yield fits_table.fits_markdown(fits_table.fits_facts(some, "desk"))
    yield _json(fits_table.fits_facts(rows, "desk"))


def models() -> Texts:
    pool = layer(1, 1024, op="MaxPool", macs=0, floor=None, elements=64, weight_bytes=0)
    networks = [
        timed(36_864, 20_000),
        replace(
            timed(1000, name="more", unknown=("frobnicate", "nap")), layers=(layer(0, 99), pool)
        ),
        timed(700, name="last", flags=("-O3",), compiler="another"),
    ]
    for some in (networks, networks[:1], networks[1:2]):
        facts = model_time_table.model_time_facts(MACHINE, some)
        yield from (
            model_time_table.model_time_markdown(facts, loops=each) for each in (False, True)
        )
        yield kernels_table.kernels_markdown(kernels_table.kernels_facts(MACHINE, some))
    yield _json(kernels_table.kernels_facts(MACHINE, networks))


def tiled_kernels() -> Texts:
    found = Found(INSIDE, 7500, TILED)
    rows = [
        KernelRow("any", "gap8_sim", "MAC", "exact", found=found),
        KernelRow("pool", "gap8_sim", "output", "exact", found=Found(INSIDE, 7500, TILED)),
        KernelRow("max", "gap8_sim", "input", "exact", found=found),
        KernelRow("any", "gvsoc", "MAC", FAILED, "gapy | is not here"),
        KernelRow("odd", "gvsoc", "MAC", DIFFERS, "3 of 9"),
    ]
    for some in (rows, rows[1:2], rows[3:]):
        yield tiled_kernels_table.tiled_kernels_markdown(
            tiled_kernels_table.tiled_kernels_facts(board(), some)
        )
    yield _json(tiled_kernels_table.tiled_kernels_facts(board(), rows))


def others() -> Texts:
    yield board_time_table.board_time_markdown(board_time_table.board_time_facts(FOUND))
    yield _json(board_time_table.board_time_facts(FOUND))
    yield accuracy_table.accuracy_markdown(FACTS)
    shipped = load_board("nucleo-f767zi").cost
    assert shipped is not None
    errors = (KernelError("dpl_conv2d_s8__ref", 17, 0.0123, 0.045),)
    few = dict(list(shipped.table.kernels.items())[:4])
    table = replace(shipped.table, kernels=few, tool="a tool", compiler="a compiler")
    facts = cost.cost_facts("nucleo-f767zi", table, Fit({}, 20, 0.01, 0.05, errors))
    yield cost.cost_markdown(facts)
    yield allocation_table.allocation_markdown(list(_placed()))


def _placed() -> Iterator[Result]:
    solvers = (*BAG, "bag", OURS)
    for group, name in (("hand", "googlenet"), ("hand", "resnet18"), ("cells", "c0")):
        for index, solver in enumerate(solvers):
            spare = 1 if name == "c0" else 7 * (len(solvers) - 1 - index)
            size = (1 << 20) + (spare << 14)
            yield Result(group, name, 30, solver, size, 1 << 20, 0.001 * (index + 1))


TABLES: dict[str, Callable[[], Texts]] = {
    "tiles": tiles, "zoo": zoo, "fits": fits, "models": models, "tiled-kernels": tiled_kernels,
    "other-tables": others,
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_those_pinned(name: str) -> None:
    text = "\n----\n".join(TABLES[name]())
    pinned(FOLDER / f"{name}.txt", re.sub(r'(with deployer |"deployer": ")[\w.+]+', r"\1X", text))

"""Graphs, schedules, plans and tiles that no stage makes: each rule broken once, and its ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from deployer.ir.attrs import ConcatAttrs, Pads, SliceAttrs, Window
from deployer.ir.graph import Graph
from deployer.ir.ops import OPS
from deployer.ir.plan import (
    Buffer,
    ConstantPlace,
    MemoryPlan,
    Placement,
    Schedule,
    Step,
    StepTiles,
    TilePlan,
)
from deployer.ir.prefetch import Fetch, PrefetchPlan
from deployer.ir.share import INSIDE, OVER, VIEW, Share
from deployer.ir.sound import faults_of
from deployer.ir.tiling import Axis, TileBuffer, TileCosts, Tiling
from deployer.ir.types import DType, QuantParams
from deployer.ir.verify import InvariantError, verify
from deployer.ir.views import share_faults
from deployer.quantize.quantize import QuantOptions, quantize
from unit.quantize.graphs import Draft, noise

HUGE = 1 << 40


@cache
def small() -> Graph:
    draft = Draft(1, 6, 6, 4)
    left = draft.conv("x", 4, Window((3, 3), pads=Pads(1, 1, 1, 1)))
    part = draft.node("Slice", left, attrs=SliceAttrs((0, 2, 0, 0), (1, 6, 6, 4)))
    graph = draft.graph(draft.add(part, part), draft.concat(left, part, axis=1))
    return quantize(graph, noise(graph), QuantOptions()).graph


def valued(name: str, /, **changes: Any) -> Graph:
    graph = small()
    values = {**graph.values, name: replace(graph.values[name], **changes)}
    return replace(graph, values=values)


def quantized(**changes: Any) -> Graph:
    return valued("x", quant=replace(small().values["x"].q, **changes))


def with_infinity() -> Graph:
    draft = Draft(1, 2, 2, 1)
    draft.conv("x", 1, Window((1, 1)), bias=np.array([np.inf]))
    return draft.graph(draft.nodes[-1].output)


GRAPHS: dict[str, tuple[Callable[[], Graph], str]] = {
    "an input without a value": (lambda: replace(small(), inputs=("x", "y")), "no value 'y'"),
    "an output without one": (lambda: replace(small(), outputs=("z",)), "no value 'z'"),
    "no inputs": (lambda: replace(small(), inputs=()), "no inputs, outputs or nodes"),
    "no outputs": (lambda: replace(small(), outputs=()), "no inputs, outputs or nodes"),
    "no nodes": (lambda: replace(small(), nodes=()), "no inputs, outputs or nodes"),
    "an input twice": (lambda: replace(small(), inputs=("x", "x")), "a constant, or twice"),
    "an input that is a constant": (
        lambda: replace(small(), inputs=("x", next(iter(small().constants)))),
        "a constant, or twice",
    ),
    "a name of another": (lambda: valued("x", name="y"), "value 'x' is called 'y'"),
    "an extent of nothing": (lambda: valued("x", shape=(1, 0, 6, 4)), "a shape (1, 0, 6, 4)"),
    "endless elements": (
        lambda: valued("x", shape=(1, 1 << 16, 1 << 16, 2)), "a shape (1, 65536",
    ),
    "bits of no type": (lambda: quantized(bits=12), "of 12 bits"),
    "a zero point too low": (lambda: quantized(zero_point=-129), "zero point -129 of 8 bits"),
    "a zero point too high": (lambda: quantized(zero_point=128), "zero point 128 of 8 bits"),
    "a scale of nothing": (lambda: quantized(scale=(0.0,)), "a scale that is not positive"),
    "an endless scale": (
        lambda: quantized(scale=(float("inf"),)), "a scale that is not positive",
    ),
    "no scale": (lambda: quantized(scale=()), "a scale that is not positive"),
    "two samples": (lambda: valued("x", shape=(2, 6, 6, 2)), "an activation of shape (2,"),
    "one axis": (lambda: valued("x", shape=(1,)), "an activation of shape (1,)"),
    "five axes": (lambda: valued("x", shape=(1, 1, 6, 6, 4)), "an activation of shape (1, 1,"),
    "integers of no scale": (lambda: valued("x", quant=None), "integers without a quantization"),
    "several scales": (lambda: quantized(scale=(1.0, 1.0)), "an activation of several scales"),
    "bits of another type": (lambda: quantized(bits=16), "int8 of 16 bits"),
    "infinity": (with_infinity, "holds NaN or infinity"),
    "parameters": (
        lambda: replace(small(), meta={"parameters": "1e9"}), "parameters are no number",
    ),
    "no shape": (lambda: replace(small(), meta={"model_shape/x": "x"}), "has the shape 'x'"),
    "other elements": (
        lambda: replace(small(), meta={"model_shape/x": "1,6,6"}), "has the shape '1,6,6'",
    ),
    "weights of less than nothing": (
        lambda: replace(small(), nodes=tuple(replace(n, stored=-1) for n in small().nodes)),
        "-1 bytes of weights",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", GRAPHS)
def test_a_graph_that_cannot_be_is_told(case: str) -> None:
    build, said = GRAPHS[case]
    assert any(said in fault for fault in faults_of(build()))


def test_graphs_at_the_ends_of_rules_are_sound() -> None:
    graph = small()
    meta = {"parameters": "12,345", "model_shape/x": "1,4,6,6"}
    for zero in (-128, 127):
        values = {n: v for n, v in graph.values.items() if n != "x"}
        x = replace(graph.values["x"], quant=QuantParams((0.5,), zero))
        assert faults_of(replace(graph, values={**values, "x": x}, meta=meta)) == []
    assert faults_of("no artifact") == []


def scheduled(*steps: Step) -> Schedule:
    return Schedule(small(), steps, 0)


NODE = small().nodes[0].name


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((), "it has no steps"),
        ((Step(1, NODE, "k"),), "steps are not numbered in order"),
        ((Step(0, NODE, "k"), Step(0, NODE, "k")), "steps are not numbered in order"),
        ((Step(0, "ghost", "k"),), "a step of 'ghost', which is no node"),
        ((Step(0, NODE, "k", -1),), "scratch that cannot be"),
        ((Step(0, NODE, "k", HUGE),), "scratch that cannot be"),
        ((Step(0, NODE, "k", HUGE - 1),), ""),
    ],
)
def test_a_schedule_that_cannot_be_is_told(steps: tuple[Step, ...], said: str) -> None:
    found = faults_of(scheduled(*steps))
    assert any(said in fault for fault in found) if said else found == []


A, B = Buffer("a", 0, 2, 8), Buffer("n.weights", 1, 3, 16)
PLAN = MemoryPlan((Placement(A, "ram", 0), Placement(B, "ram", 8)), (("ram", 24),), 24, "o", "s")
PLACE = ConstantPlace("w", "n", 8, "flash", "ram", 0, 1)
FETCH = Fetch("n", "w", 0, 16, 1, 2)
PREFETCH = PrefetchPlan("l3", (FETCH,), 16, 0, 1)


def buffer(**changes: Any) -> MemoryPlan:
    return replace(PLAN, placements=(Placement(replace(A, **changes), "ram", 0),))


def fetched(fetch: Fetch = FETCH, **changes: Any) -> MemoryPlan:
    prefetch = replace(PREFETCH, fetches=(fetch,))
    return replace(PLAN, prefetch=replace(prefetch, **changes))


PLANS: dict[str, tuple[MemoryPlan, str]] = {
    "a buffer twice": (
        replace(PLAN, placements=(PLAN.placements[0],) * 2), "a buffer or a memory twice",
    ),
    "a memory twice": (replace(PLAN, heights=(("ram", 24),) * 2), "a buffer or a memory twice"),
    "from before": (buffer(lower=-1), "a: 8 bytes from step -1 to 2"),
    "for no step": (buffer(lower=2), "a: 8 bytes from step 2 to 2"),
    "for ever": (buffer(upper=1_000_001), "a: 8 bytes from step 0 to 1000001"),
    "of less than nothing": (buffer(size=-1), "a: -1 bytes"),
    "of everything": (buffer(size=HUGE), f"a: {HUGE} bytes"),
    "below": (replace(PLAN, placements=(Placement(A, "ram", -1),)), "a: offset -1 in ram"),
    "above": (replace(PLAN, placements=(Placement(A, "ram", 17),)), "a: offset 17 in ram"),
    "elsewhere": (replace(PLAN, placements=(Placement(A, "rom", 0),)), "a: offset 0 in rom"),
    "an endless memory": (replace(PLAN, heights=(("ram", HUGE),)), "heights that cannot be"),
    "no memory": (replace(PLAN, heights=(("ram", 24), ("x", -1))), "heights that cannot be"),
    "a bound": (replace(PLAN, bound=-1), "heights that cannot be"),
    "a constant": (replace(PLAN, constants=(replace(PLACE, bytes=-1),)), "constants of sizes"),
    "a large one": (replace(PLAN, constants=(replace(PLACE, bytes=HUGE),)), "constants of sizes"),
    "misses": (replace(PLAN, constants=(replace(PLACE, misses=-1),)), "constants of sizes"),
    "no room": (fetched(replace(FETCH, node="m")), "m: no room for what is fetched"),
    "other bytes": (fetched(replace(FETCH, bytes=15)), "n: no room for what is fetched"),
    "too early": (fetched(replace(FETCH, begin=0)), "n: fetched at step 0 for step 2"),
    "too late": (fetched(replace(FETCH, step=3)), "n: fetched at step 1 for step 3"),
    "used before": (fetched(replace(FETCH, begin=2, step=1)), "n: fetched at step 2 for step 1"),
    "from nowhere": (fetched(replace(FETCH, source=-1)), "n: fetched from -1"),
    "from far": (fetched(replace(FETCH, source=HUGE)), f"n: fetched from {HUGE}"),
    "nothing": (fetched(fetches=()), "nothing is fetched"),
    "in no time": (fetched(cycles=0), "nothing is fetched"),
}  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_a_plan_that_cannot_be_is_told(case: str) -> None:
    plan, said = PLANS[case]
    assert any(said in fault for fault in faults_of(plan))


def test_plans_at_the_ends_of_rules_are_sound() -> None:
    assert faults_of(PLAN) == []
    assert faults_of(fetched()) == []
    assert faults_of(fetched(replace(FETCH, begin=2))) == []
    assert faults_of(replace(PLAN, constants=(PLACE, replace(PLACE, bytes=0)))) == []
    assert faults_of(buffer(upper=1_000_000)) == []
    assert faults_of(buffer(size=0)) == []
    assert faults_of(replace(PLAN, placements=(Placement(A, "ram", 16),))) == []


AXIS = Axis(2, 6, 6, 1, 3, 1)
TILING = Tiling(
    "l1", AXIS, AXIS, Axis(4, 8, 8), False, 64, True,
    (TileBuffer("input", 0, 16, 2), TileBuffer("output", 32, 16)),
    TileCosts(1, 1, 0, 1, 1),
)  # fmt: skip


def tiled(**changes: Any) -> TilePlan:
    return TilePlan((StepTiles("n", (1, 2, 2, 4), 18, replace(TILING, **changes)),))


def rows(**changes: Any) -> TilePlan:
    return tiled(rows=replace(AXIS, **changes))


def arrays(*buffers: TileBuffer) -> TilePlan:
    return tiled(buffers=buffers)


TILES: dict[str, tuple[TilePlan, str]] = {
    "no steps": (TilePlan(()), "it has no steps"),
    "no tile": (TilePlan((StepTiles("n", (), 1),)), "n: 1 tiles of ()"),
    "a side of nothing": (TilePlan((StepTiles("n", (1, 0), 1),)), "n: 1 tiles of (1, 0)"),
    "none of it": (TilePlan((StepTiles("n", (1, 1), 0),)), "n: 0 tiles of (1, 1)"),
    "endless": (TilePlan((StepTiles("n", (1, 1), 1_000_001),)), "n: 1000001 tiles"),
    "rows of nothing": (rows(tile=0), "n: an axis"),
    "no outputs": (rows(outputs=0), "n: an axis"),
    "endless inputs": (rows(inputs=1_000_000), "n: an axis"),
    "no stride": (rows(stride=0), "n: an axis"),
    "no taps": (rows(taps=0, pad=0), "n: an axis"),
    "a pad of all taps": (rows(pad=3), "n: an axis"),
    "a negative pad": (rows(pad=-1), "n: an axis"),
    "columns": (tiled(columns=replace(AXIS, tile=0)), "n: an axis"),
    "channels": (tiled(channels=Axis(0, 8, 8)), "n: an axis"),
    "no arrays": (arrays(), "n: no arrays, or one twice"),
    "an array twice": (
        arrays(TileBuffer("a", 0, 8), TileBuffer("a", 8, 8)), "n: no arrays, or one twice",
    ),
    "arrays that meet": (
        arrays(TileBuffer("a", 0, 8, 2), TileBuffer("b", 15, 8)), "n: array b at 15",
    ),
    "before the first": (arrays(TileBuffer("a", -1, 8)), "n: array a at -1"),
    "an array of nothing": (arrays(TileBuffer("a", 0, 0)), "n: array a at 0"),
    "three sides": (arrays(TileBuffer("a", 0, 8, 3)), "n: array a at 0"),
    "weights": (tiled(group_bytes=-1), "n: -1 bytes of weights"),
}  # fmt: skip


@pytest.mark.parametrize("case", TILES)
def test_tiles_that_cannot_be_are_told(case: str) -> None:
    plan, said = TILES[case]
    assert any(said in fault for fault in faults_of(plan))


def test_tiles_at_the_ends_of_rules_are_sound() -> None:
    assert faults_of(tiled()) == []
    assert faults_of(tiled(group_bytes=0)) == []
    assert faults_of(rows(pad=2, inputs=999_999)) == []
    assert faults_of(TilePlan((StepTiles("n", (1, 1), 1_000_000),))) == []
    assert faults_of(arrays(TileBuffer("b", 8, 1, 2), TileBuffer("a", 0, 4, 2))) == []


def names() -> tuple[str, str, str, str]:
    """The Slice, the Add and the Concat, and what the convolution made."""
    by_op = {node.op: node.name for node in small().nodes}
    return by_op["Slice"], by_op["Add"], by_op["Concat"], small().nodes[0].output


SLICE, ADD, CONCAT, LEFT = names()
PART = next(node.output for node in small().nodes if node.name == SLICE)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (Share("ghost", LEFT, OVER), "share of in at ghost: no such node"),
        (Share(NODE, "x", OVER, 2), "a distance of 2 bytes"),
        (Share(NODE, "x", OVER, -4), "a distance of -4 bytes"),
        (Share(NODE, "y", INSIDE), "no such value"),
        (Share(NODE, next(iter(small().constants)), INSIDE), "no such value"),
        (Share(NODE, LEFT, OVER), "the node does not read it once"),
        (Share(ADD, PART, OVER), "the node does not read it once"),
        (Share(NODE, "x", VIEW), "a view without a lead is for Concat and Slice, not Conv2d"),
        (Share(SLICE, LEFT, VIEW, 4), "a view without a lead is for Concat and Slice"),
        (Share(NODE, "x", "beside"), "unknown kind 'beside'"),
        (Share(NODE, "x", OVER, 4), ""),
        (Share(NODE, "x", OVER), ""),
        (Share(NODE, "x", INSIDE, -4), ""),
        (Share(SLICE, LEFT, VIEW), ""),
    ],
)
def test_a_share_that_cannot_be_is_told(share: Share, said: str) -> None:
    found = share_faults(replace(small(), shares=(share,)))
    wanted = said.replace("share of in", f"share of {LEFT}")
    assert any(wanted in fault for fault in found) if said else found == []


def test_a_share_is_stated_once() -> None:
    share = Share(NODE, "x", OVER)
    found = share_faults(replace(small(), shares=(share, share)))
    assert [fault.rpartition(": ")[2] for fault in found] == ["stated twice"]


def test_a_view_has_the_elements_of_the_output() -> None:
    """Another type, another scale, cut bounds: the elements change on the way."""
    graph = small()
    node = next(node for node in graph.nodes if node.name == CONCAT)
    number = graph.activations(node).index(LEFT)

    def said(changed: Graph) -> bool:
        found = share_faults(replace(changed, shares=(Share(CONCAT, LEFT, VIEW),)))
        return any("its elements are not those of the output" in fault for fault in found)

    def tables(multiplier: int, rounding: int, shift: int, **changes: Any) -> Graph:
        rq = replace(node.rq, low=-128, high=127, **changes)
        constants = dict(graph.constants)
        given = ((rq.multiplier, multiplier), (rq.rounding, rounding), (rq.shift, shift))
        for name, entry in given:
            constants[name] = constants[name].copy()
            constants[name][number] = entry
            constants[name][1 - number] = 7
        nodes = tuple(replace(n, requant=rq) if n is node else n for n in graph.nodes)
        return replace(graph, nodes=nodes, constants=constants)

    same = tables(1, 0, 0, rule="i32")
    assert not said(same)
    assert not said(tables(3, 0, 0, rule="shift"))
    assert all(map(said, (tables(3, 0, 0, rule="i32"), tables(1, 1, 0), tables(1, 0, 1))))
    values = {**same.values, LEFT: replace(same.values[LEFT], dtype=DType.S16)}
    assert said(replace(same, values=values))
    for low, high in ((-127, 127), (-128, 126)):
        nodes = [
            replace(n, requant=replace(n.rq, low=low, high=high)) if n.name == CONCAT else n
            for n in same.nodes
        ]
        assert said(replace(same, nodes=tuple(nodes)))


def by_rows(*slices: SliceAttrs, more: bool = False) -> Graph:
    draft = Draft(1, 4, 3, 2)
    parts = [draft.node("Slice", "x", attrs=each) for each in slices]
    outputs = [*parts, *([draft.rescale("x")] if more else [])]
    return draft.graph(*outputs)


TOP = SliceAttrs((0, 0, 0, 0), (1, 2, 3, 2), fetched=True)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: by_rows(TOP, more=True), "reads x, which arrives by rows"),
        (lambda: by_rows(TOP, replace(TOP, fetched=False)), "reads x, which arrives by rows"),
        (lambda: by_rows(replace(TOP, end=(1, 2, 2, 2))), "parts of rows of x"),
        (lambda: by_rows(replace(TOP, begin=(0, 0, 0, 1))), "parts of rows of x"),
        (lambda: verify(replace(by_rows(TOP), outputs=("x",))), "rows of x, which is no input"),
    ],
)
def test_an_input_by_rows_is_never_there_as_a_whole(build: Callable[[], Graph], said: str) -> None:
    with pytest.raises(InvariantError, match=said):
        build()
    assert by_rows(TOP, replace(TOP, begin=(0, 2, 0, 0), end=(1, 4, 3, 2))).outside == {"x"}


@pytest.mark.parametrize(
    ("op", "attrs", "shapes", "wanted"),
    [
        ("Concat", ConcatAttrs(1), [(1, 2, 3, 4), (1, 5, 3, 4)], (1, 7, 3, 4)),
        ("Concat", ConcatAttrs(3), [(1, 2, 3, 4), (1, 2, 3, 1)], (1, 2, 3, 5)),
        ("Slice", SliceAttrs((0, 1, 0, 2), (1, 3, 3, 4)), [(1, 5, 3, 4)], (1, 2, 3, 2)),
        ("Mul", None, [(1, 1, 1, 4), (1, 2, 3, 4)], (1, 2, 3, 4)),
        ("Mul", None, [(1, 2, 3, 4), (1, 1, 1, 4)], (1, 2, 3, 4)),
    ],
)
def test_shapes_follow_from_those_of_the_inputs(
    op: str, attrs: Any, shapes: list[tuple[int, ...]], wanted: tuple[int, ...]
) -> None:
    assert OPS[op].shape(attrs, shapes) == wanted

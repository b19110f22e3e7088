"""Artifacts edited by hand: each that does not go with the stages before it is named, with the
fault; those that a job made go together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.errors import UsageError
from deployer.ir.plan import TilePlan
from deployer.pipeline.artifacts import Generated
from deployer.pipeline.consistent import require_consistent, require_own_sources
from planned import Planned, planned

CASES = ("fetched", "residual", "spilled")


class Store:
    """The artifacts of a planned network, some of them others."""

    folder = Path("job")

    def __init__(self, made: Planned, **others: Any) -> None:
        quantized = type("Quantized", (), {"graph": made.quantized})
        stages = {
            "quantize": quantized,
            "schedule": made.schedule,
            "allocate": made.plan,
            "tile": made.tiles,
            "generate": Generated(made.sources),
        }
        self.made = {**stages, **others}

    def get(self, stage: str) -> Any:
        return self.made[stage]

    def path(self, stage: str) -> Path:
        return self.folder / stage


def check(name: str, **others: Any) -> None:
    made = planned(name)
    store: Any = Store(made, **others)
    require_consistent(made.job, store, "generate")


def faults(name: str, **others: Any) -> str:
    """Of the one artifact that is another."""
    with pytest.raises(UsageError) as caught:
        check(name, **others)
    (stage,) = others
    assert caught.value.what == f"job/{stage} does not go with the stages before it"
    assert caught.value.hints == (f"run from stage {stage} again: --from {stage}",)
    assert 1 <= len(caught.value.why) <= 8
    return "\n".join(caught.value.why)


@pytest.mark.parametrize("name", CASES)
def test_what_a_job_made_goes_together(name: str) -> None:
    check(name)


def test_only_stages_before_the_first_are_looked_at() -> None:
    made = planned("residual")
    store: Any = Store(made, tile=replace(made.tiles, steps=()))
    require_consistent(made.job, store, "tile")
    with pytest.raises(UsageError, match="job/tile"):
        require_consistent(made.job, store, "generate")


def with_step(name: str, index: int, **changes: Any) -> Any:
    schedule = planned(name).schedule
    steps = list(schedule.steps)
    steps[index] = replace(steps[index], **changes)
    return replace(schedule, steps=tuple(steps))


def a_conv(name: str) -> int:
    made = planned(name)
    ops = {node.name: node.op for node in made.schedule.graph.nodes}
    return next(i for i, step in enumerate(made.schedule.steps) if ops[step.node] == "Conv2d")


SCHEDULES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: replace(planned("residual").schedule, steps=planned("residual").schedule.steps[1:]),
        "its steps are not the nodes of its graph, in order",
    ),
    (lambda: with_step("residual", a_conv("residual"), kernel=""), "it has no kernel"),
    (lambda: with_step("residual", a_conv("residual"), kernel="dpl_none"), "dpl_none"),
    (
        lambda: with_step("residual", a_conv("residual"), kernel="dpl_add_s8__ref"),
        "dpl_add_s8__ref does not compute Conv2d as it is there",
    ),
    (
        lambda: with_step("residual", a_conv("residual"), kernel="dpl_conv2d_s8__xpulpv2"),
        "dpl_conv2d_s8__xpulpv2 is not for this board",
    ),
    (lambda: with_step("residual", a_conv("residual"), scratch=-1), "-1 bytes of scratch are too"),
]


@pytest.mark.parametrize(("make", "said"), SCHEDULES)
def test_steps_that_the_graph_does_not_have_are_told(make: Callable[[], Any], said: str) -> None:
    assert said in faults("residual", schedule=make())


def other_graph(**changes: Any) -> Any:
    schedule = planned("residual").schedule
    return replace(schedule, graph=replace(schedule.graph, **changes))


def test_inputs_and_outputs_are_those_of_the_quantized_network() -> None:
    graph = planned("residual").schedule.graph
    first = graph.nodes[0].output
    assert f"outputs are ('{first}',)" in faults("residual", schedule=other_graph(outputs=(first,)))
    name = graph.inputs[0]
    moved = replace(graph.values[name], quant=replace(graph.values[name].q, zero_point=3))
    said = faults("residual", schedule=other_graph(values={**graph.values, name: moved}))
    assert f"{name} is not as it was quantized" in said


def test_a_kernel_that_the_node_names_is_the_step_s() -> None:
    made = planned("residual")
    graph, index = made.schedule.graph, a_conv("residual")
    named = made.schedule.steps[index].node
    nodes = tuple(
        replace(node, kernel="dpl_conv2d_s8__other") if node.name == named else node
        for node in graph.nodes
    )
    said = faults("residual", schedule=other_graph(nodes=nodes))
    assert f"{named}: it is to be computed by dpl_conv2d_s8__other, not" in said


def plan_of(name: str, **changes: Any) -> Any:
    return replace(planned(name).plan, **changes)


def test_buffers_arenas_and_constants_are_the_board_s() -> None:
    plan = planned("residual").plan
    assert faults("residual", allocate=plan_of("residual", placements=plan.placements[1:]))
    assert "other holds no arena" in faults(
        "residual", allocate=plan_of("residual", heights=(*plan.heights, ("other", 0)))
    )
    place, *rest = planned("residual").plan.constants
    for change in ({"memory": "other"}, {"home": "other"}):
        moved = replace(place, **change)
        said = faults("residual", allocate=plan_of("residual", constants=(moved, *rest)))
        assert f"{place.name} lies in {moved.memory}, its image in {moved.home}" in said


def test_weights_are_fetched_from_a_memory_there_is_and_for_their_step() -> None:
    prefetch = planned("fetched").plan.prefetch
    assert prefetch is not None
    elsewhere = replace(prefetch, memory="l9")
    said = faults("fetched", allocate=plan_of("fetched", prefetch=elsewhere))
    assert "weights are fetched from l9, which the board lacks" in said
    fetch, *rest = prefetch.fetches
    late = replace(prefetch, fetches=(replace(fetch, step=fetch.step + 1), *rest))
    said = faults("fetched", allocate=plan_of("fetched", prefetch=late))
    assert f"weights of {fetch.node} are fetched for step {fetch.step + 1}" in said


def test_spilled_values_lie_in_a_memory_there_is() -> None:
    spills = planned("spilled").plan.spills
    assert spills is not None
    first, *rest = spills.spills
    elsewhere = replace(spills, memory="l9")
    said = faults("spilled", allocate=plan_of("spilled", spills=elsewhere))
    assert f"{first.value} at {first.offset} of l9" in said
    for change, told in (
        ({"offset": -4}, f"{first.value} at -4 of {spills.memory}"),
        ({"bytes": first.bytes - 1}, f"{first.value} has {first.bytes - 1} bytes"),
        ({"value": "another"}, f"no place for {first.value}"),
    ):
        moved = replace(spills, spills=(replace(first, **change), *rest))
        assert told in faults("spilled", allocate=plan_of("spilled", spills=moved))
    assert "no place for" in faults("spilled", allocate=plan_of("spilled", spills=None))


def cut(change: Callable[[Any], Any], plan: TilePlan | None = None) -> TilePlan:
    """The tiles of the first step that has any, changed."""
    plan = plan or planned("fetched").tiles
    index = next(i for i, step in enumerate(plan.steps) if step.tiling)
    steps = list(plan.steps)
    steps[index] = change(steps[index])
    return replace(plan, steps=tuple(steps))


def tiled(**changes: Any) -> Callable[[Any], Any]:
    return lambda step: replace(step, tiling=replace(step.tiling, **changes))


def with_buffers(change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Callable[[Any], Any]:
    return lambda step: tiled(buffers=change(step.tiling.buffers))(step)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda step: replace(step, count=step.count + 1), "its tiles are not those of the layer"),
        (tiled(memory="l2"), "its tiles are not those of the layer"),
        (tiled(group_bytes=1), "its tiles are not those of the layer"),
        (lambda step: tiled(sliced=not step.tiling.sliced)(step), "its tiles are not those"),
        (
            lambda step: tiled(rows=replace(step.tiling.rows, outputs=999))(step),
            "its axes are not those of the layer",
        ),
        (lambda step: replace(step, tile=(1, 1, 1, 99)), "tiles (1, 1, 1, 99) of"),
        (with_buffers(lambda buffers: buffers[1:]), "no array "),
        (
            with_buffers(lambda b: (replace(b[0], size=b[0].size - 4), *b[1:])),
            "an array ",
        ),
        (with_buffers(lambda b: (replace(b[0], id="other"), *b[1:])), "an array other of"),
        (
            with_buffers(lambda b: (replace(b[0], offset=1 << 20), *b[1:])),
            "bytes",
        ),
    ],
)
def test_tiles_are_as_the_tiler_could_have_cut_them(
    change: Callable[[Any], Any], said: str
) -> None:
    assert said in faults("fetched", tile=cut(change))


def test_tiles_of_other_steps_are_none() -> None:
    plan = planned("fetched").tiles
    said = faults("fetched", tile=replace(plan, steps=plan.steps[::-1]))
    assert said == "its steps are not those of the schedule, in order"


def test_a_board_without_an_inner_memory_has_no_tiles() -> None:
    tiling = next(step.tiling for step in planned("fetched").tiles.steps if step.tiling)
    plan = planned("residual").tiles
    first = replace(plan.steps[0], tiling=tiling)
    said = faults("residual", tile=replace(plan, steps=(first, *plan.steps[1:])))
    assert said == f"{first.node}: it cannot be cut into tiles on this board"


def test_sources_are_those_that_the_plans_give_but_for_comments() -> None:
    made = planned("residual")
    wanted = Generated(made.sources)
    name = next(name for name in made.sources if name.endswith(".c"))
    commented = {**made.sources, name: f"/* of\nmine */{made.sources[name]}"}
    store: Any = Store(made, generate=Generated(commented))
    require_own_sources(store, wanted)
    for others, said in (
        ({**made.sources, name: made.sources[name] + "int x;"}, f"{name} is not what the plans"),
        ({**made.sources, "more.c": "int x;"}, "more.c is not what the plans give"),
        ({n: t for n, t in made.sources.items() if n != name}, f"no {name}"),
    ):
        store = Store(made, generate=Generated(others))
        with pytest.raises(UsageError, match="job/generate does not go with") as caught:
            require_own_sources(store, wanted)
        assert said in caught.value.why[0]

"""Which graph is taken of several: with the fastest kernels, with slim ones, in regions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.board.load import load_board
from deployer.errors import FitError
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.plan import aliases, kernels, regions

BOARD = load_board("nucleo-f767zi")


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return make_job(tmp_path / "net.onnx", "nucleo-f767zi", options=Options())


@pytest.fixture
def taken(job: Job, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """taken(options, which are granted, …): the graph that is taken; graphs are words here."""

    def call(
        options: Options, granted: set[str], *, hopeless: bool = False, error: str = ""
    ) -> str:
        def in_regions(graph: Any, request: Any) -> Any:
            if error and graph.name == error:
                raise FitError("nothing fits --ram")
            return SimpleNamespace(name=f"{graph.name}-regions", regions=graph.regions)

        def named(name: str, regions: int = 0) -> Any:
            return SimpleNamespace(name=name, regions=regions)

        patch = monkeypatch.setattr
        patch(regions, "within_code", lambda graph, request: graph)
        patch(regions, "require_code", lambda graph, request: graph)
        patch(regions, "_of_front", lambda search: None)
        patch(regions, "fastest", lambda graph, request: named("fast", graph))
        patch(regions, "lean", lambda graph, kernels: named("slim", graph.regions))
        patch(regions, "_in_regions", in_regions)
        patch(regions, "fits_limits", lambda graph, request: graph.name in granted)
        patch(regions, "hopeless", lambda graph, board: hopeless)
        patch(regions, "no_arena", lambda graph, board: False)
        patch(regions, "_refilled", lambda graph, fast, request: named(f"{graph.name}-refilled"))
        patch(regions, "_least", lambda graph, fast, request: named(f"{graph.name}-least"))
        patch(regions, "model_of", lambda board: None)
        costs = {"slim-refilled": 5, "fast-regions": 5 + regions_cost[0]}
        patch(regions, "graph_cost_of", lambda graph, model: costs[graph.name])
        given: Any = regions_of[0]
        return regions.restructured(given, replace(job, options=options).request).name

    regions_cost, regions_of = [1], [0]
    call.costs, call.regions = regions_cost, regions_of  # type: ignore[attr-defined]
    return call


def test_the_first_kernels_are_kept_where_they_are_asked_for(taken: Callable[..., str]) -> None:
    assert taken(Options(choose="first"), set()) == "fast-regions"


def test_the_least_ram_takes_slim_kernels(taken: Callable[..., str]) -> None:
    assert taken(Options(optimize="ram"), set()) == "slim-regions-least"


def test_what_fits_whole_is_taken_as_it_is(taken: Callable[..., str]) -> None:
    assert taken(Options(), {"fast-regions"}) == "fast-regions"


def test_where_nothing_keeps_to_the_limit_slim_kernels_are_refilled(
    taken: Callable[..., str],
) -> None:
    assert taken(Options(), set(), error="fast") == "slim-regions-refilled"


def test_what_does_not_fit_gives_way_to_slim_kernels_that_do(taken: Callable[..., str]) -> None:
    assert taken(Options(), {"slim-regions"}) == "slim-regions-refilled"
    assert taken(Options(), set()) == "fast-regions"
    assert taken(Options(), {"slim-regions"}, hopeless=True) == "fast-regions"


@pytest.mark.parametrize(
    ("options", "granted", "cost", "name"),
    [
        (Options(), {"fast-regions", "slim"}, 1, "slim-refilled"),
        (Options(), {"fast-regions", "slim"}, -1, "fast-regions"),
        (Options(), {"fast-regions"}, 1, "fast-regions"),
        (Options(restructure="alg3"), {"fast-regions", "slim"}, 1, "fast-regions"),
        (Options(stream_input=True), {"fast-regions", "slim"}, 1, "fast-regions"),
    ],
)
def test_regions_give_way_to_slim_kernels_where_those_cost_less(
    options: Options, granted: set[str], cost: int, name: str, taken: Any
) -> None:
    taken.costs[0], taken.regions[0] = cost, 1
    assert taken(options, granted) == name


@pytest.mark.parametrize(
    ("ram", "fits", "arena", "granted"),
    [
        (None, True, 900, True),
        (None, False, 1, False),
        (900, True, 900, True),
        (899, True, 900, False),
        (900, False, 1, False),
    ],
)
def test_granted_is_what_fits_the_board_and_the_limit(
    ram: int | None,
    fits: bool,
    arena: int,
    granted: bool,
    job: Job,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernels, "aliased", lambda graph, request: graph)
    monkeypatch.setattr(kernels, "fits_with_prefetch", lambda found, request: fits)
    monkeypatch.setattr(kernels, "arena_in_one_memory", lambda found: arena)
    there = replace(job, options=Options(ram=ram)).request
    assert kernels.fits_limits(None, there) is granted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "board", "names"),
    [
        (Options(), "nucleo-f767zi", ["whole_tensor_aliases"]),
        (Options(share="off"), "gap8", ["whole_tensor_aliases"]),
        (Options(), "gap8", ["whole_tensor_aliases", "tile_order_aliases"]),
        (Options(optimize="ram"), "gap8", ["tile_order_aliases"]),
        (Options(optimize="ram"), "rpi3", ["whole_tensor_aliases"]),
    ],
)
def test_ways_to_schedule_bind_least_first(
    options: Options, board: str, names: list[str], tmp_path: Path
) -> None:
    job = make_job(tmp_path / "net.onnx", board, options=options)
    assert [way.__name__ for way in aliases.policies(job.request)] == names

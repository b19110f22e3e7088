"""Which steps threads share, and which boards have threads to choose."""

from __future__ import annotations

import pytest

from deployer.analysis import launches
from deployer.board import load_board, with_threads
from deployer.codegen import small_steps
from deployer.codegen.network import network_view
from deployer.errors import UsageError
from planned import planned


@pytest.mark.parametrize(("threads", "least"), [(1, 10**9), (4, 0), (4, 10**9)])
def test_small_steps_are_one_threads_alone(
    threads: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", least)
    found = planned("residual")
    view = network_view(found.schedule, found.plan, version="0", options=(), threads=threads)
    alone = {1: (), 4: (int(least > 0),) * len(view.steps)}
    assert view.single_core == alone[threads]


def test_a_step_is_small_by_what_it_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = planned("residual").schedule
    small = [small_steps.is_small(schedule.graph, each) for each in launches(schedule)]
    monkeypatch.setattr(small_steps, "SHARED_CYCLES", small_steps.SHARED_CYCLES * 1000)
    assert all(small_steps.is_small(schedule.graph, each) for each in launches(schedule))
    assert any(small)


def test_boards_with_an_operating_system_have_threads_to_choose() -> None:
    for name in ("rpi3", "host"):
        assert [with_threads(load_board(name), n).threads for n in (None, 1, 4)] == [1, 1, 4]
        with pytest.raises(UsageError, match=f"--threads 5: not on {name}"):
            with_threads(load_board(name), 5)


@pytest.mark.parametrize(("name", "cores"), [("gap8", 8), ("nucleo-f767zi", 1)])
def test_cores_of_an_image_without_one_are_no_threads(name: str, cores: int) -> None:
    with pytest.raises(UsageError, match=f"--threads 2: not on {name}") as caught:
        with_threads(load_board(name), 2)
    assert caught.value.why == (f"it has {cores} of its own at work",)
    assert load_board(name).threads == 1

"""Which refusal a user reads of which plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.analysis.fit import FitRow
from deployer.board.load import load_board
from deployer.errors import FitError, ImageTooLarge, LimitError, ModelError
from deployer.pipeline import explained
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.plan.refusal import row_line, with_hint
from deployer.quantize.goal import Goal

BOARD = load_board("nucleo-f767zi")


def row(memory: str, used: int, size: int) -> FitRow:
    return FitRow(memory=memory, kind="RAM", used=used, size=size, holds="arena")


def verdict(*rows: FitRow, refused: bool = True, arena: int = 77, more: str = "alive") -> Any:
    why = [*(row_line(each) for each in rows if each.excess > 0), more]
    error = FitError("net does not fit", why=why, hints=["smaller"]) if refused else None
    plan = SimpleNamespace(arena=arena)
    return SimpleNamespace(report=SimpleNamespace(rows=rows), refusal=error, plan=plan)


def near(found: Any) -> Any:
    return SimpleNamespace(options="--optimize ram", verdict=found)


ASKED = verdict(row("sram", 500, 100), row("flash", 900, 800), row("dtcm", 1, 2))


def test_without_a_better_plan_the_refusal_is_that_of_the_one_asked_for() -> None:
    assert explained._told(ASKED, None, BOARD) is ASKED.refusal


def test_a_plan_that_fits_is_told_as_a_hint() -> None:
    found = explained._told(ASKED, near(verdict(refused=False, arena=1234)), BOARD)
    assert found.what == "net does not fit"
    assert found.why == ASKED.refusal.why
    assert found.hints == ("smaller", "restructured it fits: --optimize ram (arena 1,234 B)")


def test_a_plan_that_lacks_less_is_told_with_what_the_other_lacks() -> None:
    better = verdict(row("sram", 300, 100), row("flash", 900, 800), more="less alive")
    found = explained._told(ASKED, near(better), BOARD)
    assert found.why == (
        row_line(row("sram", 300, 100)),
        row_line(row("flash", 900, 800)),
        "with --optimize ram, the best plan found; without it sram needs 500 B",
        "less alive",
    )
    assert found.hints == ("smaller",)


def test_memories_that_are_enough_with_options_are_told() -> None:
    better = verdict(row("sram", 90, 100), row("flash", 900, 800), more="largest weights")
    found = explained._told(ASKED, near(better), BOARD)
    assert found.why == (
        row_line(row("sram", 500, 100)),
        row_line(row("flash", 900, 800)),
        "sram is enough with --optimize ram: 90 B of 100 B",
        "largest weights",
    )


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return make_job(tmp_path / "net.onnx", "nucleo-f767zi", options=Options())


def test_a_limit_is_told_with_the_memories_beside_the_arena_s(job: Job) -> None:
    limit = LimitError("nothing fits --ram", why=["least 9"], hints=["more"])
    found = explained._limited(limit, job, ASKED)
    assert found.what == "nothing fits --ram"
    assert found.why == ("least 9", row_line(row("flash", 900, 800)))
    assert found.hints == ("more",)


class Store:
    def get(self, stage: str) -> Any:
        return SimpleNamespace(graph=f"graph of {stage}") if stage == "quantize" else stage


@pytest.mark.parametrize(
    ("error", "mixed", "fits", "whole"),
    [
        (FitError("a"), None, False, True),
        (FitError("a"), None, True, False),
        (LimitError("a"), None, False, True),
        (LimitError("a"), None, True, True),
        (LimitError("a"), Goal("ram", 9), False, False),
        (FitError("a"), Goal("ram", 9), False, True),
        (ImageTooLarge("l2", 5, board="gap8"), None, False, False),
    ],
)
def test_only_a_network_that_does_not_fit_is_explained(
    error: FitError,
    mixed: Goal | None,
    fits: bool,
    whole: bool,
    job: Job,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[Any] = []

    def told(job: Any, plain: Any, found: Any, limit: Any) -> Any:
        given.append((plain, limit))
        return SimpleNamespace(refusal="in full")

    monkeypatch.setattr(explained, "scheduled", lambda graph, request: "anew")
    monkeypatch.setattr(explained, "judge", lambda schedule, board: verdict(refused=not fits))
    monkeypatch.setattr(explained, "explained", told)
    store: Any = Store()
    found = explained.reason(replace(job, options=Options(mixed=mixed)), store, error)
    assert found == ("in full" if whole else error)
    limit = error if isinstance(error, LimitError) else None
    assert given == ([("graph of quantize", limit)] if whole else [])


@pytest.mark.parametrize(
    ("options", "fits", "hint"),
    [
        (Options(), True, ""),
        (Options(bits=16), True, "with int8 activations it fits: --bits 8"),
        (Options(bits=16), False, ""),
        (Options(bits_of=(("a", 16),)), True,
         "with int8 activations it fits: --bits 8, without --bits-of"),
    ],
)  # fmt: skip
def test_int8_activations_are_proposed_where_they_fit(
    options: Options, fits: bool, hint: str, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Options] = []

    def outline(job: Job) -> str:
        asked.append(job.options)
        return "graph"

    monkeypatch.setattr(explained, "outline", outline)
    monkeypatch.setattr(explained, "restructured", lambda graph, request: graph)
    monkeypatch.setattr(explained, "scheduled", lambda graph, request: graph)
    monkeypatch.setattr(explained, "judge", lambda graph, board: verdict(refused=not fits))
    wide = replace(job, options=options)
    assert list(explained._narrower(wide)) == ([hint] if hint else [])
    assert all(each == Options(mixed=None) for each in asked)

    def unsupported(job: Job) -> str:
        raise ModelError("no")

    monkeypatch.setattr(explained, "outline", unsupported)
    assert list(explained._narrower(wide)) == []


def test_hints_are_added_in_order(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explained, "nearest", lambda plain, found, request: None)
    monkeypatch.setattr(explained, "boards_that_fit", lambda plain, but: ("host", "rpi3"))
    monkeypatch.setattr(explained, "_narrower", lambda job: iter(["narrower"]))
    found = explained.explained(job, None, ASKED)  # type: ignore[arg-type]
    last = "another board: as it is, it fits host, rpi3"
    assert found.refusal.hints == ("smaller", "narrower", last)
    assert (found.near, found.others) == (None, ("host", "rpi3"))
    monkeypatch.setattr(explained, "boards_that_fit", lambda plain, but: ())
    found = explained.explained(job, None, ASKED)  # type: ignore[arg-type]
    assert found.refusal.hints == ("smaller", "narrower")


def test_a_hint_is_added_and_all_else_kept() -> None:
    error = FitError("a", why=["b"], hints=["c"])
    found = with_hint(error, "d")
    assert (found.what, found.why, found.hints) == ("a", ("b",), ("c", "d"))

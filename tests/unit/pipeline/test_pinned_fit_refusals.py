"""Refusals in full: of seeded networks on boards whose memories are too small in different ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deployer.board.model import Board
from deployer.pipeline.explained import explained
from deployer.plan.verdict import judge
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"
SIZES = {  # bytes of the memories that are named, others as they are
    "residual": [
        {"dtcm": 9 << 10, "sram": 4 << 10},
        {"flash": 24 << 10},
        {"flash": 9000, "dtcm": 8 << 10, "sram": 1 << 10},
        {"dtcm": 4 << 10, "sram": 2 << 10},
        {"flash": 70 << 10, "dtcm": 10 << 10, "sram": 0},
    ],
    "pools": [{"ram": 100 << 10}, {"ram": 30 << 10}, {"ram": 1 << 10}],
    "patches": [{"sram": 40 << 10}, {"flash": 90 << 10}, {"sram": 20 << 10, "dtcm": 8 << 10}],
    "wide": [{"l2": 60 << 10}, {"l2": 40 << 10}, {"l2": 20 << 10, "l3": 30 << 10}],
    "fetched": [{"l2": 90 << 10}, {"l2": 48 << 10, "l3": 16 << 10}],
}


def smaller(board: Board, sizes: dict[str, int]) -> Board:
    memories = (replace(m, size=sizes.get(m.name, m.size)) for m in board.memories)
    return replace(board, memories=tuple(memories))


def lines(name: str) -> Iterator[str]:
    found = planned(name)
    for sizes in SIZES[name]:
        verdict = judge(found.schedule, smaller(found.job.board, sizes))
        yield f"{sizes}: arena {verdict.plan.arena} in {verdict.plan.heights}"
        yield str(verdict.refusal)
        yield ""


@pytest.mark.parametrize("name", SIZES)
def test_refusals_are_those_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}-refused.txt", "\n".join(lines(name)))


def test_a_refusal_in_full_is_the_one_pinned() -> None:
    """With the options that come closest, and other boards."""
    found, text = planned("residual"), []
    for sizes in SIZES["residual"]:
        board = smaller(found.job.board, sizes)
        job = replace(found.job, board=board, target=board)
        verdict = judge(found.schedule, board)
        if verdict.refusal:
            why = explained(job, found.quantized, verdict)
            near = why.near.options if why.near else "nothing"
            text += [f"{sizes}: {near}; {', '.join(why.others)}", str(why.refusal), ""]
    pinned(FOLDER / "residual-explained.txt", "\n".join(text))

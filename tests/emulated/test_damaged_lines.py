"""Faults of the line at seeded places: no verdict is wrong, no figure is changed.

Hundreds: ``python -m tests.fuzz.line_faults``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer_hil.runner import create
from emulated.targets import BOARDS
from fakes.damaged_line import kinds
from fuzz import line_faults
from fuzz.line_faults import Subject, not_golden

SEEDS = {"host": 8, "qemu_system": 4}  # of each kind
GIVEN_UP = 1  # of them, at most: seeds may damage all attempts at a question


@pytest.mark.parametrize("kind", kinds())
@pytest.mark.parametrize("name", SEEDS)
@pytest.mark.parametrize("golden", [True, False], ids=["golden", "not golden"])
def test_a_damaged_line_changes_no_verdict_and_no_figure(
    name: str, kind: str, golden: bool, built: Callable[..., Bundle], tool: Callable[[str], str],
    tmp_path: Path,
) -> None:  # fmt: skip
    board = line_faults.BOARDS[name]
    for program in ("gcc",) if board == "host" else BOARDS[board][1]:
        tool(program)
    bundle, seeds = built(board, "residual_net"), range(SEEDS[name])
    if not golden:
        bundle, seeds = not_golden(bundle, tmp_path / "wrong"), range(SEEDS[name] // 2)
    with create(name, bundle) as runner:
        subject = Subject(bundle, runner)
        assert subject.record.golden.match is golden
        if not golden:
            step = bundle.manifest["steps"][line_faults.WRONG_STEP]
            assert subject.record.golden.first_layer == step["name"]
        endings = [subject.drilled(kind, seed) for seed in seeds]
    assert not [ending.fault for ending in endings if ending.fault]
    given_up = Counter(ending.gave_up for ending in endings if ending.gave_up)
    assert given_up.total() <= GIVEN_UP, given_up

"""Order, kernels, scratch, shared bytes and peak of seeded networks, step by step."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.ir.show import schedule_text
from planned import CASES, pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CASES)
def test_the_steps_are_those_pinned(name: str) -> None:
    schedule = planned(name).schedule
    shares = "\n".join(str(share) for share in schedule.graph.shares)
    pinned(FOLDER / f"{name}.txt", f"{schedule_text(schedule)}\n{shares}")

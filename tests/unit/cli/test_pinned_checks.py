"""What ``deployer check`` prints of seeded networks, 120 columns wide."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.cli.render import print_survey
from planned import CASES, pinned, surveyed

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CASES)
def test_a_check_prints_what_is_pinned(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = surveyed(name)
    print_survey(found.facts, found.profile)
    pinned(FOLDER / f"{name}.txt", capsys.readouterr().out)

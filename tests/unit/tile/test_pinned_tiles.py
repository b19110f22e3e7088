"""Tiles of seeded networks with their estimated cycles, layer by layer."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.ir.show import tiles_text
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", ["fetched", "stripes", "wide"])
def test_the_tiles_are_those_pinned(name: str) -> None:
    found = planned(name)
    rows = "\n".join(str(step) for step in found.tiles.steps)
    pinned(FOLDER / f"{name}.txt", f"{tiles_text(found.tiles, found.schedule)}\n{rows}")

"""How integer networks with regions, stripes and wide activations are shown, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.ir.show import graph_text
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", ["patches", "streamed", "stripes", "wide"])
def test_the_text_is_that_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}.txt", graph_text(planned(name).schedule.graph))

"""Graphs, schedules, plans and tiles of whole networks as ``deployer inspect`` shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.ir.show import graph_text, show
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", ["fetched", "streamed", "stripes", "spilled"])
def test_the_views_are_those_pinned(name: str) -> None:
    made = planned(name)
    views = (made.schedule, made.plan, made.tiles)
    pinned(FOLDER / f"{name}-views.txt", "\n".join(map(show, views)))


def test_only_artifacts_have_a_view() -> None:
    with pytest.raises(TypeError, match=r"^no view of a int$"):
        show(3)


@pytest.mark.parametrize("name", ["patches", "streamed", "stripes", "wide"])
def test_the_text_of_an_integer_graph_is_that_pinned(name: str) -> None:
    pinned(FOLDER / f"{name}.txt", graph_text(planned(name).schedule.graph))

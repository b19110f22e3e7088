"""The report says whose image ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.cli.render_report import _image_rows
from deployer.pipeline.report import image_facts


def bundle(target: str, *runners: str) -> Bundle:
    tables: dict[str, object] = {name: {} for name in runners}
    return Bundle(Path(), {"board": "board", "target": target, "runners": tables})


def test_the_boards_own_image_needs_no_word() -> None:
    facts = image_facts(bundle("board"))
    assert facts == {"of": "board", "note": ""}
    assert _image_rows(facts) == []


@pytest.mark.parametrize("runners", [(), ("register_model",)])
def test_a_twins_image_is_called_one_with_what_that_leaves_open(runners: tuple[str, ...]) -> None:
    facts = image_facts(bundle("other-machine", *runners))
    ((label, text),) = _image_rows(facts)
    assert (facts["of"], label) == ("twin", "image")
    assert text.startswith("of the twin: same network, plan and kernels, linked for other-machine")
    assert ("--runner register_model" in text) == bool(runners)


def test_a_report_of_an_earlier_version_is_still_shown() -> None:
    assert _image_rows(None) == []

"""Everything that a check tells of seeded networks, for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planned import CASES, pinned, surveyed

FOLDER = Path(__file__).parent / "pinned"


@pytest.mark.parametrize("name", CASES)
def test_the_facts_are_those_pinned(name: str) -> None:
    facts = json.loads(json.dumps(surveyed(name).facts))
    pinned(FOLDER / f"{name}.txt", "\n".join(_lines(facts, "")))


def _lines(facts: Any, path: str) -> list[str]:
    """A line for each list of plain values or plain value, after its path."""
    if (
        isinstance(facts, dict)
        and facts
        and any(isinstance(v, (dict, list)) for v in facts.values())
    ):
        return [line for key, each in facts.items() for line in _lines(each, f"{path}.{key}")]
    if isinstance(facts, list) and any(isinstance(each, (dict, list)) for each in facts):
        return [line for i, each in enumerate(facts) for line in _lines(each, f"{path}[{i}]")]
    return [f"{path} {json.dumps(facts)}"]

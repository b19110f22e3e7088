"""Facts on disk that are missing or damaged are the user's to mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.errors import UsageError
from deployer.pipeline.artifacts import read_json, write_json


def test_facts_survive_their_file(tmp_path: Path) -> None:
    write_json({"b": [1, 2], "a": None}, tmp_path / "facts.json")
    assert read_json(tmp_path / "facts.json") == {"a": None, "b": [1, 2]}


@pytest.mark.parametrize("text", ["", "{", '{"a": 1,}'])
def test_damaged_facts_are_told_with_their_path(text: str, tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="not a readable artifact") as error:
        read_json(path)
    assert str(path) in str(error.value)
    assert error.value.why


def test_facts_that_are_not_there_are_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no artifact at") as error:
        read_json(tmp_path / "facts.json")
    assert error.value.hints

"""JSON files that nobody vetted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer import json_text
from deployer.json_text import read_json


def written(folder: Path, data: bytes) -> Path:
    path = folder / "any.json"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("text", "value"), [("1.5", 1.5), ("-1e300", -1e300), ('{"a": [1, null]}', {"a": [1, None]})]
)
def test_finite_numbers_and_all_else_are_read(tmp_path: Path, text: str, value: Any) -> None:
    assert read_json(written(tmp_path, text.encode())) == value


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"NaN", "NaN is no number of JSON"),
        (b"[-Infinity]", "-Infinity is no number of JSON"),
        (b"1e999", "1e999 is no number of JSON"),
        (b"-1e999", "-1e999 is no number of JSON"),
        (b'"\xff"', "byte 1 is not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b"{", "Expecting"),
    ],
)
def test_what_is_no_json_is_refused_with_the_reason(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        read_json(written(tmp_path, data))


def test_a_file_of_more_bytes_than_any_artifact_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "_MAX_FILE_BYTES", 1234)
    assert read_json(written(tmp_path, b"1".ljust(1234))) == 1
    with pytest.raises(ValueError, match="more than 1,234 bytes"):
        read_json(written(tmp_path, b"1".ljust(1235)))


def test_graphs_of_many_megabytes_are_read(tmp_path: Path) -> None:
    assert read_json(written(tmp_path, b"7".ljust(32 << 20))) == 7


def test_of_a_larger_file_nothing_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, b"7")
    with path.open("r+b") as file:
        file.truncate((32 << 20) + 1)
    with pytest.raises(ValueError, match=r"^it has more than 33,554,432 bytes$"):
        read_json(path)

"""Sizes as people write them."""

from __future__ import annotations

import pytest

from deployer.errors import UsageError
from deployer.units import command_line, format_bytes, parse_size


@pytest.mark.parametrize(
    ("text", "count"), [("512B", 512), ("8KiB", 8192), ("2 MiB", 2 << 20), ("1gib", 1 << 30)]
)
def test_sizes_with_units(text: str, count: int) -> None:
    assert parse_size(text) == count


@pytest.mark.parametrize("text", ["64", "64KB", "-1KiB", "1.5KiB", "", "KiB"])
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_size(text)
    assert "64KiB" in str(caught.value)


def test_bytes_are_grouped() -> None:
    assert format_bytes(55296) == "55,296 B"


@pytest.mark.parametrize(
    ("words", "file", "expected"),
    [
        (["run", "-b", "host"], "net.onnx", "deployer run -b host net.onnx"),
        (["run"], "-net.onnx", "deployer run -- -net.onnx"),
        (["run"], "my net.onnx", "deployer run 'my net.onnx'"),
    ],
)
def test_a_command_can_be_pasted(words: list[str], file: str, expected: str) -> None:
    assert command_line(words, file) == expected

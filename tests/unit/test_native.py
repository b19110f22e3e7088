"""C programs of ours, compiled on first use."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer import native
from deployer.errors import BenchError
from deployer.native import compiled

FLAGS = ("-std=c11",)


def source(folder: Path, text: str) -> Path:
    path = folder / "program.c"
    path.write_text(text)
    return path


def build(folder: Path, text: str) -> Path:
    return compiled(
        "program", [source(folder, text)], flags=FLAGS, what="the test", cache=folder / "cache"
    )


def test_it_is_compiled_once_and_again_when_the_source_changes(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    first = build(tmp_path, "int main(void) { return 3; }")
    assert subprocess.run([first], check=False).returncode == 3
    made = first.stat().st_mtime_ns
    assert build(tmp_path, "int main(void) { return 3; }") == first
    assert first.stat().st_mtime_ns == made
    assert build(tmp_path, "int main(void) { return 4; }") != first


def test_what_does_not_compile_leaves_nothing_behind(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    with pytest.raises(BenchError, match="the test does not compile"):
        build(tmp_path, "int main(void) { return nothing; }")
    assert list((tmp_path / "cache").iterdir()) == []


def test_without_a_compiler_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "COMPILER", "no-such-compiler")
    with pytest.raises(BenchError, match="the test needs a C compiler for this machine"):
        build(tmp_path, "int main(void) { return 3; }")

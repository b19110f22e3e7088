"""C programs of ours, compiled on first use."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def test_without_a_compiler_the_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "COMPILER", "no-such-compiler")
    with pytest.raises(BenchError) as caught:
        build(tmp_path, "int main(void) { return 3; }")
    assert caught.value.why == ("no-such-compiler was not found",)
    assert caught.value.hints == ("install gcc (Debian package gcc)",)


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """A compiler of our own; ``$TARGET`` is what it is to write."""
    path = folder / "compiler"
    path.write_text(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nTARGET=$2\n{code}\n')
    path.chmod(0o755)
    monkeypatch.setattr(native, "COMPILER", str(path))


def test_names_tell_flags_sources_and_headers_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, 'echo "$TMPDIR" > "$TARGET"')
    main, header = source(tmp_path, "1"), tmp_path / "a.h"
    header.write_text("2")

    def made(name: str = "lib.so", flags: tuple[str, ...] = FLAGS, **more: Any) -> Path:
        return compiled(name, [main], flags=flags, what="it", cache=tmp_path / "cache", **more)

    first = made()
    assert first == made()
    assert first.name.startswith("lib-")
    assert first.name.endswith(".so")
    assert len(first.name) == len("lib-.so") + 16
    others = [made(flags=("-O2",)), made(includes=[header]), made("program")]
    header.write_text("3")
    others.append(made(includes=[header]))
    assert len({first, *others}) == 5
    assert Path(first.read_text().strip()).parent == first.parent
    assert sorted(path.name for path in first.parent.iterdir()) == sorted(
        path.name for path in (first, *others)
    )


def test_of_what_a_compiler_says_five_lines_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "seq 9 >&2; exit 1")
    with pytest.raises(BenchError) as caught:
        build(tmp_path, "")
    assert caught.value.what == "the test does not compile"
    assert caught.value.why == ("1", "2", "3", "4", "5")
    stand_in(tmp_path, monkeypatch, "echo No space left on device >&2; exit 1")
    with pytest.raises(BenchError, match="no room to compile"):
        build(tmp_path, "")


def test_the_users_cache_is_where_the_system_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert native.cache_folder() == Path("/elsewhere/deployer")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert native.cache_folder() == Path("/home/me/.cache/deployer")

"""What doctor says of every tool on a machine that has none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deployer.cli.jobs import tools
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def test_every_tool_is_told_with_what_it_enables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("GAP_SDK_HOME", raising=False)
    rows = tools.tool_rows()
    found = {row["name"] for row in rows if row["version"] is not None}
    assert found <= {"pyocd", "pyserial", "unicorn"}
    lines = [f"{row['name']}: {row['enables']}; {row['install']}" for row in rows]
    pinned(FOLDER / "doctor.txt", "\n".join(lines))


def test_our_simulator_is_there_where_a_compiler_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = tmp_path / "gcc"
    compiler.write_text("#!/bin/sh\necho gcc 1.2\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    versions = {row["name"]: row["version"] for row in tools.tool_rows()}
    assert versions["gap8_sim"] == "ours, built by gcc"

"""A few of the mutants that ``python -m tests.fuzz.NAME`` makes by the hundred."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("program", "count"), [("stages", 12), ("boards", 12), ("samples", 8)])
def test_mutants_get_documented_statuses(program: str, count: int) -> None:
    line = [sys.executable, "-m", f"tests.fuzz.{program}", "--count", str(count), "--seed", "17"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "faults: 0" in done.stdout

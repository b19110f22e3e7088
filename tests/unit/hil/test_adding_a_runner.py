"""The steps of hil/README.md for a new runner, performed on a copy of the rig."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from fakes.contract import CONTRACT
from models import dense_net

ROOT = Path(__file__).parents[3]
STEPS = re.compile(r"## Adding a runner\n.*?```python\n(.*?)```.*?```python\n(.*?)```", re.DOTALL)
LAST = "}\n\n\n@dataclass"  # behind the list of runners
RUNNER = "hil/deployer_hil/runners/background.py"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """This checkout with a copy of ``hil``, after the steps: a file, and a line."""
    root = tmp_path / "checkout"
    root.mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in ("hil", ".git"):
            (root / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "hil", root / "hil", ignore=shutil.ignore_patterns("__pycache__"))
    steps = STEPS.search((ROOT / "hil" / "README.md").read_text())
    assert steps
    text, line = steps.groups()
    (root / RUNNER).write_text(text)
    listed = root / "hil" / "deployer_hil" / "runner.py"
    assert listed.read_text().count(LAST) == 1
    listed.write_text(listed.read_text().replace(LAST, line + LAST))
    return root


def python(checkout: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (checkout, checkout / "hil", checkout / "tests")))
    return subprocess.run(
        [sys.executable, "-P", *map(str, arguments)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def contract(checkout: Path) -> subprocess.CompletedProcess[str]:
    tests = ("tests/unit/hil/test_runner_contract.py", "-k", "background", "-p", "no:cacheprovider")
    return python(checkout, "-m", "pytest", *tests)


def test_the_contract_holds_the_new_runner_to_what_it_owes(checkout: Path) -> None:
    done = contract(checkout)
    assert done.returncode == 0, done.stdout
    assert f"{len(CONTRACT)} passed" in done.stdout
    runner = checkout / RUNNER
    runner.write_text(runner.read_text().replace("STAND_IN", "STANDS_IN"))
    done = contract(checkout)
    assert done.returncode == 1
    assert (
        "deployer_hil.runners.background states no STAND_IN for the runner contract" in done.stdout
    )


def test_a_network_runs_through_it(
    checkout: Path, tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("gcc")
    tool("nice")
    onnx.save(dense_net(), tmp_path / "net.onnx")
    board = (checkout / "boards" / "host.toml").read_text() + "\n[runners.background]\n"
    (tmp_path / "host.toml").write_text(board)
    asked = ("-b", "host", "--runner", "background", "--board-dir", tmp_path)
    done = python(checkout, "-m", "deployer", "run", *asked, "-o", tmp_path, tmp_path / "net.onnx")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "net-host" / "8-run" / "report.json").read_text())
    assert report["golden"]["match"] is True
    assert report["runner"] == "background"

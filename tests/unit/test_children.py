"""Children end with their parent, also when it is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from deployer.children import ends_with_parent

# the child holds the pipe open as long as it lives
_PARENT = """
import subprocess, sys, time
from deployer.children import ends_with_parent
subprocess.Popen(
    [sys.executable, "-c", "import time; print('child', flush=True); time.sleep(600)"],
    preexec_fn=ends_with_parent(),
)
time.sleep(600)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the signal is Linux's")
def test_a_child_ends_when_its_parent_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"child\n"
    parent.kill()
    parent.wait()
    assert parent.stdout.read() == b""  # ends only when the child has gone
    parent.stdout.close()


def test_a_child_whose_parent_lives_runs_on(tmp_path: Path) -> None:
    code = "from pathlib import Path; Path('done').touch()"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, preexec_fn=ends_with_parent())
    assert (tmp_path / "done").exists()

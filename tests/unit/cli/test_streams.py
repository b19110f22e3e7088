"""Output that nobody reads, a disk that is full, streams that are closed: never a bug."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_READS_NOTHING = [sys.executable, "-c", "import sys; sys.stdin.close()"]


def shell(command: str) -> subprocess.CompletedProcess[str]:
    text = command.replace("deployer", f"{sys.executable} -m deployer", 1)
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["ops", "boards", "zoo", "--help", "run --help"])
def test_a_reader_that_goes_away_is_no_trouble(command: str) -> None:
    done = shell(f"deployer {command} | :; echo ${{PIPESTATUS[0]}} >&2")
    assert done.stderr in {"0\n", "141\n"}  # 0: all was written before the reader went


def test_a_reader_that_has_gone_is_told_by_the_status() -> None:
    ran = subprocess.Popen(_READS_NOTHING, stdin=subprocess.PIPE)
    ran.wait()
    done = subprocess.run(
        [sys.executable, "-m", "deployer", "zoo"],
        stdout=ran.stdin,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("command", ["ops", "ops --json", "boards"])
def test_a_full_disk_is_told(command: str) -> None:
    """Whether the end of the output is in a buffer still, or all of it."""
    if not Path("/dev/full").exists():
        pytest.skip("/dev/full")
    done = shell(f"deployer {command} > /dev/full")
    assert done.returncode == 6
    assert "No space left on device" in done.stderr
    assert "make room" in done.stderr


def test_closed_streams_are_no_trouble() -> None:
    assert shell("deployer boards >&- 2>&-").returncode == 0

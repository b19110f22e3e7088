"""Programs that compute, and programs that hang."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deployer_hil.cpu_time import CpuWatch, cpu_seconds

BUSY = "while True: pass"
IDLE = "import time; time.sleep(600)"
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-SE', '-c', sys.argv[1]])"
PATIENCE = 60.0
SECONDS = 0.5


@contextmanager
def program(*arguments: str) -> Iterator[int]:
    child = subprocess.Popen([sys.executable, "-SE", "-c", *arguments], start_new_session=True)
    try:
        yield child.pid
    finally:
        os.killpg(child.pid, 9)
        child.wait()


def stuck_within(watch: CpuWatch, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if watch.is_stuck():
            return True
        time.sleep(0.02)
    return False


def test_a_program_that_takes_no_processor_time_is_stuck() -> None:
    with program(IDLE) as process:
        assert stuck_within(CpuWatch(process, SECONDS), PATIENCE)


@pytest.mark.parametrize("arguments", [[BUSY], [PARENT, BUSY]], ids=["itself", "by-a-child"])
def test_a_program_that_computes_is_not(arguments: list[str]) -> None:
    with program(*arguments) as process:
        end = time.monotonic() + PATIENCE
        while (cpu_seconds(process) or 0.0) < 0.2 and time.monotonic() < end:
            time.sleep(0.02)
        assert not stuck_within(CpuWatch(process, 1.0), 2.5)
        assert (cpu_seconds(process) or 0.0) > 0.2


def test_of_a_program_that_has_ended_nothing_is_told() -> None:
    child = subprocess.Popen([sys.executable, "-SE", "-c", "pass"])
    child.wait()
    assert cpu_seconds(child.pid) is None

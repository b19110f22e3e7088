"""One image a board and one running device a target, shared by the tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tiny_build import TARGETS, Device, build


@pytest.fixture(scope="session")
def image(
    tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """image(board): the built ELF."""
    return cache(lambda board: build(board, tool, tmp_path_factory.mktemp(board)))


@pytest.fixture(scope="session")
def start(tool: Callable[[str], str], image: Callable[[str], Path]) -> Callable[[str], Device]:
    """start(target): a fresh device whose boot lines are still unread."""

    def run(name: str) -> Device:
        target = TARGETS[name]
        return Device(target.command(image(target.board), tool))

    return run


@pytest.fixture(scope="module", params=TARGETS)
def device(request: pytest.FixtureRequest, start: Callable[[str], Device]) -> Iterator[Device]:
    """A booted device of each target, shared by the tests of a module."""
    running = start(request.param)
    running.reply()
    yield running
    running.close()


@pytest.fixture
def fresh(request: pytest.FixtureRequest, start: Callable[[str], Device]) -> Iterator[Device]:
    """A device of its own for the target named by indirect parametrization, boot lines unread."""
    running = start(request.param)
    yield running
    running.close()

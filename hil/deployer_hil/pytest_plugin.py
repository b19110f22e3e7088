"""pytest on a device: ``-p deployer_hil.pytest_plugin --bundle DIR --runner NAME [--board NAME]``.

The fixture ``dut`` is an open session with the bundle's image. Without a bundle or a device a test
skips and says which is absent; a session that cannot be opened is the bench's failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployer import bundle as bundles
from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil import probe
from deployer_hil.measure import connect
from deployer_hil.runner import Runner, create
from deployer_hil.session import Session


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("deployer", "tests on a device")
    group.addoption("--bundle", default=None, help="folder of the bundle to run")
    group.addoption("--runner", default="pyocd", help="runner to use (default: pyocd)")
    group.addoption("--board", default=None, help="skip unless the bundle is for this board")


def missing(config: pytest.Config) -> str:
    """What a test on a device lacks, "" if nothing."""
    path = config.getoption("--bundle", default=None)
    if path is None:
        return "no --bundle DIR"
    board, wanted = bundles.read(Path(path)).board, config.getoption("--board", default=None)
    if wanted not in (None, board):
        return f"the bundle is for {board}, not {wanted}"
    if config.getoption("--runner", default="pyocd") == "pyocd" and not _probe_there():
        return "no debug probe connected"
    return ""


@pytest.fixture(scope="session")
def bundle(pytestconfig: pytest.Config) -> Bundle:
    """The bundle named on the command line."""
    if absent := missing(pytestconfig):
        pytest.skip(absent)
    return bundles.read(Path(pytestconfig.getoption("--bundle")))


@pytest.fixture(scope="session")
def runner(bundle: Bundle, pytestconfig: pytest.Config) -> Iterator[Runner]:
    """The runner named on the command line, loaded."""
    with create(pytestconfig.getoption("--runner", default="pyocd"), bundle) as found:
        found.load(bundle)
        yield found


@pytest.fixture
def dut(bundle: Bundle, runner: Runner) -> Iterator[Session]:
    """A session with the freshly started image."""
    with connect(bundle, runner) as session:
        yield session


def _probe_there() -> bool:
    try:
        return bool(probe.connected())
    except BenchError:
        return False

"""pytest on a device: ``--bundle DIR``, ``--bench``, ``--lab``, ``--runner``, ``--board``.

The fixture ``dut`` is a device with the bundle's image. A test of it skips where no board is. What
was asked for by ``--bench`` and cannot be had fails it, and so does a board that does not answer.
Every pytest loads this module, for tests of a device or not: it imports the rig when one asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from deployer.bundle import Bundle
    from deployer_hil.runner import Runner
    from deployer_hil.under_test import Dut

_OPTIONS = {
    "bundle": ("DIR", "the bundle under test, as deployer build -o writes it"),
    "bench": ("NAME", "bench of the lab file to test on; it fails the tests if it cannot be had"),
    "lab": ("FILE", "lab file whose free benches are used (default: $DEPLOYER_LAB, lab.toml)"),
    "runner": ("NAME", "only benches of this runner; without --lab, this runner and no bench"),
    "board": ("NAME", "skip unless the bundle is for this board"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Values are kept by names that no other plugin uses."""
    group = parser.getgroup("deployer", "tests on a device of deployer")
    for name, (value, told) in _OPTIONS.items():
        group.addoption(f"--{name}", dest=f"deployer_{name}", default="", metavar=value, help=told)


@pytest.fixture(scope="session")
def deployer_bundle(pytestconfig: pytest.Config) -> Bundle:
    """The bundle named on the command line."""
    from deployer import bundle

    found = _given(pytestconfig, "bundle")
    if not found and not _given(pytestconfig, "bench"):
        pytest.skip("skipped: no board (no --bundle DIR)")
    if not found:
        pytest.fail("--bench is for --bundle DIR, which names what is tested", pytrace=False)
    with _told():
        return bundle.read(Path(found))


@pytest.fixture(scope="session")
def deployer_runner(deployer_bundle: Bundle, pytestconfig: pytest.Config) -> Iterator[Runner]:
    """Where the bundle runs, loaded; its bench is ours until the tests end."""
    from deployer_hil import under_test

    lab = _given(pytestconfig, "lab")
    asked = under_test.Asked(
        **{name: _given(pytestconfig, name) for name in ("board", "runner", "bench")},
        lab=Path(lab) if lab else None,
    )
    with ExitStack() as stack:
        try:
            with _told():
                found = stack.enter_context(under_test.reached(deployer_bundle, asked))
        except under_test.NoBoard as absent:
            pytest.skip(f"skipped: no board ({absent})")
        yield found


@pytest.fixture
def dut(deployer_bundle: Bundle, deployer_runner: Runner) -> Iterator[Dut]:
    """The device under test, freshly started."""
    from deployer_hil import under_test

    with ExitStack() as stack:
        with _told():
            found = stack.enter_context(under_test.started(deployer_bundle, deployer_runner))
        yield found


def _given(config: pytest.Config, name: str) -> str:
    return str(config.getoption(f"deployer_{name}"))


@contextmanager
def _told() -> Iterator[None]:
    """What a user can act on is told without a traceback."""
    from deployer.errors import DeployerError

    try:
        yield
    except DeployerError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None

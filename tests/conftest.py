"""Fixtures and switches shared by all tests.

A test that needs a tool or folder that is absent skips and names it. ``--require NAME`` turns that
skip into a failure, so that CI cannot go green by skipping.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does, before numpy

# a machine that others use too is late now and then: a deadline by the clock would be noise
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"
# what runs a model of GVSoC: a variable that names it, or the program on the path
GVSOC = {"gvsoc": ("DEPLOYER_GAPY", "gapy"), "pulp-open": ("DEPLOYER_GVSOC", "gvsoc")}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require", action="append", default=[], help="fail, do not skip, when NAME is absent"
    )


@pytest.fixture(scope="session")
def need(request: pytest.FixtureRequest) -> Callable[[str, bool], None]:
    """need(name, present): skip by name when absent, or fail when --require names it."""
    required = {name for item in request.config.getoption("--require") for name in item.split(",")}

    def check(name: str, present: bool) -> None:
        if present:
            return
        if name in required or "all" in required:
            pytest.fail(f"{name} is required and absent")
        pytest.skip(f"{name} is absent")

    return check


@pytest.fixture(scope="session")
def tool(need: Callable[[str, bool], None]) -> Callable[[str], str]:
    """tool(program): its path; the test skips by name when it is not installed."""

    def find(program: str) -> str:
        variable, usual = GVSOC.get(program, ("", program))
        path = shutil.which(os.environ.get(variable) or usual)
        need(program, path is not None)
        return str(path)

    return find


@pytest.fixture(scope="session")
def shared_models(need: Callable[[str, bool], None]) -> Path:
    """The folder of reference models, there only in the project's own CI."""
    need("shared", (SHARED / "models").is_dir())
    return SHARED / "models"

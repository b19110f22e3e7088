"""Fixtures and switches shared by all tests.

A test that needs a tool or folder that is absent skips and names it. ``--require NAME`` turns that
skip into a failure, so that CI cannot go green by skipping.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from deployer.build import cmsis_nn
from deployer.build import compile as building
from deployer.pipeline import integer_network
from deployer_hil import locks
from deployer_hil.places import labgrid
from fakes.terminals import REQUIRED
from objects import FOLDER, compile_once
from quantized import quantize_once

# before numpy, as the command line does, and PyTorch: their threads wait busily for each other
for library in ("OPENBLAS", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

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


def pytest_configure(config: pytest.Config) -> None:
    """Workers inherit the folder, and find there what the others compiled; and what is required.
    Where no bytecode may be written beside our modules it lies in a folder of its own: else each
    command that a test starts would compile them all.

    Locks are a worker's own: fakes of one name are not what other tests must wait for.
    """
    os.environ[REQUIRED] = ",".join(config.getoption("--require"))
    _name_folder(config, locks.FOLDER, "locks-")
    if FOLDER not in os.environ:
        _name_folder(config, FOLDER, "objects-")
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        _name_folder(config, "PYTHONPYCACHEPREFIX", "bytecode-")


def _name_folder(config: pytest.Config, variable: str, prefix: str) -> None:
    """A new folder, which goes when the session ends."""
    os.environ[variable] = tempfile.mkdtemp(prefix=prefix)
    config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(variable), ignore_errors=True))


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Sources of firmware that do not change from network to network are compiled once."""
    compiled = building._compile

    def once(program: building.Program, command: Sequence[str], source: Path, to: Path) -> None:
        def anew(more: Sequence[str]) -> None:
            compiled(program, [*command, *more], source, to)

        if source.parent.name == cmsis_nn.FAMILY:  # with headers that the command does not name
            anew([])
        else:
            compile_once(command, source, to, anew)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "_compile", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def _quantized_once() -> Iterator[None]:
    """What the pipeline quantizes for one board after another is quantized once."""
    once = quantize_once(integer_network.quantize, integer_network.arena_bytes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integer_network, "quantize", once)
        yield


@pytest.fixture
def compiled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of compiling itself: every source is compiled each time, and nothing else kept."""
    monkeypatch.delenv(FOLDER)


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
def labgrid_python(need: Callable[[str, bool], None]) -> str:
    """The Python of labgrid's environment; the test skips by name where there is none."""
    made = os.environ.get(labgrid.PYTHON) or str(ROOT / ".venv" / "labgrid" / "bin" / "python")
    need("labgrid", os.access(made, os.X_OK))
    return made


@pytest.fixture
def torch_installed(need: Callable[[str, bool], None]) -> None:
    """The test skips by name without PyTorch."""
    need("torch", importlib.util.find_spec("torch") is not None)


@pytest.fixture(scope="session")
def shared_models(need: Callable[[str, bool], None]) -> Path:
    """The folder of reference models, there only in the project's own CI."""
    need("shared", (SHARED / "models").is_dir())
    return SHARED / "models"


@pytest.fixture(scope="session")
def paper_001(need: Callable[[str, bool], None]) -> str:
    """The text of paper 001, there only in the project's own CI."""
    found = sorted((SHARED / "papers").glob("001*.txt"))
    need("shared", bool(found))
    return found[0].read_text(encoding="utf-8")

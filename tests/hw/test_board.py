"""The runner contract on the real board; every test skips by name without it (``--require hw``
forbids that).

pytest -p deployer_hil.pytest_plugin tests/hw --bundle DIR [--runner pyocd] [--board NAME]
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deployer.bundle import Bundle
from deployer_hil.pytest_plugin import bundle, dut, missing, runner
from deployer_hil.runner import Runner
from deployer_hil.session import Session
from fakes.contract import CONTRACT, Check

__all__ = ["bundle", "dut", "runner"]


@pytest.fixture(scope="session", autouse=True)
def hardware(need: Callable[[str, bool], None], pytestconfig: pytest.Config) -> None:
    """Skips, or under ``--require hw`` fails, when bundle or board are absent."""
    absent = missing(pytestconfig)
    try:
        need("hw", not absent)
    except pytest.skip.Exception:
        pytest.skip(f"hw is absent: {absent}")


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(check: Check, bundle: Bundle, runner: Runner) -> None:
    check(bundle, runner)


def test_time_passes_on_the_board(dut: Session, bundle: Bundle) -> None:
    dut.load(bundle.golden["input"][0].tobytes())
    once, ten = dut.infer(1, 1), dut.infer(10, 1)
    assert 5 * once.microseconds < ten.microseconds < 20 * once.microseconds


def test_counts_repeat_on_the_board(dut: Session, bundle: Bundle) -> None:
    """Warm runs of the same input differ by less than one part in a hundred."""
    dut.load(bundle.golden["input"][0].tobytes())
    dut.layers()
    first, second = (sum(layer.count for layer in dut.layers()) for _ in range(2))
    assert abs(first - second) <= first / 100

"""The runner contract on the real board; every test skips by name without it (``--require hw``
forbids that).

pytest tests/hw --bundle DIR [--bench NAME] [--runner NAME] [--board NAME]
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest

from deployer.bundle import Bundle
from deployer_hil.runner import Runner
from deployer_hil.under_test import Dut
from fakes.contract import CONTRACT, Check


@pytest.fixture(scope="session", autouse=True)
def hardware(need: Callable[[str, bool], None], request: pytest.FixtureRequest) -> None:
    """Skips, or under ``--require hw`` fails, when bundle or board are absent."""
    try:
        request.getfixturevalue("deployer_runner")
    except pytest.skip.Exception as absent:
        with contextlib.suppress(pytest.skip.Exception):
            need("hw", False)
        pytest.skip(f"hw is absent: {absent.msg}")


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_contract(check: Check, deployer_bundle: Bundle, deployer_runner: Runner) -> None:
    check(deployer_bundle, deployer_runner)


def test_time_passes_on_the_board(dut: Dut) -> None:
    dut.session.load(dut.bundle.golden["input"][0].tobytes())
    once, ten = dut.session.infer(1, 1), dut.session.infer(10, 1)
    assert 5 * once.microseconds < ten.microseconds < 20 * once.microseconds


def test_counts_repeat_on_the_board(dut: Dut) -> None:
    """Warm runs of the same input differ by less than one part in a hundred."""
    dut.session.load(dut.bundle.golden["input"][0].tobytes())
    dut.session.layers()
    first, second = (sum(layer.count for layer in dut.session.layers()) for _ in range(2))
    assert abs(first - second) <= first / 100

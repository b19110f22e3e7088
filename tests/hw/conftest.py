"""Tests on a real board; every one skips by name without it (``--require hw`` forbids that).

pytest -p hil.pytest_plugin tests/hw --bundle DIR [--runner pyocd] [--board NAME]
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hil.pytest_plugin import bundle, dut, missing, runner

__all__ = ["bundle", "dut", "runner"]


@pytest.fixture(scope="session", autouse=True)
def hardware(need: Callable[[str, bool], None], pytestconfig: pytest.Config) -> None:
    """Skips, or under ``--require hw`` fails, when bundle or board are absent."""
    absent = missing(pytestconfig)
    try:
        need("hw", not absent)
    except pytest.skip.Exception:
        pytest.skip(f"hw is absent: {absent}")

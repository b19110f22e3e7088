"""Tests here need PyTorch and skip by name without it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest


@pytest.fixture(autouse=True)
def _torch(need: Callable[[str, bool], None]) -> None:
    need("torch", importlib.util.find_spec("torch") is not None)

"""Pairs of pseudo-terminals, which stand for serial lines; a system may have none to give."""

from __future__ import annotations

import os

import pytest

REQUIRED = "DEPLOYER_TESTS_REQUIRED"  # names that --require gives, for code without fixtures
_NAME = "pty"


def pair() -> tuple[int, int]:
    """Descriptors of a new pair. The test skips by name where there is none, or fails when
    ``--require`` names it."""
    try:
        return os.openpty()
    except OSError as error:
        absent = f"{_NAME} is absent: {error.strerror}"
    if {_NAME, "all"} & set(os.environ.get(REQUIRED, "").split(",")):
        pytest.fail(f"{_NAME} is required and {absent}")
    pytest.skip(absent)

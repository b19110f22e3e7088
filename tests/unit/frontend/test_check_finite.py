"""Numbers that are none are found wherever they are in a tensor."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.frontend.check import finite


@pytest.mark.parametrize("at", [0, (1 << 20) - 1, 1 << 20, (1 << 20) + 6])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e39])
def test_one_number_among_a_million(at: int, bad: float) -> None:
    array = np.zeros((1 << 20) + 7)
    assert finite(array)
    array[at] = bad
    assert not finite(array)


def test_integers_are_numbers() -> None:
    assert finite(np.array([2**62]))
    assert finite(np.zeros((0, 3), np.float32))

"""Two weights in a halfword: -128, which models that came quantized have, may not fit."""

from __future__ import annotations

import numpy as np
import pytest

from deployer.kernelset.cortex_m.dense import KERNELS
from deployer.kernelset.kernel import KernelCase, _lowest_pair


@pytest.mark.parametrize(
    ("lower", "upper", "fits"),
    [(-1, -128, False), (0, -128, True), (-128, -127, True), (-128, 127, True)],
)
def test_only_pairs_that_a_halfword_holds_are_packed(lower: int, upper: int, fits: bool) -> None:
    weights = np.array([[5, lower], [7, upper], [-128, -128]], np.int8)
    case = KernelCase(
        "FullyConnected", "s8", "s8", ((1, 2),), (1, 3), lowest_pair=_lowest_pair(weights)
    )
    when = KERNELS[0].when
    assert when is not None
    assert when(case) == fits
    assert fits == (-(2**15) <= lower + 256 * upper < 2**15)

"""Which kernel of each family takes what, its scratch, its cycles where they are estimated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deployer.kernelset.kernel import KernelCase, _lowest_pair
from deployer.kernelset.select import by_symbol
from unit.kernelset.table import text

GOLDEN = Path(__file__).parent / "golden" / "kernels.txt"


def test_kernels_of_many_cases() -> None:
    """Golden text: read a difference as a change of what networks of such layers deploy to."""
    assert text().splitlines() == GOLDEN.read_text().splitlines()


@pytest.mark.parametrize("act", ["s8", "s16"])
@pytest.mark.parametrize(
    ("lower", "upper", "fits"),
    [(-1, -128, False), (0, -128, True), (-128, -127, True), (-128, 127, True)],
)
def test_only_pairs_that_a_halfword_holds_are_packed(
    lower: int, upper: int, fits: bool, act: str
) -> None:
    """Two weights of a dense layer: -128, which models that came quantized have, may not fit."""
    weights = np.array([[5, lower], [7, upper], [-128, -128]], np.int8)
    case = KernelCase(
        "FullyConnected", act, "s8", ((1, 2),), (1, 3), lowest_pair=_lowest_pair(weights)
    )
    assert by_symbol(f"dpl_fully_connected_{act}__armv7em").takes(case) == fits
    assert fits == (-(2**15) <= lower + 256 * upper < 2**15)

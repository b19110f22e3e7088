"""Which inputs the NEON kernels of dense layers take."""

from __future__ import annotations

import pytest

from deployer.kernelset.kernel import KernelCase
from deployer.kernelset.select import by_symbol


@pytest.mark.parametrize(
    ("act", "values", "taken"),
    [("s8", 524_264, True), ("s8", 524_265, False), ("s16", 524_265, True)],
)
def test_places_of_int8_have_sixteen_bits(act: str, values: int, taken: bool) -> None:
    case = KernelCase("FullyConnected", act, "s8", ((1, values),), (1, 8))
    assert by_symbol(f"dpl_fully_connected_{act}__armv8a").when(case) == taken

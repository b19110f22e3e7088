"""Under which conditions cycles of a board are told."""

from __future__ import annotations

import pytest

from deployer.errors import BenchError
from deployer_hil.conditions import require_conditions

GAP8 = {"icache": "on", "dcache": "none", "clock_hz": "175000000"}


def test_a_cache_that_the_chip_lacks_is_no_fault() -> None:
    require_conditions("gap8", GAP8, 175_000_000)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"icache": "off"}, "icache is off"),
        ({"dcache": "off"}, "dcache is off"),
        ({"clock_hz": "50000000"}, "the core runs at 50000000 Hz"),
    ],
)
def test_what_would_mislead_is_refused(wrong: dict[str, str], told: str) -> None:
    with pytest.raises(BenchError, match="does not run as its cycles") as caught:
        require_conditions("gap8", {**GAP8, **wrong}, 175_000_000)
    assert caught.value.why[0] == told

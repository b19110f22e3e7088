"""Which kernel of each family takes what, its scratch, its cycles where they are estimated."""

from __future__ import annotations

from pathlib import Path

from unit.kernelset.table import text

GOLDEN = Path(__file__).parent / "golden" / "kernels.txt"


def test_kernels_of_many_cases() -> None:
    """Golden text: read a difference as a change of what networks of such layers deploy to."""
    assert text().splitlines() == GOLDEN.read_text().splitlines()

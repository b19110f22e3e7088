"""What arrays of constants are aligned to: the largest word that their kernels load."""

from __future__ import annotations

import re

import numpy as np
import pytest

from deployer.codegen.pack import pack
from planned import planned


@pytest.mark.parametrize(("name", "word"), [("pools", 8), ("residual", 4)])
def test_arrays_are_aligned_to_the_largest_word_of_their_kernels(name: str, word: int) -> None:
    text = planned(name).sources["weights.c"]
    assert set(re.findall(r"^_Alignas\((\d+)\) const", text, re.M)) == {str(word)}


def test_copied_arrays_are_aligned_to_eight_bytes() -> None:
    array = np.zeros(3, np.int8)
    assert pack("a", array).alignment == 4
    assert pack("a", array, "dtcm").alignment == 8
    assert pack("a", array, word_bytes=8).alignment == 8

"""Verdicts from CRCs and outputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer_hil.compare import (
    Verdict,
    element_of_byte,
    far_floats,
    sample,
    step_matches,
    summarize,
)

CRCS = np.array([1, 2**32 - 1, 3], dtype=np.uint32)
OUTPUT = np.array([-128, 0, 127], dtype=np.int8)


def test_equal_is_a_match() -> None:
    verdict = sample([1, 2**32 - 1, 3], CRCS, OUTPUT.tobytes(), OUTPUT)
    assert verdict == Verdict((True, True, True), 3, 0)
    assert verdict.match
    assert verdict.first_step is None


def test_the_first_differing_step_is_found() -> None:
    verdict = sample([1, 2, 4], CRCS, OUTPUT.tobytes(), OUTPUT)
    assert verdict.first_step == 1
    assert not verdict.match


@pytest.mark.parametrize(
    ("output", "differing"), [(b"\x80\x00\x7e", 1), (b"\x80", 2), (b"\x80\x00\x7f\x00", 1)]
)
def test_differing_elements_are_counted(output: bytes, differing: int) -> None:
    assert sample([1, 2**32 - 1, 3], CRCS, output, OUTPUT).differing == differing


def test_a_step_too_few_is_our_bug() -> None:
    with pytest.raises(ValueError, match="zip"):
        sample([1, 2], CRCS, b"", OUTPUT)


def test_no_sample_proves_nothing() -> None:
    assert not summarize([]).match


VERDICTS = st.lists(
    st.builds(
        Verdict,
        st.tuples(st.booleans(), st.booleans()),
        st.just(10),
        st.integers(0, 2),
    ),
    max_size=6,
)


@given(VERDICTS)
def test_a_summary_adds_up(verdicts: list[Verdict]) -> None:
    summary = summarize(verdicts)
    assert summary.matching == sum(v.match for v in verdicts)
    assert summary.match == (0 < len(verdicts) == summary.matching)
    assert summary.differing == sum(v.differing for v in verdicts)
    if summary.first_sample is not None:
        assert not verdicts[summary.first_sample].match
        assert all(v.match for v in verdicts[: summary.first_sample])
    assert len(step_matches(verdicts)) == (2 if verdicts else 0)


def test_bytes_of_one_element_count_once() -> None:
    """Two int16 and an int8: bytes 0 to 4 of the outputs."""
    golden = np.array([1, 2, 3, 4, 5], dtype=np.int8)
    elements = element_of_byte([4, 1], [2, 1])
    assert elements.tolist() == [0, 0, 1, 1, 2]
    for output, differing in ((b"\1\2\3\4\5", 0), (b"\0\0\3\4\5", 1), (b"\1\0\3\0\0", 3)):
        verdict = sample([], np.zeros(0), output, golden, elements)
        assert (verdict.elements, verdict.differing) == (3, differing)
    assert sample([], np.zeros(0), b"\1\2\3", golden, elements).differing == 2


def floats(*numbers: float) -> np.ndarray:
    """Floats as the bytes of a golden output."""
    return np.frombuffer(np.array(numbers, "<f4").tobytes(), np.int8)


@pytest.mark.parametrize(
    ("seen", "far"),
    [
        ((100.0, 1.0), 0),
        ((100.009, 0.991), 0),
        ((100.011, 1.0), 1),
        ((100.0, float("nan")), 1),
        ((float("inf"), 1.02), 2),
    ],
)
def test_floats_may_differ_by_a_share_of_the_largest(seen: tuple[float, ...], far: int) -> None:
    golden = floats(100.0, 1.0)
    assert far_floats(floats(*seen).tobytes(), golden, [8]) == far
    verdict = sample([7, 8], np.array([7, 8]), floats(*seen).tobytes(), golden, floats=[8])
    assert (verdict.match, verdict.elements, verdict.differing) == (far == 0, 2, far)


def test_each_float_tensor_has_its_own_largest() -> None:
    golden, seen = floats(100.0, 0.001), floats(100.0, 0.002)
    assert far_floats(seen.tobytes(), golden, [8]) == 0
    assert far_floats(seen.tobytes(), golden, [4, 4]) == 1
    assert far_floats(seen.tobytes()[:4], golden, [8]) == 2


def test_what_is_golden_and_no_number_is_close() -> None:
    golden = floats(float("inf"), float("nan"), 1.0)
    assert far_floats(golden.tobytes(), golden, [12]) == 0
    assert far_floats(floats(1.0, 1.0, 1.0).tobytes(), golden, [12]) == 2

"""Names as they may be printed: visible, on one line, and apart where they differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.printed import label, printed, printed_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größe", "größe"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb", "a\\nb"),
        ("\u202egnp", "\\u202egnp"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert printed(text) == shown


def test_lines_and_tabs_of_a_text_stay() -> None:
    assert printed_lines("a\n\tb\x1b\r") == "a\n\tb\\x1b\\r"


@pytest.mark.parametrize(
    ("text", "shown"),
    [(" a b ", "\\u0020a\\u0020b\\u0020"), ("a b", "a b"), ("a\\n", "a\\x5cn"), ("a\n", "a\\n")],
)
def test_blanks_at_the_ends_of_a_label_are_seen(text: str, shown: str) -> None:
    assert label(text) == shown


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_labels_of_names_that_differ_differ(names: list[str]) -> None:
    first, second = map(label, names)
    assert first != second
    assert first == first.strip()
    assert "\n" not in first
    assert label(names[0]) == first

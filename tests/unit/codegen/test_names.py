"""C identifiers: valid, distinct, readable."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.codegen.names import c_name, unique_names
from deployer.codegen.network import plain_text

IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/e1/e1.0/Conv", "e1_e1_0_conv"),
        ("onnx::Conv_84", "onnx_conv_84"),
        ("MobileNetV1 0.25", "mobilenetv1_0_25"),
        ("1x1", "n_1x1"),
        ("…", "n"),
    ],
)
def test_names_exporters_write(text: str, name: str) -> None:
    assert c_name(text) == name


@given(st.lists(st.text(), unique=True, max_size=20))
def test_any_names_become_distinct_identifiers(texts: list[str]) -> None:
    names = unique_names(texts)
    assert len(set(names.values())) == len(texts)
    assert all(IDENTIFIER.fullmatch(name) for name in names.values())


def test_names_that_clash_are_numbered_from_two_first_come_first_served() -> None:
    names = unique_names(["a/b", "a.b", "c", "a b"])
    assert names == {"a/b": "a_b", "a.b": "a_b_2", "c": "c", "a b": "a_b_3"}


@given(st.text())
def test_text_cannot_leave_a_string_or_comment(text: str) -> None:
    plain = plain_text(text)
    assert '"' not in plain
    assert "\\" not in plain
    assert "*/" not in plain
    assert plain.isascii()

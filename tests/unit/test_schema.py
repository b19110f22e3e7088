"""Rules for tables that somebody wrote by hand: what each takes, up to its bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deployer import schema
from deployer.errors import UsageError
from deployer.schema import (
    ANY,
    BOOL,
    Check,
    Each,
    Either,
    Named,
    OrNull,
    Rule,
    Table,
    integer,
    number,
    one_of,
    shown,
    size,
    text,
)

INF = float("inf")
KEY = text(r"[a-z]+", "small letters")
TAKEN: list[tuple[Check, list[Any], list[Any]]] = [  # what each takes, and what it does not
    (integer(-2, 5), [-2, 0, 5], [-3, 6, 1.0, True, "1", None]),
    (number(0, 2), [0, 0.0, 1, 2.0], [-0.1, 2.1, INF, float("nan"), True, "1", None]),
    (number(0, INF), [0, 1e300], [INF]),
    (number(0, 2, above=True), [0.001, 2], [0, 0.0, -1]),
    (text(), ["", "a\nb", "x" * 10_000], ["x" * 10_001, 1, None, []]),
    (text(r"a+", most=3), ["a", "aaa"], ["", "aaaa", "ab", "ba"]),
    (one_of(["a", "b"]), ["a", "b"], ["c", "", None, []]),
    (size(512, 64 << 10), ["512B", "64KiB", "1 KiB"], ["511B", "65KiB", "600", 600, "9" * 30]),
    (size(512, 64 << 10), ["0" * 16 + "512B"], ["0" * 17 + "512B"]),
    (BOOL, [True, False], [0, 1, "true", None]),
    (ANY, [None, 1, []], []),
    (Each(BOOL), [[], [True], (True, False)], [True, [1], None, {}]),
    (Each(BOOL, least=1), [[True], [True, False]], [[]]),
    (Either(text(), Each(text(), least=1)), ["a", ["a", "b"]], [[], [1], 1, None]),
    (OrNull(BOOL), [None, True], [1, "null"]),
    (Named(BOOL), [{}, {"any key": True}], [[], None, {"a": 1}]),
    (Named(BOOL, key=KEY), [{"abc": True}], [{"A": True}, {"abc": 1}]),
    (Table({"a": BOOL}, {"b": BOOL}), [{"a": True}, {"a": True, "b": False}],
     [{}, {"b": True}, {"a": 1}, {"a": True, "b": 1}, {"a": True, "c": 1}, [], None]),
    (Table({"a": BOOL}, {}, open=True), [{"a": True, "c": 1}], [{"c": 1}]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "taken", "refused"), TAKEN)
def test_a_rule_takes_its_values_and_no_others(
    rule: Check, taken: list[Any], refused: list[Any]
) -> None:
    for value in taken:
        rule.check(value, "here")
    for value in refused:
        with pytest.raises(UsageError):
            rule.check(value, "here")


@pytest.mark.parametrize(
    ("rule", "value", "what", "permitted"),
    [
        (integer(1, 4096, "bytes"), 0, "here is 0", "an integer from 1 to 4,096 (bytes)"),
        (integer(1, 2), None, "here is null", "an integer from 1 to 2"),
        (number(0, 1.5), -1, "here is -1", "a number from 0 to 1.5"),
        (number(0, 2, above=True), 0, "here is 0", "a number above 0 to 2"),
        (one_of(["", "b"]), "c", 'here is "c"', "one of (nothing), b"),
        (size(512, 2 << 20), "1B", 'here is "1B"', "bytes with a unit, 512 B to 2,097,152 B"),
        (Each(BOOL, least=2), [], "here is []", "a list of 2 or more"),
        (Each(BOOL), [True, 7], "here[1] is 7", "true or false"),
        (Either(BOOL, Each(BOOL)), [7], "here[0] is 7", "true or false"),
        (Either(BOOL, Each(BOOL)), 7, "here is 7", "true or false"),
        (Named(BOOL), 7, "here is 7", "a table"),
        (Named(BOOL, key=KEY), {"A": True}, 'here: the name is "A"', "small letters"),
        (Named(BOOL), {"a": 7}, "here.a is 7", "true or false"),
        (Table({"a": BOOL}, {}), [], "here is []", "a table"),
        (Table({}, {"a": BOOL}), {"a": 7}, "here.a is 7", "true or false"),
    ],
)
def test_a_refusal_says_where_what_and_what_is_permitted(
    rule: Check, value: Any, what: str, permitted: str
) -> None:
    with pytest.raises(UsageError) as caught:
        rule.check(value, "here")
    assert caught.value.what == what
    (hint,) = caught.value.hints
    assert hint.startswith(f"permitted: {permitted}")


def test_keys_that_lack_or_that_nobody_knows_are_named_with_their_place() -> None:
    table = Table({"inner": Table({"clock": ANY}, {"cores": ANY})}, {})
    for given, what, hints in (
        ({}, "it lacks the key 'inner'", ()),
        ({"inner": {}}, "it lacks the key 'inner.clock'", ()),
        ({"innr": {}}, "unknown key 'innr'", ("did you mean 'inner'?",)),
        ({"inner": {"clok": 1}}, "unknown key 'clok' in inner", ("did you mean 'clock'?",)),
        ({"inner": {"x": 1}}, "unknown key 'x' in inner", ("known: clock, cores",)),
    ):
        with pytest.raises(UsageError) as caught:
            table.check(given, "")
        assert (caught.value.what, caught.value.hints) == (what, hints)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("é", '"\\u00e9"'),
        ([1, None], "[1, null]"),
        ({1, 2}, "set"),
        ("x" * 58, '"' + "x" * 58 + '"'),
        ("x" * 59, '"' + "x" * 59 + "…"),
    ],
)
def test_values_are_shown_in_few_characters(value: Any, expected: str) -> None:
    assert shown(value) == expected


def test_a_rule_is_whatever_holds() -> None:
    holds: Callable[[Any], bool] = lambda v: v == 3  # noqa: E731
    rule: Rule = schema.Rule("three", holds)
    rule.check(3, "here")
    with pytest.raises(UsageError, match="here is 4"):
        rule.check(4, "here")

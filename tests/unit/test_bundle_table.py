"""What the manifest of a bundle may hold: every key with its rule, as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployer.bundle_table import MANIFEST, WIDTHS
from deployer.schema import Check, Each, Either, Named, OrNull, Rule, Table
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def rules(check: Check, where: str) -> Iterator[str]:
    if isinstance(check, Rule):
        yield f"{where}: {check.permitted}"
    elif isinstance(check, Each):
        yield from rules(check.rule, f"{where}[{check.least} or more]")
    elif isinstance(check, Either):
        yield from (*rules(check.alone, where), *rules(check.listed, where))
    elif isinstance(check, OrNull):
        yield from rules(check.rule, f"{where} or null")
    elif isinstance(check, Named):
        name = check.key.permitted if check.key else "any"
        yield from rules(check.rule, f"{where}.({name})")
    elif isinstance(check, Table):
        yield f"{where}: a table{', others too' if check.open else ''}"
        for name, rule in check.needed.items():
            yield from rules(rule, f"{where}.{name}")
        for name, rule in check.optional.items():
            yield from rules(rule, f"{where}.{name}?")


def test_the_rules_of_a_manifest_are_those_pinned() -> None:
    pinned(FOLDER / "manifest.txt", "\n".join(rules(MANIFEST, "")))


def test_elements_have_one_byte_or_two() -> None:
    assert dict(WIDTHS) == {"int8": 1, "int16": 2}


@pytest.mark.parametrize(
    ("key", "taken", "refused"),
    [
        ("id", ["0", "f" * 64, "09af"], ["", "g", "f" * 65, "F"]),
        ("firmware", ["a", "_.-", "a.elf", "9"], ["", ".a", "-a", "a/b", "a b"]),
    ],
)
def test_names_of_a_manifest(key: str, taken: list[str], refused: list[str]) -> None:
    rule = MANIFEST.needed[key]
    assert isinstance(rule, Rule)
    assert all(map(rule.holds, taken))
    assert not any(map(rule.holds, refused))

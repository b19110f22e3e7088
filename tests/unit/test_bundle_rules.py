"""What the manifest of a bundle may hold: every key with its rule, as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployer.bundle_table import MANIFEST, WIDTHS
from deployer.schema import Check, Each, Named, OrNull, Rule, Table
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def rules(check: Check, where: str) -> Iterator[str]:
    match check:
        case Rule():
            yield f"{where}: {check.permitted}"
        case Each():
            yield from rules(check.rule, f"{where}[{check.least} or more]")
        case OrNull():
            yield from rules(check.rule, f"{where} or null")
        case Named():
            name = check.key.permitted if check.key else "any"
            yield from rules(check.rule, f"{where}.({name})")
        case Table():
            yield f"{where}: a table{', others too' if check.open else ''}"
            for marks, keys in (("", check.needed), ("?", check.optional)):
                yield from (
                    line for n, rule in keys.items() for line in rules(rule, f"{where}.{n}{marks}")
                )


def test_the_rules_of_a_manifest_are_those_pinned() -> None:
    pinned(FOLDER / "manifest.txt", "\n".join(rules(MANIFEST, "")))


def test_elements_have_one_byte_two_or_four() -> None:
    assert dict(WIDTHS) == {"int8": 1, "int16": 2, "float32": 4}


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

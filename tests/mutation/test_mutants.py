"""Mutants are programs that differ from the module in one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mutation.equivalent import ANY_NUMBER, REASONS, reason
from mutation.mutants import Mutant, lines_of, mutant
from mutation.own_tests import by_nearness, unit_tests
from mutation.reach import function_at
from mutation.table import table

ROOT = Path(__file__).parents[2]
TEXT = '''\
from typing import Any

Either = int | None


class Shelf:
    """Holds books."""

    room: int = 3

    def add(self, book: Any, *, at: int | None = None) -> bool:
        """True when it fits."""
        assert self.room >= 0
        if not book or len(self.books) >= self.room:
            return False
        for each in (b for b in self.books[1:] if b is book):
            raise ValueError(each)
        self.books.append(dict(zip(book, book, strict=True)))
        self.count += min(1, -at)
        return True
'''
CHANGES = [
    "room: int = 4",
    "room: int = 2",
    "if not (not book or len(self.books) >= self.room):",
    "if not book and len(self.books) >= self.room:",
    "if not not book or len(self.books) >= self.room:",
    "if not book or len(self.books) > self.room:",
    "if not book or len(self.books) < self.room:",
    "return None",
    "return True",
    "for each in (b for b in self.books[1:] if not b is book):",
    "for each in (b for b in self.books[1:] if b is not book):",
    "for each in (b for b in self.books[:] if b is book):",
    "for each in (b for b in self.books[2:] if b is book):",
    "for each in (b for b in self.books[0:] if b is book):",
    "pass",
    "pass",
    "pass",
    "self.count -= min(1, -at)",
    "self.count += max(1, -at)",
    "self.count += min(2, -at)",
    "self.count += min(0, -at)",
    "self.count += min(1, +at)",
    "return None",
    "return False",
]


def every(text: str) -> list[Mutant]:
    return [mutant("deployer/tile/shelf.py", text, n) for n in range(len(lines_of(text)))]


def test_every_kind_of_change_and_no_other() -> None:
    """Not of types, docstrings, imports or what an assertion says."""
    assert sorted(each.after for each in every(TEXT)) == sorted(CHANGES)


@pytest.mark.parametrize("module", ["deployer/tile/first_tile.py", "hil/deployer_hil/session.py"])
def test_mutants_of_a_module_are_programs_that_differ_in_few_lines(module: str) -> None:
    text = (ROOT / module).read_text()
    plain = ast.unparse(ast.parse(text)).splitlines()
    found = [mutant(module, text, n) for n in range(0, len(lines_of(text)), 9)]
    assert len({each.text for each in found}) == len(found) > 5
    for each in found:
        compile(each.text, module, "exec")
        lines = each.text.splitlines()
        assert lines != plain
        assert any(each.before == line.strip() for line in plain)


def test_a_mutant_is_told_by_package_line_and_text() -> None:
    first = every(TEXT)[0]
    assert first.package == "tile"
    assert str(first) == "deployer/tile/shelf.py:9: room: int = 3  =>  room: int = 4"
    assert mutant("hil/deployer_hil/session.py", TEXT, 0).package == "hil"
    assert mutant("deployer/tools/zoo/resnet.py", TEXT, 0).package == "tools.zoo"


def test_the_function_around_a_line_is_named_as_code_objects_are() -> None:
    body = "class A:\n    def b(self):\n        def c():\n            return 1\n        return c\n"
    text = f"X = 1\n\n{body}"
    names = [function_at(text, line) for line in (1, 4, 5, 6, 7)]
    assert names == ["", "", "A.b", "A.b.<locals>.c", "A.b"]
    scope: dict[str, type] = {}
    exec(text, scope)
    assert scope["A"]().b().__code__.co_qualname == "A.b.<locals>.c"


def test_tests_that_import_the_module_run_first() -> None:
    near, rest = by_nearness(ROOT, unit_tests(ROOT, "tile"), "deployer/tile/first_tile.py")
    assert near[0] == "tests/unit/tile/test_first_tile.py"
    assert all("first_tile import" in (ROOT / file).read_text() for file in near)
    assert "tests/unit/tile/test_tile_search.py" in rest


def test_the_table_counts_equivalent_mutants_apart() -> None:
    killed, lives, same = every(TEXT)[:3]
    verdicts = [(killed, "failed"), (lives, ""), (same, "")]
    said = table(verdicts, lambda each: "nobody reads it" if each is same else "")
    row = next(line for line in said.splitlines() if line.startswith("all"))
    assert row.split() == ["all", "3", "1", "1", "1", "50%", "killed"]
    assert said.count("nobody reads it") == 1


def test_a_mutant_is_equivalent_by_what_it_changes_in_its_module() -> None:
    (path, old, new), why = next(iter(REASONS.items()))
    line = f"for block in blocks(len(x), {old}):"
    same = Mutant(path, 1, 0, line, line.replace(old, new), "")
    assert reason(same) == why
    assert reason(Mutant("hil/deployer_hil/session.py", 1, 0, same.before, same.after, "")) == ""
    assert reason(Mutant(path, 1, 0, line, line.replace("x", "y"), "")) == ""


@pytest.mark.parametrize(("path", "line"), ANY_NUMBER)
def test_every_number_of_some_lines_does(path: str, line: str) -> None:
    changed = line.replace("= ", "= 1 + ", 1)
    assert reason(Mutant(path, 1, 0, line, changed, "")) == ANY_NUMBER[path, line]
    assert reason(Mutant("hil/deployer_hil/session.py", 1, 0, line, changed, "")) == ""
    assert reason(Mutant(path, 1, 0, f"{line} + 1", changed, "")) == ""


OF_LINES = [*((path, old) for path, old, _ in REASONS), *ANY_NUMBER]


@pytest.mark.parametrize(("path", "old"), OF_LINES)
def test_equivalent_mutants_are_of_lines_that_are_there(path: str, old: str) -> None:
    assert old in ast.unparse(ast.parse((ROOT / path).read_text()))

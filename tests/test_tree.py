"""The tree: few folders at the top, names that are not used for everything, few crumbs, and C text
in templates."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOP = {
    *("CHANGELOG.md", "LICENSE", "Makefile", "README.md", "pyproject.toml"),
    *("boards", "ci", "deployer", "docs", "firmware", "hil", "kernels", "tests"),
}
MOST_OF_A_NAME = 4
CRUMB_LINES = 40
MOST_CRUMBS = 125  # of all Python files but __init__.py; lower it when there are fewer
STATEMENT = re.compile(r"(^|[=()\[\]].*);(\n|$)|#include|\)\s*\{")
EXPRESSION = re.compile(r"\w->|\*\)|^ [-+*/%] $|\bsizeof\b")  # a member, a cast, an operator


@pytest.fixture(scope="module")
def tracked(tool: Callable[[str], str]) -> list[Path]:
    """Every file of the checkout, relative to it."""
    command = [tool("git"), "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no checkout of git")
    found = [Path(line) for line in done.stdout.splitlines()]
    return [path for path in found if (ROOT / path).exists()]


@pytest.fixture(scope="module")
def modules(tracked: list[Path]) -> list[Path]:
    return [path for path in tracked if path.suffix == ".py" and path.name != "__init__.py"]


def test_the_top_holds_what_it_is_said_to_hold(tracked: list[Path]) -> None:
    assert {path.parts[0] for path in tracked if not path.parts[0].startswith(".")} == TOP


def test_no_name_is_used_for_everything(modules: list[Path]) -> None:
    often = Counter(path.name for path in modules)
    assert {name: n for name, n in often.items() if n > MOST_OF_A_NAME} == {}


def test_names_of_test_files_are_unique(modules: list[Path]) -> None:
    """pytest imports them by their last name."""
    often = Counter(path.name for path in modules if path.name.startswith("test_"))
    assert [name for name, n in often.items() if n > 1] == []


def test_files_of_a_few_lines_do_not_become_more(modules: list[Path]) -> None:
    crumbs = [path for path in modules if _lines(path) < CRUMB_LINES]
    assert len(crumbs) <= MOST_CRUMBS, "join what holds one thing together"


def _lines(path: Path) -> int:
    return (ROOT / path).read_text(encoding="utf-8").count("\n")


def test_a_command_file_holds_one_command() -> None:
    for path in sorted((ROOT / "deployer" / "cli" / "commands").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert names.count("command") == (path.name != "__init__.py"), path.name


@pytest.mark.parametrize("folder", ["deployer/codegen", "deployer/tools/bench"])
def test_c_statements_stand_in_templates(folder: str) -> None:
    paths = sorted((ROOT / folder).glob("*.py"))
    assert paths
    assert [f"{path.name}: {text!r}" for path in paths for text in statements(path)] == []


def test_c_expressions_stand_in_templates() -> None:
    paths = sorted((ROOT / "deployer" / "codegen").glob("*.py"))
    assert paths
    assert [f"{path.name}: {text!r}" for path in paths for text in expressions(path)] == []


def expressions(path: Path) -> list[str]:
    """Parts of a module's f-strings that look like parts of expressions of C."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parts = (
        part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    )
    texts = (part.value for part in parts if isinstance(part, ast.Constant))
    return [text for text in texts if EXPRESSION.search(text)]


def statements(path: Path) -> list[str]:
    """Texts in a module that look like statements of C, f-strings' parts among them."""
    return [text for text in _texts(path.read_text(encoding="utf-8")) if STATEMENT.search(text)]


def _texts(source: str) -> Iterator[str]:
    """Every text of a module but those that stand alone, which are comments."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""A comment;"""\nx = f"a->{x} = 1;"\n', [" = 1;"]),
        ('x = "one; two" + "that is (so); and" + "what follows;"\n', []),
        ('x = f"{y};"\n', [";"]),
        ('x = "#include <stdint.h>"\n', ["#include <stdint.h>"]),
        ('x = "int f(void) {"\n', ["int f(void) {"]),
    ],
)
def test_statements_of_c_are_recognized(source: str, found: list[str], tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(source)
    assert statements(file) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('x = f"t->{y}.count"\n', ["t->"]),
        ('x = f"(void *)({y})"\n', ["(void *)("]),
        ('x = f"{y} * {z}"\n', [" * "]),
        ('x = f"{y} -> {z}: 3 * 4, of {y} steps"\n', []),
    ],
)
def test_expressions_of_c_are_recognized(source: str, found: list[str], tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(source)
    assert expressions(file) == found

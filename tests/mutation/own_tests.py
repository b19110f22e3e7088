"""Which tests are a package's own, and which of them look at a module first."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ELSEWHERE = {  # packages whose behaviour the tests of another one state
    "numerics": ("analysis",),  # numerics/tiled.py is the device that plans of regions run on
    "bundle": ("hil",),
    "simulator": ("hil",),
    "resources": ("board",),
}
WIDE = "tests/pipeline"
ALSO = {  # of those that run whole commands, by the beginning of their names
    "pipeline": "test_",
    "cli": "test_",
    "tools.bench": "test_command_bench",
}
LEFT_OUT = ("test_wheel.py",)  # of packing, which no line of a module changes


def unit_tests(tree: Path, package: str) -> list[str]:
    """Test files of a folder of ``deployer``, of a module there, or of ``hil``."""
    unit = tree / "tests" / "unit"
    names = (package, *ELSEWHERE.get(package, ()))
    folders = [unit / name.replace(".", "/") for name in names]
    files = [file for folder in folders for file in sorted(folder.rglob("test_*.py"))]
    files += [file for file in [unit / f"test_{package}.py"] if file.is_file()]
    return [str(file.relative_to(tree)) for file in files]


def wide_tests(tree: Path, package: str) -> list[str]:
    """Those of whole commands that are the package's own too."""
    if package not in ALSO:
        return []
    files = sorted((tree / WIDE).glob(f"{ALSO[package]}*.py"))
    return [str(file.relative_to(tree)) for file in files if file.name not in LEFT_OUT]


def by_nearness(tree: Path, files: list[str], module: str) -> tuple[list[str], list[str]]:
    """Unit tests of any package that import ``module`` (a path), and those of ``files`` that are
    named after it; then the rest of ``files``. Those first whose names have words in common with
    it."""
    name = module.removesuffix(".py").replace("/", ".")
    last = f"_{name.rpartition('.')[2]}"
    every = {file: name in _imported(tree / file) for file in _unit_files(tree)}
    near = [f for f in every if every[f] or (f in files and Path(f).stem.endswith(last))]
    rest = [file for file in files if file not in near]
    shared = {file: -len(_words(file) & _words(module)) for file in (*near, *rest)}
    return sorted(near, key=shared.__getitem__), sorted(rest, key=shared.__getitem__)


@cache
def _unit_files(tree: Path) -> tuple[str, ...]:
    files = sorted((tree / "tests" / "unit").rglob("test_*.py"))
    return tuple(str(file.relative_to(tree)) for file in files)


def _words(path: str) -> set[str]:
    return {word.rstrip("s") for word in Path(path).stem.split("_")}


@cache
def _imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return found

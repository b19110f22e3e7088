"""Which tests are a package's own, and which of them look at a module first."""

from __future__ import annotations

import ast
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
    "bench": "test_command_bench",
}
LEFT_OUT = ("test_wheel.py",)  # of packing, which no line of a module changes


def unit_tests(tree: Path, package: str) -> list[str]:
    """Test files of a folder of ``deployer``, of a module there, or of ``hil``."""
    unit = tree / "tests" / "unit"
    names = (package, *ELSEWHERE.get(package, ()))
    files = [file for name in names for file in sorted((unit / name).rglob("test_*.py"))]
    files += [file for file in [unit / f"test_{package}.py"] if file.is_file()]
    return [str(file.relative_to(tree)) for file in files]


def wide_tests(tree: Path, package: str) -> list[str]:
    """Those of whole commands that are the package's own too."""
    if package not in ALSO:
        return []
    files = sorted((tree / WIDE).glob(f"{ALSO[package]}*.py"))
    return [str(file.relative_to(tree)) for file in files if file.name not in LEFT_OUT]


def by_nearness(tree: Path, files: list[str], module: str) -> tuple[list[str], list[str]]:
    """Those of ``files`` that import ``module`` (a path) or are named after it, and the rest; those
    first whose names have words in common with it."""
    name = module.removesuffix(".py").replace("/", ".")
    last = f"_{name.rpartition('.')[2]}"
    files = sorted(files, key=lambda file: -len(_words(file) & _words(module)))
    near = [f for f in files if name in _imported(tree / f) or Path(f).stem.endswith(last)]
    return near, [file for file in files if file not in near]


def _words(path: str) -> set[str]:
    return {word.rstrip("s") for word in Path(path).stem.split("_")}


def _imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return found

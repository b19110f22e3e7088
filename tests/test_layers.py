"""Who may import whom: the table of docs/architecture.md, enforced."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DISK = {"errors", "trouble", "folders", "files", "children"}
READERS = {"units", "printed", "npz", "schema", "json_text", "bundle"}
BASE = DISK | READERS | {"resources", "bundle_table", "native"}
IR = BASE | {"ir", "board"}
TOOLS = IR | {"numerics", "analysis", "kernelset"}
PLANS = TOOLS | {"schedule", "allocate"}
PASSES = {"frontend", "quantize", "restructure", "tile", "codegen"}

ALLOWED: dict[str, set[str]] = {
    **dict.fromkeys(BASE, BASE),
    **dict.fromkeys(("ir", "board"), IR),
    **dict.fromkeys(("numerics", "analysis", "kernelset"), TOOLS),
    **{name: TOOLS | {name} for name in ("schedule", "allocate")},
    **{name: PLANS | {name} for name in PASSES},
    "tools.train": PLANS | {"quantize"},
    "plan": PLANS | {"restructure", "tile", "codegen", "build"},
    "build": BASE | {"board", "build"},
    "simulator": DISK | {"native", "simulator"},
    "tools.zoo": DISK | {"resources"},
    "pipeline": PLANS | PASSES | {"build", "plan", "hil"},
    "tools.timing": BASE | {"board", "hil"},
    "drawing": PLANS | PASSES | {"build", "plan", "pipeline", "hil"},
    "tools.bench": PLANS
    | PASSES
    | {"build", "plan", "pipeline", "hil", "tools.timing", "tools.zoo"},
    "hil": DISK | READERS | {"simulator", "hil"},
    "cli": PLANS
    | PASSES
    | {"build", "plan", "pipeline", "hil", "drawing"}
    | {"tools.zoo", "tools.train", "tools.timing", "tools.bench"},
}

THIRD_PARTY: dict[str, set[str]] = {
    "onnx": {"frontend", "tools.zoo"},
    "ortools": {"allocate", "tile"},
    "jinja2": {"codegen"},
    "pyocd": {"hil", "cli"},
    "serial": {"hil"},
    "unicorn": {"hil"},
    "rich": {"cli"},
    "torch": {"tools.train"},
    "click": {"cli"},
}

SOURCES = sorted([*ROOT.glob("deployer/**/*.py"), *ROOT.glob("hil/**/*.py")])


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "hil" if parts[0] == "hil" else package_in(parts[1:])


def package_in(parts: Sequence[str]) -> str:
    """Of a module of ``deployer``: the first name, of tools the first two."""
    return ".".join(parts[: 2 if parts[0] == "tools" else 1])


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_follow_the_layers(path: Path) -> None:
    package = package_of(path)
    if package in {"__init__", "__main__", "tools.__init__"}:
        return
    for name in imported(path):
        top, *rest = name.split(".")
        if top == "hil":
            assert "hil" in ALLOWED[package], f"{package} imports {name}"
        elif top == "deployer" and rest and rest[0] != "__version__":
            assert package_in(rest) in ALLOWED[package] | {package}, f"{package} imports {name}"
        elif top in THIRD_PARTY:
            assert package in THIRD_PARTY[top], f"{package} imports {name}"

"""Who may import whom: the table of docs/architecture.md, enforced."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DISK = {"errors", "trouble", "folders", "files", "children"}
READERS = {"units", "printed", "npz", "schema", "json_text", "bundle", "choices"}
BASE = DISK | READERS | {"resources", "bundle_facts", "bundle_table", "native"}
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
    "plan": PLANS | {"restructure", "tile"},
    "build": BASE | {"board", "build"},
    "simulator": DISK | {"native", "simulator"},
    "tools.zoo": DISK | {"resources", "choices"},
    "pipeline": PLANS | PASSES | {"build", "plan", "deployer_hil"},
    "tools.timing": BASE | {"board", "deployer_hil"},
    "drawing": PLANS | PASSES | {"build", "plan", "pipeline", "deployer_hil"},
    "tools.bench": PLANS
    | PASSES
    | {"build", "plan", "pipeline", "deployer_hil", "tools.timing", "tools.zoo"},
    "deployer_hil": DISK | READERS | {"simulator", "deployer_hil"},
    "report": DISK | {"units", "printed", "deployer_hil"},
    "cli": PLANS
    | PASSES
    | {"build", "plan", "pipeline", "deployer_hil", "drawing", "report"}
    | {"tools.zoo", "tools.train", "tools.timing", "tools.bench"},
}

THIRD_PARTY: dict[str, set[str]] = {
    "onnx": {"frontend", "tools.zoo"},
    "ortools": {"allocate", "tile"},
    "jinja2": {"codegen", "report"},
    "pyocd": {"deployer_hil", "cli"},
    "serial": {"deployer_hil"},
    "unicorn": {"deployer_hil"},
    **{name: {"deployer_hil"} for name in ("joulescope", "pyjls", "pyvisa", "ppk2_api")},
    "rich": {"cli"},
    "torch": {"tools.train"},
    "click": {"cli"},
    "vl_convert": {"report"},
}

RIG = "deployer_hil"  # stands in hil/
SOURCES = sorted([*ROOT.glob("deployer/**/*.py"), *ROOT.glob(f"hil/{RIG}/**/*.py")])


def package_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return RIG if parts[0] == "hil" else package_in(parts[1:])


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


def module_of(path: Path) -> str:
    """The name by which ``path`` is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "hil" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in SOURCES}
PROGRAMS = {"cli"}  # entered module by module: each is one command
MOST_PACKAGES = 12


def door_of(module: str) -> str:
    """The package that ``module`` is entered by, "" for what stands in no package of its own."""
    parts = module.split(".")
    count = 1 if parts[0] == RIG else 3 if parts[1:2] == ["tools"] else 2
    name = ".".join(parts[:count])
    known = MODULES.get(name)
    own = known is not None and known.name == "__init__.py" and name not in ("deployer",)
    return name if own and name.removeprefix("deployer.") not in PROGRAMS else ""


def names_of(door: Path) -> Path:
    """The file that states the names of a front door: of a lazy one, its stub."""
    stub = door.with_suffix(".pyi")
    return stub if stub.exists() else door


@cache
def offers(package: str) -> frozenset[str]:
    """What the front door of ``package`` states."""
    path = MODULES.get(package)
    if path is None or path.name != "__init__.py":
        return frozenset()
    lists = [
        node.value
        for node in ast.parse(names_of(path).read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    return frozenset(name for each in lists for name in ast.literal_eval(each))


def entered(path: Path) -> set[str]:
    """The modules of this project that ``path`` imports from, as they are written."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            offered = offers(node.module) if node.module != door_of(module_of(path)) else ()
            inner = {name for name in names if name.rpartition(".")[2] not in offered}
            found |= inner or {node.module}
    return {name for name in found if name.split(".")[0] in ("deployer", RIG)}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_packages_are_entered_by_their_front_door(path: Path) -> None:
    """What a package offers to others stands in its ``__init__``."""
    own = door_of(module_of(path))
    others = {name for name in entered(path) if door_of(name) not in ("", own)}
    assert [name for name in others if name != door_of(name)] == []


@pytest.mark.parametrize("package", [name for name in MODULES if door_of(name) == name])
def test_a_front_door_states_what_it_offers(package: str) -> None:
    door = MODULES[package]
    tree = ast.parse(names_of(door).read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    taken = {alias.asname or alias.name for node in imports for alias in node.names}
    assert ast.get_docstring(ast.parse(door.read_text()))
    assert taken - {"annotations"} == offers(package)


def modules_offered(package: str) -> set[str]:
    """What ``package`` offers as the modules that they are."""
    imports = ast.parse(names_of(MODULES[package]).read_text()).body
    own = (node for node in imports if isinstance(node, ast.ImportFrom) and not node.module)
    return {alias.name for node in own for alias in node.names}


LAZY = [name for name in MODULES if names_of(MODULES[name]).suffix == ".pyi"]


@pytest.mark.parametrize("package", LAZY)
def test_a_lazy_front_door_offers_no_name_of_a_module(package: str) -> None:
    """Who imports such a module first would find it where the function is looked for."""
    modules = {path.stem for path in MODULES[package].parent.glob("*.py")}
    assert offers(package) & modules - modules_offered(package) == set()


def test_no_two_packages_and_no_two_modules_import_each_other() -> None:
    modules = {name: entered(path) & MODULES.keys() - {name} for name, path in MODULES.items()}
    assert circle(modules) == []
    packages: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        if path.name == "__main__.py" or name == "deployer":
            continue
        here = package_of(path)
        there = {package_of(MODULES[each]) for each in modules[name]}
        packages.setdefault(here, set()).update(there - {here, "__init__"})
    assert circle(packages) == []


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Names that import each other in a circle, [] when there is none."""
    left = {name: set(others) & graph.keys() for name, others in graph.items()}
    while ready := [name for name, others in left.items() if not others & left.keys()]:
        for name in ready:
            del left[name]
    return sorted(left)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_module_imports_from_many_packages(path: Path) -> None:
    found = {package_of(MODULES[name]) for name in entered(path) & MODULES.keys()}
    assert len(found - {package_of(path), "__init__"}) <= MOST_PACKAGES


@pytest.mark.parametrize("path", sorted(ROOT.glob("hil/deployer_labgrid/*.py")), ids=str)
def test_the_plug_in_of_labgrid_imports_nothing_of_deployer(path: Path) -> None:
    """It runs in labgrid's environment."""
    tops = {name.split(".")[0] for name in imported(path)}
    assert not tops & {"deployer", RIG, "serial"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_follow_the_layers(path: Path) -> None:
    package = package_of(path)
    if package in {"__init__", "__main__", "tools.__init__"}:
        return
    for name in imported(path):
        top, *rest = name.split(".")
        if top == RIG:
            assert RIG in ALLOWED[package], f"{package} imports {name}"
        elif top == "deployer" and rest and rest[0] != "__version__":
            assert package_in(rest) in ALLOWED[package] | {package}, f"{package} imports {name}"
        elif top in THIRD_PARTY:
            assert package in THIRD_PARTY[top], f"{package} imports {name}"

"""docs/adding-a-kernel.md, performed on a copy of the tree: two files make a proven kernel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "adding-a-kernel.md").read_text()
COPIED = ("deployer", "hil", "kernels", "firmware", "boards", "tests")
FENCE = re.compile(r"```(c|python)\n(.*?)```", re.DOTALL)
FILES = re.findall(r"^`([\w/.]+)`(?:, in `KERNELS`)?:$", GUIDE, re.MULTILINE)
NEW = "dpl_rescale_s16__armv7em_i32"
PROVE = f"""
import sys
from pathlib import Path
from catalogue.target import host, run
from deployer.kernelset.select import by_symbol
outcome = run(host(1), Path(sys.argv[1]), kernels=[by_symbol("{NEW}")])
print(len(outcome.trials), len(outcome.failures))
"""

FAMILY = """from deployer.kernelset.kernel import Kernel

KERNELS = (Kernel("dpl_rescale_s16__mve", op="Rescale", act="s16"),)
"""


def run(tree: Path, *arguments: str) -> str:
    """What Python says in ``tree``, with its packages alone."""
    paths = os.pathsep.join(
        map(str, (tree, tree / "hil", tree / "tests", tree / "tests" / "kernels"))
    )
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def proven(tree: Path) -> tuple[int, int]:
    """Cases of the new kernel, and how many fail, natively under ASan and UBSan."""
    work = tree / "proof"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    ran, failed = run(tree, "-c", PROVE, str(work)).split()
    return int(ran), int(failed)


@pytest.fixture(scope="module")
def tree(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with the guide's steps performed."""
    tool("gcc")
    copy = tmp_path_factory.mktemp("tree")
    leave = shutil.ignore_patterns("__pycache__", "pinned", "golden", "*.npz", "*.onnx")
    for name in COPIED:
        shutil.copytree(ROOT / name, copy / name, ignore=leave)
    texts = [text for _, text in FENCE.findall(GUIDE)]
    (source, code), (module, entry) = zip(FILES, texts, strict=True)
    assert not (copy / source).exists()
    (copy / source).write_text(code)
    entries = (copy / module).read_text()
    assert entries.endswith(")\n")
    indented = textwrap.indent(entry.rstrip(), "    ")
    (copy / module).write_text(f"{entries[:-2]}{indented},\n)\n")
    run(copy, "-m", "deployer.codegen.kernel_headers")
    return copy


def test_the_guide_names_two_files() -> None:
    assert len(FILES) == 2
    assert [language for language, _ in FENCE.findall(GUIDE)] == ["c", "python"]


def test_the_prototype_follows_the_entry(tree: Path) -> None:
    header = (tree / "kernels/include/dpl/elementwise.h").read_text()
    assert f"void {NEW}(const dpl_rescale_s16_args *a);" in header
    run(tree, "-m", "deployer.codegen.kernel_headers", "--check")


def test_the_catalogue_proves_the_kernel(tree: Path) -> None:
    ran, failed = proven(tree)
    assert ran >= 10
    assert failed == 0


def test_the_catalogue_finds_the_kernel_s_fault(tree: Path) -> None:
    source = tree / FILES[0]
    right = source.read_text()
    assert "+ rounding" in right
    source.write_text(right.replace("+ rounding", "- rounding"))
    try:
        ran, failed = proven(tree)
    finally:
        source.write_text(right)
    assert 0 < failed <= ran


def test_a_family_is_one_entry_and_its_folders(tree: Path) -> None:
    """The same C under another ISA's name, for a family of its own."""
    table = tree / "deployer/kernelset/families.py"
    text = table.read_text()
    last = '    Family("pulp", "xpulpv2"),\n'
    assert last in text
    table.write_text(text.replace(last, f'{last}    Family("helium", "mve"),\n'))
    code = (tree / FILES[0]).read_text().replace("armv7em_i32", "mve")
    put(tree / "kernels/helium/rescale_s16__mve.c", code)
    put(tree / "deployer/kernelset/helium/__init__.py", FAMILY)
    run(tree, "-m", "deployer.codegen.kernel_headers")
    header = (tree / "kernels/include/dpl/elementwise.h").read_text()
    assert "void dpl_rescale_s16__mve(const dpl_rescale_s16_args *a);" in header
    named = ("test_kernel_entries.py", "test_kernel_families.py")
    files = [f"tests/unit/kernelset/{name}" for name in named]
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "helium or folder", *files)


def put(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def test_entries_and_headers_of_the_copy_pass_their_tests(tree: Path) -> None:
    named = ("test_kernel_entries.py", "test_kernel_families.py")
    files = [f"tests/unit/kernelset/{name}" for name in named]
    run(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "cortex_m", *files)

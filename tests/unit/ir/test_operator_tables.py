"""Tables of the stages are complete, and what a new operator lacks is said at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from deployer.ir.ops import OPS, IncompleteTable, missing, operator_table
from deployer.resources import data_root

_NEWCOMER = """
from dataclasses import replace

OPS["Newcomer"] = replace(OPS["Rescale"], arguments="newcomer", trains=False)
"""
_STAGES = (
    "argument structs (codegen.arguments)",
    "float and integer references (numerics.ops)",
    "quantizer (quantize.layers)",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package whose registry has an operator that no stage knows."""
    root = tmp_path_factory.mktemp("tree")
    source = data_root() / "deployer"
    copytree(source, root / "deployer", ignore=ignore_patterns("__pycache__", "*.so"))
    registry = root / "deployer/ir/ops/registry.py"
    registry.write_text(registry.read_text() + _NEWCOMER)
    return root


def said(tree: Path, code: str) -> str:
    """What python prints of ``code`` in that tree."""
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tree,
        env={"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return found.stdout + found.stderr


def filled(*without: str) -> Mapping[str, int]:
    return {op: 1 for op in OPS if op not in without}


def test_the_tables_of_all_stages_are_complete() -> None:
    assert missing() == ()


def test_an_operator_with_neither_entry_nor_reason_is_an_error() -> None:
    with pytest.raises(IncompleteTable, match=r"^Mul: no entry in the table of the stage$"):
        operator_table("stage", filled("Mul"))
    assert operator_table("stage", filled("Mul"), without=["Mul"]) == filled("Mul")


def test_a_reason_for_an_entry_that_is_there_is_an_error() -> None:
    with pytest.raises(IncompleteTable, match="Mul: an entry in the table of the stage"):
        operator_table("stage", filled(), without=["Mul"])


def test_a_name_that_no_operator_has_is_an_error() -> None:
    with pytest.raises(IncompleteTable, match=r"Mull: no operator"):
        operator_table("stage", {**filled(), "Mull": 1})


def test_a_newcomer_reads_every_table_that_lacks_it(tree: Path) -> None:
    lines = said(tree, "from deployer.ir.ops import missing; print(*missing(), sep='\\n')")
    stated = [f"Newcomer: no entry in the table of the {stage}" for stage in _STAGES]
    assert sorted(lines.splitlines()) == sorted(stated)


def test_the_first_import_names_every_table(tree: Path) -> None:
    found = said(tree, "import deployer.pipeline.stages")
    assert "IncompleteTable" in found
    assert all(f"Newcomer: no entry in the table of the {stage}" in found for stage in _STAGES)

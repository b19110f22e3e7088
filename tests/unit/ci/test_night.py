"""The matrix of ``ci/nightly`` and its baseline belong together."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from deployer.board import board_names
from deployer_hil.gate import read_baseline
from deployer_hil.matrix import MatrixFile, read_matrix

CI = Path(__file__).parents[3] / "ci"


def night(folder: Path) -> MatrixFile:
    """Its cells, with models that the script would write."""
    shutil.copy(CI / "nightly.toml", folder)
    made = re.search(r"for name in ([\w. -]+); do", (CI / "nightly").read_text())
    assert made is not None
    for name in made[1].split():
        (folder / f"{name}.onnx").write_text(name)
    return read_matrix(folder / "nightly.toml", version="1")


def test_every_cell_of_the_night_has_a_row_of_the_baseline(tmp_path: Path) -> None:
    cells = Counter((Path(cell.model).stem, cell.board) for cell in night(tmp_path).cells)
    rows = read_baseline(CI / "baseline" / "nightly.json").rows
    assert Counter((row.model, row.board) for row in rows) == cells
    assert len({row.key for row in rows}) == len(rows)
    assert all(row.exact for row in rows)


def test_the_night_names_boards_that_there_are(tmp_path: Path) -> None:
    assert {cell.board for cell in night(tmp_path).cells} <= set(board_names(None))


def test_the_script_is_one_that_a_shell_reads() -> None:
    done = subprocess.run(["sh", "-n", str(CI / "nightly")], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")

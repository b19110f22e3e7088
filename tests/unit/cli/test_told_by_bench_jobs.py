"""Lines that a bench tells as its rows come, errors it ends with, and what it refuses before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.cli.commands.build import _require_library_for
from deployer.cli.jobs import bench_accuracy, bench_tiles, bench_zoo
from deployer.errors import ModelError, UsageError
from deployer.tools.bench.accuracy import AccuracyRow
from deployer.tools.bench.row import DIFFERS, EXACT, FAILED, NO_FIT, Row, keep
from unit.tools.bench.tiled_rows import row as tiled
from unit.tools.bench.tiled_rows import run


class View:
    def __init__(self) -> None:
        self.notices: list[str] = []
        self.bars: list[tuple[str, int, int]] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)

    def update(self, label: str, done: int, total: int) -> None:
        self.bars.append((label, done, total))


ROW = Row("net", "ms", "plain", "gap8", "Net", (3, 8, 8), 2000, 4, outcome=EXACT)
SAID = [
    (replace(ROW, layers=9, exact_layers=9), "9 of 9 layers exact"),
    (
        replace(ROW, layers=9, exact_layers=9, count=3000, unit="cycles", kind="simulated"),
        "9 of 9 layers exact, 1.50 cycles/MAC simulated",
    ),
    (replace(ROW, outcome=DIFFERS, layers=9, exact_layers=3), "3 of 9 layers exact"),
    (
        replace(ROW, outcome=NO_FIT, over={"l2": 1234, "l3": 5}, detail="d"),
        "does not fit l2 by 1,234 B, l3 by 5 B",
    ),
    (replace(ROW, outcome=NO_FIT, detail="flash"), "does not fit flash"),
    (replace(ROW, outcome=FAILED, detail="no qemu"), "failed: no qemu"),
    (replace(ROW, outcome=EXACT, same_as="dynamo"), "same program as dynamo, exact"),
]


@pytest.mark.parametrize(("row", "said"), SAID)
def test_a_row_of_the_zoo_is_a_line(row: Row, said: str) -> None:
    view: Any = View()
    bench_zoo._tell(view, replace(row, seconds=1.26), 3, 7)
    assert view.notices == [f"[3/7] Net ms plain on gap8: {said} (1.3 s)"]
    assert view.bars == [("bench", 3, 7)]


def test_rows_that_were_kept_are_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are fine and asked for in the same size and options."""
    file = tmp_path / "rows.jsonl"
    first, wrong = replace(ROW, network="a"), replace(ROW, network="b", outcome=FAILED)
    small = replace(ROW, network="c", golden_samples=9)
    for row in (first, wrong, small):
        keep(row, file)
    kept: list[set[str]] = []

    def rows(request: Any, known: dict[Any, Row]) -> list[Row]:
        kept.append({row.network for row in known.values()})
        return [first, replace(wrong, outcome=EXACT), small]

    monkeypatch.setattr(bench_zoo, "zoo_rows", rows)
    request: Any = SimpleNamespace(count=3, covers=lambda row: row.golden_samples == 4)
    assert len(bench_zoo._collect(request, file, resume=True)) == 3
    assert kept == [{"a"}]
    lines = file.read_text().splitlines()
    assert len(lines) == 5  # the two that were run again are added
    bench_zoo._collect(request, file, resume=False)
    assert kept[1] == set()
    assert len(file.read_text().splitlines()) == 3


TILED = [
    (tiled(600, 1000, 0), "gap8_sim exact, 1,600 cycles"),
    (
        tiled(600, 600, 0, more=(run(7, runner="gvsoc", outcome=DIFFERS),)),
        "gap8_sim exact, 1,200 cycles; gvsoc differs, 7 cycles",
    ),
    (replace(tiled(1), runs=(), outcome=NO_FIT), "does not fit"),
    (replace(tiled(1), runs=(), outcome=FAILED, detail="d"), "failed: d"),
]


@pytest.mark.parametrize(("row", "said"), TILED)
def test_a_row_of_tiles_is_a_line(row: Any, said: str) -> None:
    view: Any = View()
    bench_tiles._tell(view, row, 1, 2)
    assert view.notices == [f"[1/2] net, cost, 65,536 B of 524,288 B: {said}"]
    assert view.bars == [("bench", 1, 2)]


VARIANT = AccuracyRow("ms", "mse", agreement=0.75, seconds=0.26)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (VARIANT, "as float 75.00%"),
        (replace(VARIANT, top1=0.5), "top-1 50.00%, as float 75.00%"),
        (replace(VARIANT, error="no ranges"), "no ranges"),
    ],
)
def test_a_variant_is_a_line(row: AccuracyRow, said: str) -> None:
    view: Any = View()
    bench_accuracy._tell(view, row, 2, 9)
    assert view.notices == [f"[2/9] ms mse: {said} (0.3 s)"]


@pytest.mark.parametrize(
    ("count", "arena", "overwrite", "what"),
    [
        (1, None, False, ""),
        (2, None, False, "2 models"),
        (1, "own", False, "--arena"),
        (1, None, True, "--overwrite"),
        (3, "shared", True, "3 models and --arena and --overwrite"),
    ],
)
def test_what_is_of_a_library_is_refused_without_one(
    count: int, arena: str | None, overwrite: bool, what: str
) -> None:
    models = tuple(Path(f"{i}.onnx") for i in range(count))
    _require_library_for(models, Path("lib"), arena, overwrite)
    if not what:
        _require_library_for(models, None, arena, overwrite)
        return
    with pytest.raises(UsageError, match=f"{what}: only with --library DIR") as caught:
        _require_library_for(models, None, arena, overwrite)
    assert caught.value.why == ("firmware holds one network, in an arena of its own",)


def test_a_variant_without_integers_ends_the_command_after_its_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put: list[str] = []
    rows = [VARIANT, replace(VARIANT, error="no ranges")]
    samples = SimpleNamespace(source="s.npz")
    data = SimpleNamespace(samples=samples, labels=None)
    for name, value in {
        "import_model": lambda model, input_shapes, cut: "graph",
        "_read": lambda graph, path, given: data,
        "float_outputs": lambda graph, data: {},
        "classes_of": lambda expected: 3,
        "label_doubts": lambda *given: ["no label"],
        "sample_doubts": lambda samples: ["few samples"],
        "accuracy_rows": lambda *given, expected: iter(rows),
        "accuracy_facts": lambda *given, expected: {},
        "put_table": lambda facts, shown, output, as_json: put.append("table"),
    }.items():
        monkeypatch.setattr(bench_accuracy, name, value)
    paths = dict.fromkeys(("model", "data", "output", "calibration"))
    given = {**paths, "schemes": (), "methods": (), "input_shapes": (), "cut": (), "as_json": False}
    with pytest.raises(ModelError, match="1 of 2 variants have no integers"):
        bench_accuracy.carry_out(given)
    assert put == ["table"]
    rows.pop()
    bench_accuracy.carry_out(given)

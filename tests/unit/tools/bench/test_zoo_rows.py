"""Rows of the zoo table, with stages and proofs of nobody."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deployer.errors import BenchError, ImageTooLarge, ModelError, UsageError
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.tools.bench import prove, zoo
from deployer.tools.bench.edge import edge_network
from deployer.tools.bench.row import EXACT, FAILED, NO_FIT, UNSUPPORTED
from deployer.tools.bench.tiles_networks import TILED_NETWORKS, require_known
from deployer.tools.bench.zoo import ZooRequest, zoo_rows

BOARDS, STYLES = ("host", "gap8"), ("torchscript", "dynamo")


class Stages:
    """Stands in for the stages: writes folders, and proves whatever it is given."""

    def __init__(self) -> None:
        self.saved: list[tuple[str, str, str]] = []
        self.prepared: list[Job] = []
        self.proven: list[Job] = []
        self.alike = True
        self.error: Exception | None = None

    def save(self, network: Any, path: Path, *, style: str) -> None:
        self.saved.append((network.name, path.parent.name, style))
        path.write_bytes(b"a model")

    def execute(self, job: Job, *, last: str) -> Any:
        assert last == "quantize"
        if self.error:
            raise self.error
        self.prepared.append(job)
        for name in ("0-import", "1-quantize", "2-restructure"):
            (job.folder / name).mkdir(parents=True)
        graph = "graph" if self.alike else job.folder.parent.name
        return SimpleNamespace(get=lambda stage: SimpleNamespace(graph=graph))

    def prove(self, job: Job) -> dict[str, Any]:
        self.proven.append(job)
        first = job.board.name == BOARDS[0]
        there = sorted(path.name for path in job.folder.iterdir())
        assert there == ["0-import", "1-quantize", *(["2-restructure"] if first else [])]
        return {"outcome": EXACT, "layers": 9, "exact_layers": 9}


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> Stages:
    found = Stages()
    for name, value in {
        "save": found.save, "execute": found.execute, "prove_on": found.prove,
        "fingerprint": lambda graph: f"program of {graph}",
    }.items():  # fmt: skip
        monkeypatch.setattr(zoo, name, value)
    return found


def asked(**changes: Any) -> ZooRequest:
    given: dict[str, Any] = {
        "names": ("resnet8", "ds-cnn"), "boards": BOARDS, "styles": STYLES,
        "schemes": ("multiply-shift", "power-of-two"), "golden": 2, "seconds": 60.0,
        "stream_input": False,
    }  # fmt: skip
    return ZooRequest(**{**given, **changes})


def test_each_network_runs_in_every_scheme_and_style_on_every_board(stages: Stages) -> None:
    stages.alike = False
    request = asked(optimize="ram", stream_input=True, resolution=(32, 32), width=None)
    rows = list(zoo_rows(request, {}))
    assert [row.key for row in rows] == [
        (name, scheme, style, board)
        for name in request.names
        for scheme in request.schemes
        for style in STYLES
        for board in BOARDS
    ]
    assert len(rows) == request.count == 16
    assert {(row.outcome, row.same_as, row.golden_samples) for row in rows} == {(EXACT, "", 2)}
    assert {(row.optimize, row.stream_input, row.layers) for row in rows} == {("ram", True, 9)}
    networks = {name: edge_network(name, request.edge(name)) for name in request.names}
    assert all(row.macs == networks[row.network].macs for row in rows)
    assert all(row.input == networks[row.network].input for row in rows)
    assert len(stages.prepared) == len(stages.saved) == 8  # once for all boards
    assert len(stages.proven) == 16
    assert stages.saved[:2] == [("resnet8", style, style) for style in STYLES]


def test_a_program_that_was_proven_is_not_proven_again(stages: Stages) -> None:
    rows = list(zoo_rows(asked(names=("resnet8",), schemes=("multiply-shift",)), {}))
    assert [(row.same_as, row.seconds == 0.0) for row in rows[2:]] == [("torchscript", True)] * 2
    assert [row.same_as for row in rows[:2]] == ["", ""]
    assert [row.style for row in rows] == ["torchscript", "torchscript", "dynamo", "dynamo"]
    assert [row.outcome for row in rows] == [EXACT] * 4
    assert len(stages.proven) == 2


def test_rows_that_were_kept_are_not_made_again(stages: Stages) -> None:
    request = asked(names=("resnet8",), schemes=("multiply-shift",))
    rows = {row.key: row for row in zoo_rows(request, {})}
    stages.prepared.clear()
    stages.proven.clear()
    assert list(zoo_rows(request, rows)) == list(rows.values())
    assert (stages.prepared, stages.proven) == ([], [])
    half = {key: row for key, row in rows.items() if row.style == "torchscript"}
    assert [row.same_as for row in zoo_rows(request, half)][2:] == ["torchscript"] * 2
    assert (len(stages.prepared), stages.proven) == (1, [])


def test_rows_of_other_threads_are_not_those_asked_for(stages: Stages) -> None:
    names = {"names": ("resnet8",), "boards": BOARDS[:1], "schemes": ("multiply-shift",)}
    row, *_ = zoo_rows(asked(**names, threads=2), {})
    assert (row.threads, stages.proven[0].board.threads) == (2, 2)
    assert asked(**names, threads=2).covers(row)
    assert not asked(**names).covers(row)


def test_networks_are_prepared_with_noise_and_without_corrections(
    stages: Stages, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []
    prepare = stages.execute

    def execute(job: Job, *, last: str) -> Any:
        given.append(np.load(str(job.options.calibration))["input"])
        return prepare(job, last=last)

    monkeypatch.setattr(zoo, "execute", execute)
    list(zoo_rows(asked(names=("resnet8",), styles=STYLES[:1], boards=BOARDS[:1]), {}))
    assert [array.shape for array in given] == [(4, 3, 32, 32)] * 2
    assert np.array_equal(*given)
    assert given[0].dtype == np.float32
    options = stages.prepared[0].options
    assert (options.equalize, options.bias_correction) == ("off", "on")
    assert (options.golden_samples, options.optimize, options.stream_input) == (2, "time", False)


@pytest.mark.parametrize(
    ("error", "outcome", "detail"),
    [
        (ModelError("no kernel", why=["of this", "kind"]), UNSUPPORTED, "no kernel; of this; kind"),
        (BenchError("no emulator"), FAILED, "no emulator"),
        (KeyError("x"), FAILED, "bug: KeyError: 'x'"),
    ],
)
def test_what_cannot_be_prepared_is_told_for_every_board(
    stages: Stages, error: Exception, outcome: str, detail: str
) -> None:
    stages.error = error
    rows = list(zoo_rows(asked(names=("resnet8",), schemes=("multiply-shift",)), {}))
    assert [(row.outcome, row.detail, row.program) for row in rows] == [(outcome, detail, "")] * 4
    assert stages.proven == []
    assert len(stages.saved) == 2


@pytest.mark.parametrize(("outcome", "fine"), [(EXACT, True), (NO_FIT, True), (FAILED, False)])
def test_a_row_is_fine_when_nothing_is_left_to_find_out(
    stages: Stages, monkeypatch: pytest.MonkeyPatch, outcome: str, fine: bool
) -> None:
    monkeypatch.setattr(zoo, "prove_on", lambda job: {"outcome": outcome})
    (row, *_) = zoo_rows(asked(names=("resnet8",)), {})
    assert row.fine == fine


def test_a_network_that_is_neither_known_nor_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(b"")
    require_known((*TILED_NETWORKS, str(tmp_path / "net.onnx")))
    with pytest.raises(UsageError, match="no network and no file 'resnet88'") as caught:
        require_known(("resnet8", "resnet88"))
    assert caught.value.hints == (f"an ONNX file, or one of {', '.join(TILED_NETWORKS)}",)


def test_code_the_linker_found_too_large_is_told_in_bytes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def linked(*args: Any, **names: Any) -> None:
        raise ImageTooLarge("l2", 5904, board="gap8")

    monkeypatch.setattr(prove, "execute", linked)
    facts = prove.prove_on(make_job(tmp_path / "net.onnx", "gap8", options=Options()))
    assert (facts["outcome"], facts["over"]) == ("does not fit", {"l2": 5904})

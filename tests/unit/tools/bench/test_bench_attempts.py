"""Rows of networks in tiles and of the zoo: each with what its job came to, whatever that is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.errors import BenchError, FitError, ModelError
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.tools.bench import prove, tiles
from deployer.tools.bench.limit import TimeLimit
from deployer.tools.bench.tiles import TilesRequest, tiles_rows
from deployer.tools.bench.zoo import attempt

KIB = 1024
REPORT = {
    "golden": {"match": True, "first_differing_layer": None},
    "counter": {"kind": "simulated", "unit": "cycles"},
    "layers": [
        {"count": 40, "match": True, "kernel": "dpl_add_s8__armv7em"},
        {"count": 2, "match": False, "kernel": "dpl_copy_s8__ref"},
    ],
    "memory": {"arena": 11, "ram": 22, "flash": 33},
    "target": "a twin",
    "toolchain": {"compiler": "a compiler"},
    "restructured": None,
}
MANIFEST = {
    "model": {"macs": 1234},
    "steps": [{"name": "conv"}, {"name": "sum"}],
    "memory": {"streamed": {"bytes": 5}},
}


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """Of a job that ran."""
    (tmp_path / "record.jsonl").write_text(json.dumps({"tool": "a tool"}))
    build = SimpleNamespace(manifest=MANIFEST)
    return SimpleNamespace(path=lambda stage: tmp_path, get=lambda stage: build)


@pytest.fixture
def ran(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """``jobs`` that reached a stage; ``raises`` what building raises, ``report`` what is told."""
    seen: dict[str, Any] = {"jobs": [], "raises": None, "report": REPORT}

    def execute(job: Job, **stages: str) -> Any:
        seen["jobs"].append((job, stages))
        if seen["raises"] and stages.get("first") == "restructure":
            raise seen["raises"]
        return store

    def report(job: Job, given: Any) -> Any:
        assert given is store
        if isinstance(seen["report"], Exception):
            raise seen["report"]
        return seen["report"]

    model = tmp_path / "net.onnx"
    model.write_bytes(b"any")
    patches: dict[str, Callable[..., Any]] = {
        "execute": execute,
        "run_job": report,
        "open_store": lambda job: store,
        "model_of": lambda name, folder: (model, Options()),
    }
    for module in (tiles, prove):
        for name, value in patches.items():
            monkeypatch.setattr(module, name, value, raising=module is tiles)
    return seen


def asked(**given: Any) -> TilesRequest:
    return TilesRequest(**{"board": "gap8", "models": ("resnet8",), "seconds": 900.0, **given})


def test_every_model_runs_in_every_setting_and_every_runner(ran: dict[str, Any]) -> None:
    request = asked(
        models=("resnet8", "some/net.onnx"),
        runners=("gap8_sim", "gvsoc"),
        tilers=("cost", "dory"),
        inner=(48 * KIB, 64 * KIB),
        outer=(256 * KIB, None),
    )
    rows = list(tiles_rows(request))
    assert len(rows) == request.count == 16
    found = [(row.network, row.outer // KIB, row.inner // KIB, row.tiler) for row in rows[:5]]
    assert found == [
        ("resnet8", 256, 48, "cost"), ("resnet8", 256, 48, "dory"), ("resnet8", 256, 64, "cost"),
        ("resnet8", 256, 64, "dory"), ("resnet8", 512, 48, "cost"),
    ]  # fmt: skip
    assert {row.network for row in rows[8:]} == {"net"}
    first = rows[0]
    assert (first.outcome, first.macs, first.streamed) == ("exact", 1234, {"bytes": 5})
    assert [layer["name"] for layer in first.layers] == ["conv", "sum"]
    assert [run.runner for run in first.runs] == ["gap8_sim", "gvsoc"]
    run = first.runs[0]
    assert (run.outcome, run.detail, run.tool, run.counts) == ("exact", "", "a tool", (40, 2))
    assert (run.kind, run.unit) == ("simulated", "cycles")
    jobs = ran["jobs"]
    fronts = [job for job, stages in jobs if stages == {"last": "quantize"}]
    assert [job.runner for job in fronts] == ["gap8_sim"] * 2  # once a model
    built = [job for job, stages in jobs if stages == {"first": "restructure"}]
    assert [(job.options.tiler, job.target.memory("l1").size) for job in built[:3]] == [
        ("cost", 48 * KIB), ("dory", 48 * KIB), ("cost", 64 * KIB),
    ]  # fmt: skip
    assert all(job.target is job.board for job in built)


def test_without_runners_it_is_the_board_s_first(ran: dict[str, Any]) -> None:
    (row,) = tiles_rows(asked())
    assert [run.runner for run in row.runs] == ["gap8_sim"]


def test_a_network_that_does_not_fit_is_told_with_its_sizes(ran: dict[str, Any]) -> None:
    ran["raises"] = FitError("too large", why=["by 5 B", "of l2"])
    (row,) = tiles_rows(asked(inner=(48 * KIB,)))
    assert (row.outcome, row.detail) == ("does not fit", "too large; by 5 B; of l2")
    assert (row.inner, row.runs, row.layers) == (48 * KIB, (), ())


def test_a_model_that_cannot_be_quantized_ends_all_its_rows(
    ran: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: Any, **stages: Any) -> None:
        raise ModelError("no operator", why=["Loop"])

    monkeypatch.setattr(tiles, "execute", refused)
    rows = list(tiles_rows(asked(models=("a.onnx",), inner=(None, 48 * KIB))))
    assert [(r.network, r.outcome, r.detail, r.inner, r.outer) for r in rows] == [
        ("a", "unsupported", "no operator; Loop", inner, 0) for inner in (0, 48 * KIB)
    ]


def test_outputs_that_differ_are_the_row_s_outcome(ran: dict[str, Any]) -> None:
    golden = {"match": False, "first_differing_layer": "conv"}
    ran["report"] = {**REPORT, "golden": golden}
    (row,) = tiles_rows(asked())
    assert (row.outcome, row.runs[0].outcome, row.runs[0].detail) == ("differs", "differs", "conv")
    ran["report"] = BenchError("no answer")
    (row,) = tiles_rows(asked())
    assert (row.outcome, row.runs[0].detail, row.runs[0].counts) == ("failed", "no answer", ())


@pytest.mark.parametrize(
    ("error", "outcome", "detail"),
    [
        (TimeLimit("late"), "time limit", "late"),
        (ModelError("no", why=["a", "b"]), "unsupported", "no; a; b"),
        (FitError("large"), "failed", "large"),
        (ValueError("what"), "failed", "bug: ValueError: what"),
    ],
)
def test_what_an_attempt_ended_in_is_told(error: Exception, outcome: str, detail: str) -> None:
    def work() -> Any:
        raise error

    found = attempt(60.0, work)
    assert found["detail"] == detail
    assert found["outcome"] == outcome
    assert attempt(60.0, lambda: {"outcome": "any"}) == {"outcome": "any"}


def proven(tmp_path: Path) -> Any:
    return prove.prove_on(make_job(tmp_path / "net.onnx", "gap8", options=Options()))


def test_a_row_of_the_zoo_holds_what_the_report_says(ran: dict[str, Any], tmp_path: Path) -> None:
    assert proven(tmp_path) == {
        "outcome": "exact", "detail": "", "layers": 2, "exact_layers": 1, "portable": 1,
        "arena": 11, "ram": 22,
        "flash": 33, "count": 42, "kind": "simulated", "unit": "cycles", "target": "a twin",
        "tool": "a tool", "compiler": "a compiler",
    }  # fmt: skip
    ran["report"] = {
        **REPORT,
        "golden": {"match": False, "first_differing_layer": "sum"},
        "counter": {"kind": "none", "unit": "none"},
        "restructured": {
            "arena_before": 99, "regions": [1, 2], "added_macs": 30, "macs_before": 120
        },
    }  # fmt: skip
    found = proven(tmp_path)
    assert (found["outcome"], found["detail"], found["count"]) == ("differs", "sum", None)
    assert (found["plain_arena"], found["regions"], found["added_macs"]) == (99, 2, 0.25)


def test_a_plan_that_does_not_fit_is_told_by_memory(
    ran: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [SimpleNamespace(memory=n, excess=e) for n, e in (("l2", 5), ("l1", 0), ("l3", -1))]
    verdict = SimpleNamespace(
        report=SimpleNamespace(rows=rows),
        refusal=SimpleNamespace(why=["the arena", "the weights"]),
        plan=SimpleNamespace(arena=77),
    )
    monkeypatch.setattr(prove, "judge", lambda schedule, board: verdict)
    schedule = SimpleNamespace(steps=(1, 2, 3))
    monkeypatch.setattr(
        prove, "open_store", lambda job: SimpleNamespace(get=lambda stage: schedule)
    )
    ran["raises"] = FitError("too large")
    assert proven(tmp_path) == {
        "outcome": "does not fit", "detail": "the arena; the weights", "over": {"l2": 5},
        "layers": 3, "arena": 77,
    }  # fmt: skip
    verdict.refusal = None
    assert proven(tmp_path)["detail"] == ""

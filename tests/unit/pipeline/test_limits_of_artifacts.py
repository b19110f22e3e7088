"""What files of a stage may hold at the most, and how settings that differ are told."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deployer.errors import UsageError
from deployer.pipeline import artifacts, consistent, library_folder, settings
from deployer.pipeline.artifacts import FORMATS, Ran, file_text, read_json
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.library_folder import check_folder, write_library
from deployer.pipeline.library_manifest import NAME, manifest_of, read_manifest
from deployer.pipeline.options import Options
from deployer.pipeline.store import STAGES, known_stage
from deployer.quantize.goal import Goal
from planned import planned

REPORT: dict[str, Any] = {
    "calibration": {
        "calibrate": "minmax", "percentile": 99.9, "equalize": False, "bias_correction": True,
        "synthetic": True, "more": 1,
    },
    "layers": [{"node": "a", "output": {"sqnr_db": 30.5, "more": 1}, "more": 1}],
    "outputs": [{"sqnr_db": None, "max_abs_error": 0.5, "top1_agreement": 1, "more": 1}],
    "samples": 3, "more": 1,
}  # fmt: skip


def changed(*path: Any, value: Any) -> dict[str, Any]:
    found = copy.deepcopy(REPORT)
    place: Any = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return found


ERROR, SQNR = ("outputs", 0, "max_abs_error"), ("layers", 0, "output", "sqnr_db")
AGREES, PERCENTILE = ("outputs", 0, "top1_agreement"), ("calibration", "percentile")
FINE = [
    REPORT,
    changed("samples", value=1),
    changed("samples", value=1 << 40),
    changed(*PERCENTILE, value=0),
    changed(*PERCENTILE, value=100),
    changed(*PERCENTILE, value=None),
    changed(*SQNR, value=None),
    changed(*SQNR, value=-1e30),
    changed(*SQNR, value=1e30),
    changed(*ERROR, value=0),
    changed(*ERROR, value=1e300),
    changed(*AGREES, value=0),
    changed("layers", value=[]),
]
WRONG = [
    changed("samples", value=0),
    changed("samples", value=(1 << 40) + 1),
    changed(*PERCENTILE, value=-0.001),
    changed(*PERCENTILE, value=100.001),
    changed(*SQNR, value=1.001e30),
    changed(*SQNR, value=-1.001e30),
    changed(*ERROR, value=-1e-9),
    changed(*ERROR, value=None),
    changed(*ERROR, value=1.1e300),
    changed(*AGREES, value=1.001),
    changed(*AGREES, value=-0.001),
    changed("outputs", value=[]),
    changed("calibration", "equalize", value=1),
    changed("calibration", "calibrate", value=3),
]


@pytest.mark.parametrize("body", FINE)
def test_a_report_within_its_bounds_is_read(body: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(body))
    assert read_json(path, artifacts._QUANTIZED) == body


@pytest.mark.parametrize("body", WRONG)
def test_a_report_beyond_its_bounds_is_refused(body: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(body))
    with pytest.raises(UsageError, match="not a readable artifact"):
        read_json(path, artifacts._QUANTIZED)


class Long:
    """Stands in for the bytes of a file."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def decode(self) -> str:
        return "text"


@pytest.mark.parametrize(("size", "fine"), [(256 << 20, True), ((256 << 20) + 1, False)])
def test_generated_sources_have_256_mib_at_the_most(
    size: int, fine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda path: Long(size))
    if fine:
        assert file_text(Path("weights.c")) == "text"
        return
    with pytest.raises(UsageError) as caught:
        file_text(Path("weights.c"))
    assert caught.value.why == ("it has 268,435,457 bytes",)


def test_an_artifact_of_another_kind_is_refused(tmp_path: Path) -> None:
    from deployer.ir import serde

    serde.save(planned("residual").plan, tmp_path / "tiles.json")
    with pytest.raises(UsageError, match="not a readable artifact") as caught:
        FORMATS["tile"].read(tmp_path)
    assert caught.value.why == ("it is no TilePlan",)


def test_a_report_of_a_run_is_of_schema_1(tmp_path: Path) -> None:
    FORMATS["run"].write(Ran({"layers": [{"name": "a"}]}, "record"), tmp_path)
    assert json.loads((tmp_path / "report.json").read_text())["schema"] == 1
    assert (tmp_path / "record.jsonl").read_text() == "record\n"


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_has_a_folder_with_its_number(stage: str, tmp_path: Path) -> None:
    from deployer.pipeline.store import Store

    assert Store(tmp_path, {}).path(stage).name == f"{STAGES.index(stage)}-{stage}"
    assert known_stage(stage) == stage


def test_an_unknown_stage_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown stage 'tiel'") as caught:
        known_stage("tiel")
    assert caught.value.hints[0] == "did you mean tile?"


@pytest.mark.parametrize(("count", "shown"), [(8, 8), (9, 8), (1, 1)])
def test_eight_faults_of_a_stage_are_told(count: int, shown: int) -> None:
    class Store:
        def path(self, name: str) -> Path:
            return Path("job") / name

    store: Any = Store()
    consistent._refuse(store, "tile", [])
    with pytest.raises(UsageError) as caught:
        consistent._refuse(store, "tile", [f"fault {i}" for i in range(count)])
    assert caught.value.why == tuple(f"fault {i}" for i in range(shown))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return make_job(tmp_path / "net.onnx", "nucleo-f767zi", options=Options())


DIFFERENCES: list[tuple[str, Any, Any, str]] = [
    ("softmax", "host", "device", "--softmax was host, it is device"),
    ("golden_samples", 4, 2, "--golden was 4, it is 2"),
    ("input_offset", 0.0, 1.5, "--input-offset was 0.0, it is 1.5"),
    ("ram", None, 7, "--ram was not given, it is 7"),
    ("cut", ["a"], [], "--cut was ['a'], it is not given"),
    (
        "calibration",
        {"path": "a.npz", "sha256": "0123456789"},
        {"path": "b.npz", "sha256": ""},
        "--calibration was a.npz with sha256 01234567, it is b.npz with sha256 unknown",
    ),
    (
        "mixed",
        {"goal": "sqnr", "amount": 35},
        None,
        f"--mixed was {Goal('sqnr', 35)}, it is not given",
    ),
    ("model sha256", "00", "11", "net.onnx is another model now"),
]


@pytest.mark.parametrize(("name", "then", "now", "told"), DIFFERENCES)
def test_a_setting_that_differs_is_told(
    name: str, then: Any, now: Any, told: str, job: Job
) -> None:
    name = settings._MODEL if name.startswith("model") else name
    assert settings._difference(name, then, now, job) == told


def test_a_model_or_a_board_that_is_another_is_told(job: Job) -> None:
    assert settings._difference(settings._MODEL, "00", "", job) == f"{job.model} is not there"
    side = f"{settings._SIDE} weights.bin"
    assert settings._difference(side, "0", "1", job) == "net.onnx is another model now"
    planned_for = settings._difference(settings._PLANNED, "0", "1", job)
    assert planned_for == (
        "it was planned for other memories, kernels or costs than nucleo-f767zi's now"
    )
    for written, name in ((["gap8", "0"], "gap8"), ([], "another target"), ("x", "another target")):
        text = settings._difference(settings._TARGET, written, [], job)
        assert text == f"it was made for {name}, this is for {job.target.name}"


SHAPED: list[tuple[str, Callable[[Job], Job]]] = [
    ("restructure", lambda job: replace(job, board=replace(job.board, stack_bytes=64))),
    ("restructure", lambda job: replace(job, target=replace(job.target, kernels=("ref",)))),
    ("restructure", lambda job: replace(job, target=replace(job.target, cores=9))),
    ("generate", lambda job: replace(job, target=replace(job.target, stack_bytes=64))),
]


@pytest.mark.parametrize(("stage", "change"), SHAPED)
def test_what_a_plan_or_code_is_made_for_shapes_it(
    stage: str, change: Callable[[Job], Job], job: Job
) -> None:
    assert settings.settings_of(job, stage) == settings.settings_of(replace(job), stage)
    assert settings.settings_of(job, stage) != settings.settings_of(change(job), stage)
    assert settings.settings_of(job, "tile") == settings.settings_of(change(job), "tile")
    runners = replace(job, target=replace(job.target, runners={}))
    assert settings.settings_of(job, stage) == settings.settings_of(runners, stage)


def test_hashes_have_sixteen_digits(job: Job) -> None:
    found = settings.settings_of(job, "restructure")[settings._PLANNED]
    assert len(found) == 16
    assert int(found, 16)


OURS = {f"f{i}.c": b"x" for i in range(6)}


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, "'n0'"),
        (5, "'n0', 'n1', 'n2', 'n3', 'n4'"),
        (6, "'n0', 'n1', 'n2', 'n3', 'n4' and 1 more"),
    ],
)
def test_five_files_of_others_are_named(count: int, told: str, tmp_path: Path) -> None:
    for i in range(count):
        (tmp_path / f"n{i}").write_text("")
    with pytest.raises(UsageError) as caught:
        check_folder(tmp_path, overwrite=False)
    assert caught.value.what.endswith(f"that are not a library's: {told}")
    check_folder(tmp_path, overwrite=True)


@pytest.mark.parametrize(
    ("edited", "words", "shown"), [(1, "1 file", 1), (5, "5 files", 5), (6, "6 files", 6)]
)
def test_five_files_that_would_be_lost_are_named(
    edited: int, words: str, shown: int, tmp_path: Path
) -> None:
    write_library(tmp_path, OURS, overwrite=False)
    for i in range(edited):
        (tmp_path / f"f{i}.c").write_text("mine")
    with pytest.raises(UsageError) as caught:
        write_library(tmp_path, OURS, overwrite=False)
    assert caught.value.what.endswith(f"would lose {words}")
    lines = [f"f{i}.c: edited since it was written" for i in range(min(edited, 5))]
    assert caught.value.why == (*lines, *(["…"] if edited > 5 else []))
    assert len(caught.value.why) == shown


def test_five_places_that_are_taken_are_named(tmp_path: Path) -> None:
    for i in range(6):
        (tmp_path / f"f{i}.c").mkdir()
    with pytest.raises(UsageError, match="have no room in") as caught:
        write_library(tmp_path, OURS, overwrite=True)
    assert len(caught.value.why) == library_folder._MAX_SHOWN == 5


def test_a_manifest_says_who_wrote_it(tmp_path: Path) -> None:
    found = manifest_of({"b.c": b"", "a.c": b"x"})
    assert json.loads(found.text)["written_by"] == "deployer build --library"
    assert json.loads(found.text)["schema"] == 1
    assert found.text.startswith('{\n "files": {\n  "a.c": "2d711642b726b044')
    assert read_manifest(tmp_path) is None
    (tmp_path / NAME).write_text(found.text)
    assert read_manifest(tmp_path) == found


@pytest.mark.parametrize(
    "files", [{"": "0"}, {".": "0"}, {"a/../b": "0"}, {"a": 3}, {"/a": "0"}, {"..": "0"}]
)
def test_a_manifest_with_names_outside_is_refused(files: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(json.dumps({"files": files}))
    with pytest.raises(UsageError, match="does not say which files") as caught:
        read_manifest(tmp_path)
    assert caught.value.why == ("it was edited, or something else wrote it",)

"""Stages on disk are joined only where they belong together."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest

from deployer.board import port_defines
from deployer.choices import DbInput, Mlperf, SchemeName
from deployer.errors import UsageError
from deployer.pipeline import build_stage, stages
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.settings import (
    FIRST_STAGE,
    option_value,
    recorded_options,
    settings_of,
)
from deployer.pipeline.stages import execute, open_store
from deployer.pipeline.store import STAGES
from deployer.plan.request import Limits
from deployer.quantize.goal import Goal
from models import residual_net

PLANS = {"last": "generate"}  # needs no compiler


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "residual.onnx"
    onnx.save(residual_net(), path)
    return path


@pytest.fixture
def job(model: Path, tmp_path: Path) -> Job:
    return make_job(model, "nucleo-f767zi", options=Options(), output=tmp_path)


class _Seen:
    """Tells which of its fields are read."""

    seen: Callable[[str], None]

    def __getattribute__(self, name: str) -> Any:
        if name in FIRST_STAGE:
            _Seen.seen(name)
        return super().__getattribute__(name)


class _WatchedLimits(_Seen, Limits):
    pass


class _Watched(_Seen, Options):
    @property
    def limits(self) -> Limits:
        return _WatchedLimits()


def test_every_option_shapes_no_stage_before_the_one_it_is_recorded_at(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(FIRST_STAGE) == {field.name for field in fields(Options)}
    now, early = [""], set()

    def seen(name: str) -> None:
        if now[0] and STAGES.index(now[0]) < STAGES.index(FIRST_STAGE[name]):
            early.add((now[0], name))

    def progress(stage: str, done: int, total: int) -> None:
        if stage in STAGES:
            now[0] = "" if done else stage

    monkeypatch.setattr(_Seen, "seen", staticmethod(seen), raising=False)
    monkeypatch.setattr(stages, "settings_of", lambda *ignored: {})
    execute(replace(job, options=_Watched(), progress=progress), **PLANS)
    # names the options in the header of the generated code
    assert early <= {("generate", "kernels")}


@pytest.mark.parametrize(
    ("option", "value", "stale"),
    [
        ("softmax", "device", "import"),
        ("scheme", "power-of-two", "quantize"),
        ("golden_samples", 2, "quantize"),
        ("optimize", "ram", "restructure"),
        ("flash", 64 << 10, "restructure"),
        ("place", "off", "allocate"),
    ],
)
def test_a_stage_made_with_other_options_is_refused_by_name(
    job: Job, option: str, value: object, stale: str
) -> None:
    execute(job, **PLANS)
    other = replace(job, options=replace(job.options, **{option: value}))
    flag = {"golden_samples": "golden"}.get(option, option)
    with pytest.raises(UsageError, match=rf"stage {stale} is stale(.|\n)*--{flag} was") as told:
        execute(other, first="tile", **PLANS)
    assert f"--from {stale}" in str(told.value)
    execute(other, first=stale, **PLANS)
    execute(other, first="tile", **PLANS)


def test_a_stage_made_from_another_earlier_one_is_refused(job: Job) -> None:
    execute(job, **PLANS)
    power = replace(job, options=replace(job.options, scheme="power-of-two"))
    execute(power, last="quantize")
    with pytest.raises(
        UsageError, match=r"stage restructure is stale(.|\n)*quantize was made again"
    ):
        execute(power, first="generate", **PLANS)


def test_a_stage_that_came_out_the_same_makes_no_later_one_stale(job: Job) -> None:
    execute(job, **PLANS)
    execute(job, last="schedule")
    execute(job, first="tile", **PLANS)


def test_another_model_under_the_name_is_refused(job: Job, tmp_path: Path, model: Path) -> None:
    copy = tmp_path / "residual.onnx"
    copy.write_bytes(model.read_bytes())
    mine = replace(job, model=copy)
    execute(mine, last="import")
    onnx.save(residual_net(seed=5), copy)
    with pytest.raises(UsageError, match=r"stage import is stale(.|\n)*another model"):
        execute(mine, first="quantize", last="quantize")
    copy.unlink()
    with pytest.raises(UsageError, match=r"stage import is stale(.|\n)*is not there"):
        execute(mine, first="quantize", last="quantize")


def test_other_weights_beside_the_model_are_refused(job: Job, tmp_path: Path, model: Path) -> None:
    copy = tmp_path / "residual.onnx"
    onnx.save(
        onnx.load(model), copy, save_as_external_data=True, location="side.bin", size_threshold=0
    )
    mine = replace(job, model=copy)
    execute(mine, last="import")
    execute(mine, first="quantize", last="quantize")
    side = tmp_path / "side.bin"
    side.write_bytes(bytes(byte ^ 1 for byte in side.read_bytes()))
    with pytest.raises(UsageError, match="stage import is stale"):
        execute(mine, first="quantize", last="quantize")


def test_a_plan_holds_for_the_board_and_its_twin_and_code_does_not(job: Job) -> None:
    twin = make_job(job.model, "nucleo-f767zi", options=Options(), output=job.folder.parent)
    board = make_job(
        job.model, "nucleo-f767zi", options=Options(), output=job.folder.parent, for_board=True
    )
    assert twin.target != board.target
    execute(twin, **PLANS)
    execute(board, first="generate", **PLANS)
    with pytest.raises(UsageError, match=r"stage generate is stale(.|\n)*nucleo-f767zi, this is"):
        execute(twin, first="build", last="build")


def test_a_rate_is_that_of_the_image_and_of_who_talks_to_it(job: Job) -> None:
    def made(**given: Any) -> Job:
        folder = job.folder.parent
        return make_job(job.model, "nucleo-f767zi", options=Options(), output=folder, **given)

    usual, fast = made(for_board=True), made(runner="pyocd", baud=921_600)
    assert port_defines(usual.target, usual.runner)["DPL_BAUD"] == "115200u"
    assert port_defines(fast.target, fast.runner)["DPL_BAUD"] == "921600u"
    assert fast.target.runners["pyocd"]["baud"] == 921_600  # as the manifest has it
    assert settings_of(usual, "build")["baud"] == 115_200
    assert settings_of(fast, "build")["baud"] == 921_600
    assert settings_of(usual, "generate") == settings_of(fast, "generate")
    with pytest.raises(UsageError, match="no 921,601 baud on the console of nucleo-f767zi"):
        made(runner="pyocd", baud=921_601)


def test_energy_mode_is_that_of_the_image(job: Job) -> None:
    """It shapes the build and nothing before it; images without it are what they were."""
    energy = replace(job, mlperf=Mlperf(energy_mode=True))
    assert settings_of(energy, "build") == {**settings_of(job, "build"), "energy-mode": True}
    assert settings_of(energy, "generate") == settings_of(job, "generate")


def test_what_mlperf_s_files_hold_is_that_of_the_image(job: Job) -> None:
    pixels = replace(job, mlperf=Mlperf(db_input=DbInput.UINT8))
    assert settings_of(pixels, "build") == {**settings_of(job, "build"), "db-input": "uint8"}
    assert settings_of(pixels, "generate") == settings_of(job, "generate")


def test_a_score_is_that_of_the_image(job: Job) -> None:
    scored = replace(job, mlperf=Mlperf(anomaly_score=True))
    assert settings_of(scored, "build") == {**settings_of(job, "build"), "anomaly-score": True}
    assert settings_of(scored, "generate") == settings_of(job, "generate")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (Options(scheme=SchemeName.FLOAT), "inputs of a float network are not made integers"),
        (Options(bits=16), "a network with --db-input uint8 has int8 activations"),
    ],
)
def test_files_of_pixels_are_for_int8_inputs(job: Job, options: Options, said: str) -> None:
    pixels = Mlperf(db_input=DbInput.UINT8)
    with pytest.raises(UsageError, match=said):
        make_job(job.model, "nucleo-f767zi", options=options, mlperf=pixels)


def test_a_plan_for_other_memories_is_refused(job: Job) -> None:
    execute(job, **PLANS)
    smaller = tuple(replace(memory, size=memory.size // 2) for memory in job.board.memories)
    other = replace(job, board=replace(job.board, memories=smaller))
    with pytest.raises(UsageError, match="stage restructure is stale"):
        execute(other, first="generate", **PLANS)


def test_options_come_back_as_they_were(job: Job) -> None:
    options = replace(
        job.options,
        input_shapes=(("x", (1, 3, 12, 12)),),
        bits_of=(("conv*", 16),),
        mixed=Goal("ram", 65537.0),
        cut=("a", "b"),
        ram=70_000,
    )
    shaped = replace(job, options=options)
    written = json.dumps([settings_of(shaped, stage) for stage in STAGES])
    found = {
        key: option_value(value)
        for row in json.loads(written)
        for key, value in row.items()
        if key in FIRST_STAGE
    }
    assert Options(**found) == options


def test_the_options_of_earlier_stages_are_found_on_disk(job: Job, tmp_path: Path) -> None:
    samples = tmp_path / "samples.npz"
    np.savez(samples, x=np.ones((2, 3, 12, 12), dtype=np.float32))
    options = replace(job.options, calibration=samples, ram=70_000, place="off")
    execute(replace(job, options=options), **PLANS)
    found = recorded_options(open_store(job), "allocate")
    assert replace(Options(), **found) == replace(options, place=Options.place)


@pytest.mark.parametrize(
    ("shapes", "bits", "fits"),
    [
        (((1, 640), (1, 640)), 8, True),
        (((1, 1, 1, 640), (1, 640)), 8, True),
        (((1, 8, 8, 3), (1, 192)), 8, False),
        (((1, 640), (1, 641)), 8, False),
        (((1, 640), (1, 640)), 16, False),
    ],
)
def test_a_score_compares_what_lies_in_one_order(
    shapes: tuple[tuple[int, ...], ...], bits: int, fits: bool
) -> None:
    names = ("in", "out")
    values = {
        name: SimpleNamespace(name=name, shape=shape, dtype=SimpleNamespace(bytes=bits // 8))
        for name, shape in zip(names, shapes, strict=True)
    }
    graph: Any = SimpleNamespace(values=values, inputs=["in"], outputs=["out"])
    refused = nullcontext() if fits else pytest.raises(UsageError, match="is for an autoencoder")
    with refused:
        build_stage._require_reconstruction(graph)

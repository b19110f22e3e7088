"""What a fine-tuning tells and what it refuses, without a training."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from deployer.cli.jobs import tune
from deployer.cli.jobs.tune import TuneRequest
from deployer.errors import UsageError
from deployer.pipeline.options import Options
from deployer.quantize.samples import Dataset, Samples

SAMPLES = Path("s.npz")


def request(folder: Path, **changes: Any) -> TuneRequest:
    given = {"resume": False, "as_json": False, **changes}
    return TuneRequest(Path("net.onnx"), SAMPLES, None, folder, **given)


def part(count: int, **more: Any) -> dict[str, Any]:
    def side(factor: float) -> dict[str, Any]:
        return {"mse": {"a": 0.25 * factor, "b": 3e-7}, "agreement": {"a": 0.5, "b": 1 / factor}}

    return {"samples": count, "before": side(2), "after": side(1), **more}


REPORT = {
    "held_out": part(7),
    "dataset": part(90, top1={"float": 0.9, "before": 0.5, "after": 0.875}),
    "best_epoch": 3,
    "epochs": [1, 2, 3, 4, 5, 6],
    "seconds": 12.34,
    "simulation_equal": 0.999985,
}


def test_a_report_is_told_in_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    tune._print(REPORT, request(Path("out")), Options())
    assert capsys.readouterr().out.splitlines() == [
        "held out, 7 samples: before -> after",
        "  a: MSE to float 0.5 -> 0.25, same top-1 50.00% -> 50.00%",
        "  b: MSE to float 3e-07 -> 3e-07, same top-1 50.00% -> 100.00%",
        "dataset, 90 samples: before -> after",
        "  a: MSE to float 0.5 -> 0.25, same top-1 50.00% -> 50.00%",
        "  b: MSE to float 3e-07 -> 3e-07, same top-1 50.00% -> 100.00%",
        "  top-1: float 90.00%, integer 50.00% -> 87.50%",
        "best epoch 3 of 5, 12.3 s; simulation equals the integer pipeline on 99.9985% of all "
        "elements",
        "use it with: deployer run --board host --tuned out --calibration s.npz net.onnx",
    ]
    bare = {name: value for name, value in REPORT.items() if name != "dataset"}
    tune._print(bare, request(tmp_path), Options(calibration=Path("c.npz")))
    said = capsys.readouterr().out
    assert "dataset" not in said
    assert "--calibration c.npz" in said


def test_a_report_for_programs_is_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    tune._print(REPORT, request(Path("out"), as_json=True), Options())
    text = capsys.readouterr().out
    assert json.loads(text) == REPORT
    assert text.startswith('{\n "held_out"')


@pytest.mark.parametrize(
    ("scale", "offset", "told"),
    [(1.0, 0.0, False), (0.5, 0.0, True), (1.0, 2.0, True)],
)
def test_the_samples_scale_is_part_of_the_command(scale: float, offset: float, told: bool) -> None:
    options = Options(input_scale=scale, input_offset=offset, cut=("x", "y"))
    line = tune.use_line(request(Path("out")), options)
    words = f" --input-scale {scale} --input-offset {offset}" if told else ""
    assert line == (
        f"deployer run --board host --tuned out --calibration s.npz --cut x --cut y{words} net.onnx"
    )


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([], ""),
        (["notes.txt"], ""),
        (["checkpoint.pt"], "already holds a training"),
        (["tuned.json"], "holds files that finetune would overwrite"),
        (["teacher.json", "report.json"], "holds files that finetune would overwrite"),
    ],
)
def test_a_folder_with_a_training_is_not_overwritten(
    names: list[str], said: str, tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_text("")
    tune._require_free(request(tmp_path, resume=True))
    if not said:
        tune._require_free(request(tmp_path))
        return
    with pytest.raises(UsageError, match=said) as caught:
        tune._require_free(request(tmp_path))
    assert caught.value.hints[-1].endswith("another folder with -o")
    assert caught.value.why == ((", ".join(names),) if "overwrite" in said else ())


def dataset(labels: list[int] | None, count: int = 8, source: str = "s.npz") -> Dataset:
    values = np.random.default_rng(0).normal(size=(count, 3)).astype(np.float32)
    samples = Samples({"x": values}, source, "", synthetic=False)
    return Dataset(samples, None if labels is None else np.array(labels))


@pytest.mark.parametrize(
    ("labels", "told"), [(None, False), ([-1] * 8, False), ([0, -1] * 4, True)]
)
def test_top1_is_told_where_there_are_labels(
    labels: list[int] | None, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {"plain": (0.9, 0.5), "integer": (0.9, 0.75)}
    monkeypatch.setattr(
        tune,
        "accuracy",
        lambda graph, found, judged: SimpleNamespace(
            float_top1=scores[found][0], integer_top1=scores[found][1]
        ),
    )
    tuned: Any = SimpleNamespace(
        plain="plain", integer="integer", distances=lambda graph, samples: ("before", "after")
    )
    found = tune._judgement(None, tuned, dataset(labels))  # type: ignore[arg-type]
    top1 = {"top1": {"float": 0.9, "before": 0.5, "after": 0.75}} if told else {}
    assert found == {"samples": 8, "before": "before", "after": "after", **top1}


def test_labels_that_no_class_has_are_doubted() -> None:
    value = SimpleNamespace(shape=(1, 2, 2))
    graph: Any = SimpleNamespace(outputs=("y",), values={"y": value})
    ranges = dataset(None).samples
    assert tune._doubts(graph, ranges, None) == tune._doubts(graph, ranges, dataset([0, 3] * 4))
    (more,) = set(tune._doubts(graph, ranges, dataset([0, 4] * 4))) - set(
        tune._doubts(graph, ranges, None)
    )
    assert "s.npz" in more

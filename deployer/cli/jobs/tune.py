"""What ``deployer finetune`` does: import, train, write the tuned network, report."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NotRequired

import click

from deployer.cli.progress import progress_view
from deployer.errors import UsageError
from deployer.files import write_file
from deployer.frontend import import_model
from deployer.ir import Graph
from deployer.pipeline import NAME, TEACHER, Options, require_int8, save_tuned
from deployer.quantize import (
    Dataset,
    QuantOptions,
    Samples,
    accuracy,
    label_doubts,
    load_dataset,
    sample_doubts,
)
from deployer.tools.train import GainFacts, TrainOptions, Tuned, TunedFacts, finetune, require_torch
from deployer.trouble import file_trouble
from deployer.units import command_line

REPORT = "report.json"
_CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True)
class TuneRequest:
    """The command line of one fine-tuning."""

    model: Path
    samples: Path
    dataset: Path | None
    output: Path
    resume: bool
    as_json: bool


class TuneReport(TunedFacts):
    """``training``: the options. ``dataset``: what other samples say, where they are given."""

    schema: int
    model: str
    scheme: str
    requant: str
    training: dict[str, Any]
    dataset: NotRequired[GainFacts]


def carry_out(request: TuneRequest, given: dict[str, Any]) -> None:
    """Train, write the result to ``request.output`` and print what it gained."""
    options, training = _split(given)
    require_int8(options, "a fine-tuned network")
    require_torch()
    _require_free(request)
    with progress_view() as view:
        graph = import_model(
            request.model,
            input_shapes=dict(options.input_shapes),
            softmax=options.softmax,
            cut=options.cut,
        )
        read = _reader(graph, options)
        taught = read(request.samples).samples
        ranges = read(options.calibration).samples if options.calibration else taught
        judged = read(request.dataset) if request.dataset else None
        for text in _doubts(graph, ranges, judged):
            view.notice(f"WARNING: {text}")
        _make_folder(request.output)
        tuned = finetune(
            graph,
            taught,
            calibration=ranges,
            quant=_quant_options(options),
            options=training,
            folder=request.output,
            resume=request.resume,
            progress=view.update,
            notice=view.notice,
        )
    report = _report(graph, tuned, judged, options, training)
    save_tuned(tuned.graph, request.output, options=options, teacher=tuned.teacher)
    write_file(request.output / REPORT, json.dumps(report, indent=1, sort_keys=True) + "\n")
    _print(report, request, options)


def _make_folder(folder: Path) -> None:
    with file_trouble("write", folder):
        folder.mkdir(parents=True, exist_ok=True)


def _doubts(graph: Graph, ranges: Samples, judged: Dataset | None) -> tuple[str, ...]:
    if judged is None:
        return sample_doubts(ranges)
    first = graph.values[graph.outputs[0]].shape
    labels = label_doubts(judged.labels, math.prod(first[1:]), judged.samples.source)
    return (*sample_doubts(ranges), *labels)


def _quant_options(options: Options) -> QuantOptions:
    return QuantOptions(
        scheme=options.scheme,
        requant=options.requant,
        calibrate=options.calibrate,
        percentile=options.percentile,
        equalize=options.equalize,
        bias_correction=options.bias_correction,
    )


def _require_free(request: TuneRequest) -> None:
    if request.resume:
        return
    if (request.output / _CHECKPOINT).exists():
        raise UsageError(
            f"{request.output} already holds a training",
            hints=["go on with it: --resume", "or give another folder with -o"],
        )
    found = [name for name in (NAME, TEACHER, REPORT) if (request.output / name).exists()]
    if found:
        raise UsageError(
            f"{request.output} holds files that finetune would overwrite",
            why=[", ".join(found)],
            hints=["give another folder with -o"],
        )


def _split(given: dict[str, Any]) -> tuple[Options, TrainOptions]:
    """Click's arguments as pipeline and training options; both have the seed."""
    of_training = {field.name: given[field.name] for field in fields(TrainOptions)}
    rest = {name: value for name, value in given.items() if name not in of_training}
    return Options(**rest, seed=given["seed"]), TrainOptions(**of_training)


def _reader(graph: Graph, options: Options) -> Callable[[Path], Dataset]:
    def read(path: Path) -> Dataset:
        return load_dataset(
            graph, path, input_scale=options.input_scale, input_offset=options.input_offset
        )

    return read


def _report(
    graph: Graph, tuned: Tuned, judged: Dataset | None, options: Options, training: TrainOptions
) -> TuneReport:
    facts = tuned.facts
    report: TuneReport = {
        "schema": 1,
        "model": graph.name,
        "scheme": options.scheme,
        "requant": options.requant,
        "training": asdict(training),
        "epochs": facts["epochs"],
        "best_epoch": facts["best_epoch"],
        "seconds": facts["seconds"],
        "trained_on": facts["trained_on"],
        "held_out": facts["held_out"],
        "equalized": facts["equalized"],
        "simulation_equal": facts["simulation_equal"],
    }
    if judged is not None:
        report["dataset"] = _judgement(graph, tuned, judged)
    return report


def _judgement(graph: Graph, tuned: Tuned, judged: Dataset) -> GainFacts:
    """Teacher MSE, agreement and, where there are labels, top-1 before and after."""
    before, after = tuned.distances(graph, judged.samples)
    found: GainFacts = {
        "samples": judged.samples.count,
        "before": before,
        "after": after,
    }
    if judged.labels is not None and (judged.labels >= 0).any():
        plain, better = (accuracy(graph, g, judged) for g in (tuned.plain, tuned.integer))
        found["top1"] = {
            "float": plain.float_top1,
            "before": plain.integer_top1,
            "after": better.integer_top1,
        }
    return found


def use_line(request: TuneRequest, options: Options) -> str:
    """The command that deploys the result on this machine; another board is the user's choice."""
    given = [
        ("--board", "host"),
        ("--tuned", request.output),
        ("--calibration", options.calibration or request.samples),
        *(("--cut", name) for name in options.cut),
    ]
    if (options.input_scale, options.input_offset) != (1.0, 0.0):
        given += [("--input-scale", options.input_scale), ("--input-offset", options.input_offset)]
    words = [str(word) for pair in given for word in pair]
    return command_line(["run", *words], str(request.model))


def _print(report: TuneReport, request: TuneRequest, options: Options) -> None:
    if request.as_json:
        click.echo(json.dumps(report, indent=1))
        return
    _print_part("held out", report["held_out"])
    if "dataset" in report:
        _print_part("dataset", report["dataset"])
    click.echo(
        f"best epoch {report['best_epoch']} of {len(report['epochs']) - 1}, "
        f"{report['seconds']:.1f} s; simulation equals the integer pipeline on "
        f"{report['simulation_equal']:.4%} of all elements"
    )
    click.echo(f"use it with: {use_line(request, options)}")


def _print_part(title: str, part: GainFacts) -> None:
    click.echo(f"{title}, {part['samples']} samples: before -> after")
    for name, before in part["before"]["mse"].items():
        after = part["after"]["mse"][name]
        agree = part["before"]["agreement"][name], part["after"]["agreement"][name]
        click.echo(
            f"  {name}: MSE to float {before:.4g} -> {after:.4g}, "
            f"same top-1 {agree[0]:.2%} -> {agree[1]:.2%}"
        )
    if "top1" in part:
        top1 = part["top1"]
        click.echo(
            f"  top-1: float {top1['float']:.2%}, "
            f"integer {top1['before']:.2%} -> {top1['after']:.2%}"
        )

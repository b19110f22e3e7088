"""The run stage: put the bundle on its target, compare, and write the report."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from deployer.build import SINGLE
from deployer.bundle import Bundle
from deployer.choices import KernelSet
from deployer.errors import BenchError, MachineError, MismatchError
from deployer.files import write_file
from deployer.ir import DType, Graph
from deployer.numerics import interpret
from deployer.pipeline.artifacts import (
    BUILD,
    IMPORT,
    QUANTIZE,
    RUN,
    SCHEDULE,
    SERIAL_LOG,
    Ran,
)
from deployer.pipeline.complete_record import completed
from deployer.pipeline.facts import AccuracyFacts, Report
from deployer.pipeline.golden import join, quantize_inputs, split_outputs
from deployer.pipeline.job import Job
from deployer.pipeline.report import make_report
from deployer.pipeline.store import Store
from deployer.pipeline.widths import width_text
from deployer.quantize import Dataset, classes_of, label_doubts, load_dataset, top1
from deployer_hil import (
    INTACT,
    Runner,
    RunRecord,
    SerialLog,
    Source,
    create,
    energy_figures,
    far_floats,
    infer_dataset,
    measure_energy,
    prove,
)

_COMPARE = "the report lists every layer; rerun with --board host to compare"
_WEIGHTS = (
    "the image was not programmed or loaded well, or something wrote over its weights: "
    "program it again, and see whether the same layer differs"
)
_ROUNDING = f"build the library with -D{SINGLE}: double rounding differs by one step here and there"


def run_job(
    job: Job,
    store: Store,
    *,
    dataset: Path | None = None,
    runner_options: Mapping[str, Any] = MappingProxyType({}),
) -> Report:
    """Run the built bundle and write ``8-run/``; returns the report.

    ``runner_options`` go to the runner (probe, port). Raises BenchError when board or emulator
    fail; a mismatch is in the report (see ``require_match``).
    """
    return run_and_record(job, store, dataset=dataset, runner_options=runner_options).report


def run_and_record(
    job: Job,
    store: Store,
    *,
    dataset: Path | None = None,
    runner_options: Mapping[str, Any] = MappingProxyType({}),
    meter: Source | None = None,
) -> Ran:
    """As ``run_job``, with the record and the serial log; ``meter`` measures energy too, and where
    it cannot, ``trouble`` says why. The log of a run that fails is kept as ``serial.log`` in the
    job's folder."""
    data = _dataset(job, store, dataset)
    with closing(SerialLog()) as log:
        try:
            ran = _ran(job, store, data, runner_options, log, meter)
        except BaseException:
            write_file(store.folder / SERIAL_LOG, log.text())
            raise
    store.put(RUN, ran, settings={"runner": job.runner})
    return ran


def _ran(
    job: Job,
    store: Store,
    data: Dataset | None,
    runner_options: Mapping[str, Any],
    log: SerialLog,
    meter: Source | None,
) -> Ran:
    bundle = store.get(BUILD)
    with create(job.runner, bundle, **runner_options) as device:
        record = prove(bundle, device, progress=job.progress, log=log)
        accuracy = _accuracy(job, store, data, device, log) if data else None
        trouble = None
        if meter and record.golden.match:
            record, trouble = _with_energy(job, bundle, device, meter, record, log)
    report, whole = complete(job, store, record, accuracy)
    return Ran(report, whole.to_json(), log.text(), trouble)


def _with_energy(
    job: Job, bundle: Bundle, device: Runner, meter: Source, record: RunRecord, log: SerialLog
) -> tuple[RunRecord, BenchError | None]:
    """The record with its energy, or with the trouble that is why it has none: what was proven
    stands. A full disk is no trouble of the bench and is raised."""
    try:
        found = measure_energy(bundle, device, meter, progress=job.progress, log=log)
    except MachineError:
        raise
    except BenchError as error:
        return replace(record, missing={"energy": "; ".join([error.what, *error.why[:1]])}), error
    return replace(record, energy=dict(energy_figures(meter.name, found.energy))), None


def complete(
    job: Job, store: Store, record: RunRecord, accuracy: AccuracyFacts | None = None
) -> tuple[Report, RunRecord]:
    """The report of a run, and its record with what the compiler knows."""
    quantized = store.get(QUANTIZE)
    widths = width_text(quantized.graph)
    report = make_report(quantized.report, store.get(BUILD), record, accuracy, widths=widths)
    whole = completed(record, report, store.get(SCHEDULE), job.model)
    point = {"point": job.board.point} if job.board.point else {}
    return report, replace(whole, options={**whole.options, **point})


def require_match(report: Report) -> None:
    """Raise MismatchError naming the first differing layer unless every integer is golden, or every
    float is close."""
    library = report["options"].get("kernels", KernelSet.BOARD) != KernelSet.BOARD
    golden = report["golden"]
    accuracy = report.get("accuracy")
    if not golden["match"]:
        layer, weights = golden["first_differing_layer"], golden.get("weights") or INTACT
        usual = _ROUNDING if library else _COMPARE
        kind = "floats" if report["widths"] == DType.F32.value else "integers"
        raise MismatchError(
            f"{report['board']} does not compute the golden {kind}",
            why=[
                f"first differing layer: {layer or 'none, only the outputs differ'}",
                f"{golden['differing']} elements differ",
                f"weights on the device: {weights}",
            ],
            hints=[usual if weights == INTACT else _WEIGHTS],
        )
    if accuracy and accuracy["differing_samples"]:
        raise MismatchError(
            f"{accuracy['differing_samples']} of {accuracy['samples']} samples differ from the "
            "host's integers"
        )


def _dataset(job: Job, store: Store, path: Path | None) -> Dataset | None:
    """Read before anything runs: a wrong file should not cost an emulation."""
    if path is None:
        return None
    options = job.options
    return load_dataset(
        store.get(IMPORT),
        path,
        input_scale=options.input_scale,
        input_offset=options.input_offset,
    )


def _accuracy(
    job: Job, store: Store, data: Dataset, device: Runner, log: SerialLog
) -> AccuracyFacts:
    """Float, host-integer and device results over the labelled set, in one row."""
    float_graph = store.get(IMPORT)
    integer = store.get(SCHEDULE).graph
    inputs = quantize_inputs(integer, data.samples.arrays)
    host = join(interpret.run(integer, inputs), integer.outputs)
    found = infer_dataset(
        store.get(BUILD),
        device,
        join(inputs, integer.inputs),
        progress=job.progress,
        log=log,
    )
    real = interpret.run(float_graph, data.samples.arrays)
    warnings = label_doubts(data.labels, classes_of(real), data.samples.source)
    for text in warnings:
        job.notice(f"WARNING: {text}")
    return {
        "dataset": data.samples.source,
        "samples": len(found),
        "differing_samples": _differing(integer, host, found),
        "agreement": _agreement(real, split_outputs(integer, host)),
        "float": _top1(real, data.labels),
        "host_integer": _top1(split_outputs(integer, host), data.labels),
        "device": _top1(split_outputs(integer, found), data.labels),
        "warnings": list(warnings),
    }


def _differing(graph: Graph, host: np.ndarray, found: np.ndarray) -> int:
    """Samples whose outputs are not the host's, or with floats not close."""
    values = [graph.values[name] for name in graph.outputs]
    if values[0].dtype is not DType.F32:
        return int((host != found).any(axis=1).sum())
    sizes = [value.bytes for value in values]
    return sum(far_floats(b.tobytes(), a, sizes) > 0 for a, b in zip(host, found, strict=True))


def _agreement(real: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> float:
    """Share of the samples whose first output is largest at one place in both."""
    pair = (top1(next(iter(outputs.values()))) for outputs in (real, found))
    return float(np.mean(next(pair) == next(pair)))


def _top1(outputs: dict[str, np.ndarray], labels: np.ndarray | None) -> float | None:
    """Share of the samples with a known label whose first output is largest there."""
    if labels is None or not (labels >= 0).any():
        return None
    found = top1(next(iter(outputs.values())))
    return float((found == labels)[labels >= 0].mean())

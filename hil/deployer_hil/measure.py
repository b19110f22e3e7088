"""Put a bundle on a runner and find out: is it exact, what does it cost, what does it compute."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from deployer.bundle import OUTER, Bundle
from deployer.errors import BenchError, UsageError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.compare import Summary, Verdict, step_matches, summarize
from deployer_hil.conditions import UNCOUNTED, require_conditions, uncounted
from deployer_hil.constants import require_programmed, told
from deployer_hil.exchange import Timeouts
from deployer_hil.protocol import Layer
from deployer_hil.record import GoldenRecord, LayerRecord, RunRecord
from deployer_hil.runner import Runner
from deployer_hil.samples import (
    Run,
    first_wrong,
    output_sizes,
    outputs,
    proven,
    run_sample,
    unstable,
)
from deployer_hil.serial_log import Log
from deployer_hil.session import Session, through_restarts, timeouts_for

Progress = Callable[[str, int, int], None]  # label, done, total
REPETITIONS = 2
MISSING = "missing"


@contextmanager
def connect(
    bundle: Bundle,
    runner: Runner,
    *,
    timeouts: Timeouts | None = None,
    progress: Progress | None = None,
    log: Log | None = None,
) -> Iterator[Session]:
    """A session with the bundle's image, freshly started, its id checked and its weights there.
    ``log`` hears both sides."""
    runner.load(bundle)
    stream = runner.open()
    stream.transcript.log = log
    try:
        session = Session(stream, timeouts=timeouts or timeouts_for(bundle, runner.caps))
        reach = partial(begin, session, bundle, runner, progress)
        through_restarts(reach, lambda: None)
        yield session
    finally:
        stream.close()


def begin(
    session: Session, bundle: Bundle, runner: Runner, progress: Progress | None = None
) -> None:
    """Reach the bundle's image and have its weights where it fetches them."""
    session.open(bundle)
    if OUTER in bundle.manifest["files"] and runner.caps.sends:
        send_weights(session, bundle.bytes_of(OUTER), progress)


def send_weights(session: Session, weights: bytes, progress: Progress | None = None) -> None:
    """Have the weights where the device fetches them: nothing is sent that is there. Raises
    BenchError when they are not there afterwards."""
    if session.weights_found(weights) != MISSING:
        return
    total = len(weights)
    session.send_weights(weights, lambda sent: _tell(progress, "send weights", sent, total))
    if session.weights_found(weights) == MISSING:
        raise BenchError(
            "the weights that were sent are not what the device reads back",
            why=[f"{total:,} bytes, behind the memory of the arena"],
            hints=["is there a HyperRAM on this board, and is it large enough?"],
        )


def prove(
    bundle: Bundle,
    runner: Runner,
    *,
    samples: int | None = None,
    progress: Progress | None = None,
    timeouts: Timeouts | None = None,
    log: Log | None = None,
) -> RunRecord:
    """Run the golden samples (the first ``samples``) and compare every step and every output.

    A mismatch is in the record, not raised. Layer counts are those of the first sample, run
    REPETITIONS times. Raises BenchError when board, line or emulator fail, or a board has other
    weights than the bundle.
    """
    count = len(bundle.golden["input"]) if samples is None else samples
    if not 0 < count <= len(bundle.golden["input"]):
        raise UsageError(f"{count} samples of {len(bundle.golden['input'])} in the bundle")
    with connect(bundle, runner, timeouts=timeouts, progress=progress, log=log) as session:
        again = partial(begin, session, bundle, runner, progress)
        caps = through_restarts(partial(conditions, session, bundle, runner), again)
        runs = through_restarts(partial(_repeat_first, session, bundle), again)
        verdicts = [_worst([verdict for verdict, _ in runs])]
        verdicts += _further(session, bundle, count, again, progress)
        summary = summarize(verdicts)
        weights = None if summary.match else told(through_restarts(session.constants, again))
        # last, so that the painted stack has seen every run
        mem = through_restarts(session.mem, partial(_begin_and_run, again, session, bundle))
    golden = _golden(bundle, summary, weights)
    caps = {**caps, **runner.surroundings}
    if runner.caps.hosted:
        caps |= uncounted(caps, bundle.manifest["clock_hz"])
    record = _record(bundle, runner, caps, mem, verdicts, [layers for _, layers in runs], golden)
    return replace(record, upload=_upload(session))


def _upload(session: Session) -> dict[str, Any]:
    """Of all samples, retries within."""
    found = session.uploaded
    seconds = round(found.seconds, 6)
    return {"bytes": found.bytes, "seconds": seconds, "kind": FigureKind.MEASURED.value}


def infer_dataset(
    bundle: Bundle,
    runner: Runner,
    inputs: np.ndarray,
    *,
    progress: Progress | None = None,
    timeouts: Timeouts | None = None,
    log: Log | None = None,
) -> np.ndarray:
    """Outputs (N, bytes) for ``inputs`` (N, bytes), both as int8: all tensors joined in order."""
    wanted = sum(tensor["bytes"] for tensor in bundle.manifest["inputs"])
    if inputs.dtype != np.int8 or inputs.ndim != 2 or inputs.shape[1] != wanted:
        raise UsageError(
            f"inputs are {inputs.dtype} {inputs.shape}, the device takes int8 (N, {wanted})"
        )
    sizes = output_sizes(bundle)
    found = np.empty((len(inputs), sum(sizes)), dtype=np.int8)
    with connect(bundle, runner, timeouts=timeouts, progress=progress, log=log) as session:
        again = partial(begin, session, bundle, runner, progress)
        for index, row in enumerate(inputs):
            said = through_restarts(partial(_infer, session, row.tobytes(), sizes), again)
            found[index] = np.frombuffer(said, dtype=np.int8)
            _tell(progress, "infer", index + 1, len(inputs))
    return found


def conditions(session: Session, bundle: Bundle, runner: Runner) -> dict[str, str]:
    """What the device says of itself. Raises BenchError when a board's figures would mislead."""
    caps = session.caps()
    if runner.caps.kind == FigureKind.MEASURED:
        if not runner.caps.hosted:
            require_conditions(bundle.board, caps, bundle.manifest["clock_hz"])
        require_programmed(session.constants())
    return caps


def _begin_and_run(again: Callable[[], None], session: Session, bundle: Bundle) -> None:
    """As before a restart: the stack has seen a run."""
    again()
    run_sample(session, bundle, 0)


def _infer(session: Session, row: bytes, sizes: list[int]) -> bytes:
    session.load(row)
    session.infer(1, 0)
    return outputs(session, sizes)


def _repeat_first(session: Session, bundle: Bundle) -> list[Run]:
    first = proven(session, bundle, 0)
    rest = [run_sample(session, bundle, 0, first[1]) for _ in range(REPETITIONS - 1)]
    for verdict, _ in rest:
        if verdict.match != first[0].match:
            wrong = first[0] if verdict.match else verdict
            raise unstable(bundle, 0, first_wrong(bundle, wrong))
    return [first, *rest]


def _further(
    session: Session,
    bundle: Bundle,
    count: int,
    again: Callable[[], None],
    progress: Progress | None,
) -> Iterator[Verdict]:
    """Of the samples behind the first, up to ``count``."""
    for index in range(1, count):
        _tell(progress, "prove", index, count)
        yield through_restarts(partial(proven, session, bundle, index), again)[0]
    _tell(progress, "prove", count, count)


def _worst(verdicts: list[Verdict]) -> Verdict:
    """Repetitions of one sample count as one: it matches if all do."""
    return next((verdict for verdict in verdicts if not verdict.match), verdicts[0])


def _record(
    bundle: Bundle,
    runner: Runner,
    caps: dict[str, str],
    mem: dict[str, int],
    verdicts: list[Verdict],
    runs: list[tuple[Layer, ...]],
    golden: GoldenRecord,
) -> RunRecord:
    manifest = bundle.manifest
    told = caps.get("counter", CounterUnit.NONE)
    counted = CounterUnit.NONE not in (runner.caps.timing, told) and UNCOUNTED not in caps
    counts = [_scaled(run, counts_per_unit(caps)) for run in runs] if counted else []
    return RunRecord(
        runner=runner.name,
        tool=runner.tool,
        board=bundle.board,
        target=manifest["target"],
        bundle=bundle.id,
        model=manifest["model"]["name"],
        model_sha256=manifest["model"]["sha256"],
        kind=runner.caps.kind if counted else FigureKind.NONE,
        counter=told if counted else CounterUnit.NONE,
        counts_agree=all(run == counts[0] for run in counts),
        caps=caps,
        mem=mem,
        layers=_layers(bundle, verdicts, counts),
        golden=golden,
        host={
            "system": platform.system(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        },
    )


def _layers(
    bundle: Bundle, verdicts: list[Verdict], counts: list[list[int]]
) -> tuple[LayerRecord, ...]:
    return tuple(
        LayerRecord(index, _step_name(bundle, index), match, tuple(run[index] for run in counts))
        for index, match in enumerate(step_matches(verdicts))
    )


def _golden(bundle: Bundle, summary: Summary, weights: str | None) -> GoldenRecord:
    first = summary.first_step
    return GoldenRecord(
        match=summary.match,
        samples=summary.samples,
        matching=summary.matching,
        elements=summary.elements,
        differing=summary.differing,
        first_layer=None if first is None else _step_name(bundle, first),
        first_sample=summary.first_sample,
        weights=weights,
    )


def _step_name(bundle: Bundle, index: int) -> str:
    return bundle.manifest["steps"][index]["name"]


def counts_per_unit(caps: dict[str, str]) -> float:
    """``counter_per`` of x-caps: raw counts in one cycle or instruction."""
    text = caps.get("counter_per", "1")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise BenchError(f"the device says counter_per={text}, which is no positive number")
    return value


def _scaled(layers: tuple[Layer, ...], counts_per_unit: float) -> list[int]:
    return [round(layer.count / counts_per_unit) for layer in layers]


def _tell(progress: Progress | None, label: str, done: int, total: int) -> None:
    if progress is not None:
        progress(label, done, total)

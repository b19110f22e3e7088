"""Put a bundle on a runner and find out: is it exact, what does it cost, what does it compute."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from deployer.bundle import OUTER, Bundle
from deployer.errors import BenchError, UsageError
from deployer.units import CounterUnit, FigureKind
from deployer_hil.compare import (
    Summary,
    Verdict,
    element_of_byte,
    far_floats,
    sample,
    step_matches,
    summarize,
)
from deployer_hil.conditions import UNCOUNTED, require_conditions, uncounted
from deployer_hil.constants import require_programmed, told
from deployer_hil.protocol import Layer
from deployer_hil.record import GoldenRecord, LayerRecord, RunRecord
from deployer_hil.runner import Runner
from deployer_hil.session import Session, Timeouts, timeouts_for

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
) -> Iterator[Session]:
    """A session with the bundle's image, freshly started, its id checked and its weights there."""
    runner.load(bundle)
    stream = runner.open()
    try:
        session = Session(stream, timeouts=timeouts or timeouts_for(bundle, slow=runner.caps.slow))
        session.open(bundle)
        if OUTER in bundle.manifest["files"] and runner.caps.sends:
            send_weights(session, bundle.bytes_of(OUTER), progress)
        yield session
    finally:
        stream.close()


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
) -> RunRecord:
    """Run the golden samples (the first ``samples``) and compare every step and every output.

    A mismatch is in the record, not raised. Layer counts are those of the first sample, run
    REPETITIONS times. Raises BenchError when board, line or emulator fail, or a board has other
    weights than the bundle.
    """
    count = len(bundle.golden["input"]) if samples is None else samples
    if not 0 < count <= len(bundle.golden["input"]):
        raise UsageError(f"{count} samples of {len(bundle.golden['input'])} in the bundle")
    with connect(bundle, runner, timeouts=timeouts, progress=progress) as session:
        caps = session.caps()
        if runner.caps.kind == FigureKind.MEASURED:
            if not runner.caps.hosted:
                require_conditions(bundle.board, caps, bundle.manifest["clock_hz"])
            require_programmed(session.constants())
        runs = _repeat_first(session, bundle)
        verdicts = [_worst([verdict for verdict, _ in runs])]
        for index in range(1, count):
            _tell(progress, "prove", index, count)
            verdicts.append(_run_sample(session, bundle, index)[0])
        _tell(progress, "prove", count, count)
        summary = summarize(verdicts)
        weights = None if summary.match else told(session.constants())
        mem = session.mem()  # last, so that the painted stack has seen every run
    golden = _golden(bundle, summary, weights)
    caps = {**caps, **runner.surroundings}
    if runner.caps.hosted:
        caps |= uncounted(caps, bundle.manifest["clock_hz"])
    return _record(bundle, runner, caps, mem, verdicts, [layers for _, layers in runs], golden)


def infer_dataset(
    bundle: Bundle,
    runner: Runner,
    inputs: np.ndarray,
    *,
    progress: Progress | None = None,
    timeouts: Timeouts | None = None,
) -> np.ndarray:
    """Outputs (N, bytes) for ``inputs`` (N, bytes), both as int8: all tensors joined in order."""
    wanted = sum(tensor["bytes"] for tensor in bundle.manifest["inputs"])
    if inputs.dtype != np.int8 or inputs.ndim != 2 or inputs.shape[1] != wanted:
        raise UsageError(
            f"inputs are {inputs.dtype} {inputs.shape}, the device takes int8 (N, {wanted})"
        )
    sizes = _output_sizes(bundle)
    found = np.empty((len(inputs), sum(sizes)), dtype=np.int8)
    with connect(bundle, runner, timeouts=timeouts, progress=progress) as session:
        for index, row in enumerate(inputs):
            session.load(row.tobytes())
            session.infer(1, 0)
            found[index] = np.frombuffer(_outputs(session, sizes), dtype=np.int8)
            _tell(progress, "infer", index + 1, len(inputs))
    return found


def _repeat_first(session: Session, bundle: Bundle) -> list[tuple[Verdict, tuple[Layer, ...]]]:
    first = _run_sample(session, bundle, 0)
    rest = (_run_sample(session, bundle, 0, first[1]) for _ in range(REPETITIONS - 1))
    return [first, *rest]


def _run_sample(
    session: Session, bundle: Bundle, index: int, before: tuple[Layer, ...] = ()
) -> tuple[Verdict, tuple[Layer, ...]]:
    """One run and its layers. Layers of floats have no golden CRCs: they are held to those of the
    run ``before``, since the same input gives the same floats."""
    golden = bundle.golden
    session.load(golden["input"][index].tobytes())
    layers = session.layers(len(bundle.manifest["steps"]))
    crcs = golden["crc"][index]
    if bundle.floats:
        crcs = np.array([layer.crc for layer in before or layers], np.uint32)
    output = _outputs(session, _output_sizes(bundle))
    seen = [layer.crc for layer in layers]
    floats = _output_sizes(bundle) if bundle.floats else []
    wanted, elements = golden["output"][index], _elements(bundle)
    return sample(seen, crcs, output, wanted, elements, floats), layers


def is_golden(session: Session, bundle: Bundle, layers: Sequence[Layer]) -> bool:
    """Whether the inference of the first sample that left ``layers`` is golden: of every layer the
    CRC, of a float network, which has none, the outputs."""
    golden = bundle.golden
    if not bundle.floats:
        return [layer.crc for layer in layers] == [int(crc) for crc in golden["crc"][0]]
    sizes = _output_sizes(bundle)
    return far_floats(_outputs(session, sizes), golden["output"][0], sizes) == 0


def _outputs(session: Session, sizes: list[int]) -> bytes:
    parts = [session.output(index) for index in range(len(sizes))]
    for index, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        if len(part) != size:
            raise BenchError(f"output {index} has {len(part)} bytes, the bundle says {size}")
    return b"".join(parts)


def _elements(bundle: Bundle) -> np.ndarray:
    """Which element of the outputs each of their bytes belongs to."""
    types = [tensor.get("dtype", "int8") for tensor in bundle.manifest["outputs"]]
    return element_of_byte(_output_sizes(bundle), [np.dtype(kind).itemsize for kind in types])


def _output_sizes(bundle: Bundle) -> list[int]:
    return [tensor["bytes"] for tensor in bundle.manifest["outputs"]]


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
    counts = [_scaled(run, _counts_per_unit(caps)) for run in runs] if counted else []
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


def _counts_per_unit(caps: dict[str, str]) -> float:
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

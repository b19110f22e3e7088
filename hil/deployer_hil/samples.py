"""One golden sample on a device. A difference counts when it happens twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deployer.bundle import Bundle
from deployer.errors import BenchError, MismatchError
from deployer_hil.compare import Verdict, element_of_byte, far_floats, sample
from deployer_hil.protocol import Layer
from deployer_hil.session import Session

REPEATS = 2  # of a sample that differs
Run = tuple[Verdict, tuple[Layer, ...]]


def proven(session: Session, bundle: Bundle, index: int) -> Run:
    """``run_sample``, where a difference is a verdict only if it comes again with the input loaded
    anew. Raises BenchError for one that does not: replies have CRCs, so the device is at fault."""
    first = run_sample(session, bundle, index)
    if first[0].match:
        return first
    for _ in range(REPEATS):
        if not run_sample(session, bundle, index)[0].match:
            return first
    raise unstable(bundle, index, first_wrong(bundle, first[0]))


def first_wrong(bundle: Bundle, verdict: Verdict) -> str:
    """What differs first, by name."""
    step = verdict.first_step
    return "the output" if step is None else str(bundle.manifest["steps"][step]["name"])


def unstable(bundle: Bundle, index: int, where: str) -> BenchError:
    """The error for a sample that is golden in one run and not, ``where``, in another."""
    return BenchError(
        f"{bundle.board} computes sample {index} now one way, now another",
        why=[f"first differing layer of the run that is not golden: {where}"],
        hints=[
            "check supply and clock, then run again",
            "a difference that comes back in the first run after every reset is a bug: report it",
        ],
    )


def run_sample(session: Session, bundle: Bundle, index: int, before: tuple[Layer, ...] = ()) -> Run:
    """One run and its layers. Layers of floats have no golden CRCs: they are held to those of the
    run ``before``, since the same input gives the same floats."""
    golden = bundle.golden
    session.load(golden["input"][index].tobytes())
    layers = session.layers(len(bundle.manifest["steps"]))
    crcs = golden["crc"][index]
    if bundle.floats:
        crcs = np.array([layer.crc for layer in before or layers], np.uint32)
    output = outputs(session, output_sizes(bundle))
    seen = [layer.crc for layer in layers]
    floats = output_sizes(bundle) if bundle.floats else []
    wanted, elements = golden["output"][index], _elements(bundle)
    return sample(seen, crcs, output, wanted, elements, floats), layers


def is_golden(session: Session, bundle: Bundle, layers: Sequence[Layer]) -> bool:
    """Whether the inference of the first sample that left ``layers`` is golden: of every layer the
    CRC, of a float network, which has none, the outputs."""
    golden = bundle.golden
    if not bundle.floats:
        return [layer.crc for layer in layers] == [int(crc) for crc in golden["crc"][0]]
    sizes = output_sizes(bundle)
    return far_floats(outputs(session, sizes), golden["output"][0], sizes) == 0


def require_golden_outputs(session: Session, bundle: Bundle) -> None:
    """Of the last inference, whose input was the first sample. Raises MismatchError."""
    sizes, golden = output_sizes(bundle), bundle.golden["output"][0]
    found = outputs(session, sizes)
    differs = far_floats(found, golden, sizes) > 0 if bundle.floats else found != golden.tobytes()
    if differs:
        raise MismatchError(
            f"{bundle.board} does not compute the golden outputs",
            hints=["deployer flash compares every layer of every golden sample"],
        )


def outputs(session: Session, sizes: list[int]) -> bytes:
    parts = [session.output(index) for index in range(len(sizes))]
    for index, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        if len(part) != size:
            raise BenchError(f"output {index} has {len(part)} bytes, the bundle says {size}")
    return b"".join(parts)


def _elements(bundle: Bundle) -> np.ndarray:
    """Which element of the outputs each of their bytes belongs to."""
    types = [tensor.get("dtype", "int8") for tensor in bundle.manifest["outputs"]]
    return element_of_byte(output_sizes(bundle), [np.dtype(kind).itemsize for kind in types])


def output_sizes(bundle: Bundle) -> list[int]:
    return [tensor["bytes"] for tensor in bundle.manifest["outputs"]]

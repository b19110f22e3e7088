"""Changed samples and labelled data, through the commands that read them.

    python -m tests.fuzz.samples --count 200 --seed 1

Half calibrate a network, half judge it. Exit status 1 when one got anything but a documented
status.
"""

from __future__ import annotations

import atexit
import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from .changes import Rng, in_bytes, in_npz, pick
from .contained import Outcome, command, outcome
from .program import Case, main, quiet
from .stages import fault

_LABELS = (-1, 0, 9, 10, 255, 2**31, 2**62, -(2**62))


@cache
def model() -> tuple[Path, tuple[int, ...]]:
    """A model on disk, and the shape of one of its samples."""
    import onnx

    folder = Path(tempfile.mkdtemp(prefix="fuzz-samples-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "net.onnx"
    with quiet():
        from models import conv_net

        made = conv_net()
        onnx.save(made, path)
        command(["run", "-b", "host", "-o", str(folder / "build"), str(path)])()
    dims = made.graph.input[0].type.tensor_type.shape.dim
    return path, tuple(dim.dim_value for dim in dims[1:])


def cases(seed: int, numbers: range) -> Iterator[Case]:
    """Those with ``numbers``; each depends on the seed and its number only."""
    for number in numbers:
        rng = np.random.default_rng((seed, number))
        data = _file(rng)
        for _ in range(pick(rng, (0, 1, 1, 1, 2))):
            data = _changed(data, rng)
        option = "--calibration" if number % 2 else "--dataset"
        yield _case(f"{seed}:{number} {option}", option, data)


def _file(rng: Rng) -> bytes:
    """A few samples with labels, some of which no class has."""
    _, shape = model()
    out, count = io.BytesIO(), pick(rng, (1, 2, 5))
    x = rng.standard_normal((count, *shape)).astype(pick(rng, ("f4", "f8", "f2")))
    if rng.random() < 0.3:
        x = (100 * x).astype(pick(rng, ("i1", "u1", "i4", "u8")))
    if rng.random() < 0.2:
        x = np.full_like(x, pick(rng, (0, 1, 100)))
    arrays = {pick(rng, ("input", "x", "image", "data")): x}
    if rng.random() < 0.7:
        labels = rng.integers(0, 10, count)
        labels[0] = pick(rng, _LABELS) if rng.random() < 0.5 else labels[0]
        arrays["label"] = labels
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def _changed(data: bytes, rng: Rng) -> bytes:
    if rng.random() < 0.2:
        return in_bytes(data, rng)
    try:
        return in_npz(data, rng)
    except Exception:  # a file that was changed before may not be read again
        return in_bytes(data, rng)


def _case(name: str, option: str, data: bytes) -> Case:
    def run() -> Outcome:
        path, _ = model()
        with tempfile.TemporaryDirectory(prefix="fuzz-samples-") as place:
            file = Path(place) / "samples.npz"
            file.write_bytes(data)
            build = str(Path(place) / "build")
            return outcome(
                command(["run", "-b", "host", option, str(file), "-o", build, str(path)])
            )

    return Case(name, run, fault)


if __name__ == "__main__":
    sys.exit(main(cases, "changed samples"))

"""Changed stage files of a finished job, through the command that reads them.

    python -m tests.fuzz.stages --count 500 --seed 1

Each runs ``deployer run --from`` the stage behind, on the host, or ``deployer inspect``. Exit
status 1 when one got anything but a documented status, or when the program that was built of
changed plans broke down.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from .changes import Rng, in_bytes, in_json, in_npz, in_table, pick
from .contained import Outcome, command, outcome
from .program import Case, main, quiet

STAGES = ("import", "quantize", "restructure", "schedule", "allocate", "tile", "generate", "build")
SAMPLES = "2"
_CHANGES: dict[str, tuple[Callable[[bytes, Rng], bytes], ...]] = {
    ".json": (in_json, in_json, in_json, in_json, in_bytes),
    ".npz": (in_npz, in_npz, in_npz, in_bytes),
    ".csv": (in_table, in_table, in_bytes),
}
_WEIGHTS = {"manifest.json": 3, "plan.json": 3, "tiles.json": 2, "allocation.csv": 4}


@cache
def job() -> tuple[Path, Path]:
    """A model, and the folder of builds that holds its finished job."""
    import onnx

    folder = Path(tempfile.mkdtemp(prefix="fuzz-stages-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    model = folder / "net.onnx"
    with quiet():
        from models import residual_net

        onnx.save(residual_net(), model)
        command(["run", *_common(folder / "build"), str(model)])()
    return model, folder / "build"


def _common(build: Path) -> list[str]:
    return ["-b", "host", "--golden", SAMPLES, "-o", str(build)]


def cases(seed: int, numbers: range) -> Iterator[Case]:
    """Those with ``numbers``; each depends on the seed and its number only."""
    _, build = job()
    (finished,) = build.iterdir()
    files = sorted(
        path.relative_to(finished)
        for path in finished.rglob("*")
        if path.is_file() and not path.parent.name.startswith("8-")
    )
    files = [file for file in files for _ in range(_WEIGHTS.get(file.name, 1))]
    for number in numbers:
        file = files[number % len(files)]
        rng = np.random.default_rng((seed, number))
        yield _case(f"{seed}:{number} {file}", finished.name, file, rng)


def _case(name: str, folder: str, file: Path, rng: Rng) -> Case:
    model, build = job()
    change = pick(rng, _CHANGES.get(file.suffix, (in_bytes,)))
    data = change((build / folder / file).read_bytes(), rng)
    gone, shown = rng.random() < 0.02, rng.random() < 0.2

    def run() -> Outcome:
        with tempfile.TemporaryDirectory(prefix="fuzz-stage-") as place:
            copy = Path(place) / "build"
            shutil.copytree(build, copy)
            target = copy / folder / file
            target.unlink() if gone else target.write_bytes(data)
            if shown:
                drawn = ["-o", str(Path(place) / "x.html")] if number_is_even(name) else []
                return outcome(command(["inspect", *drawn, str(target)]))
            stage = STAGES.index(file.parts[0][2:])
            first = (*STAGES, "run")[stage + 1]
            return outcome(command(["run", *_common(copy), "--from", first, str(model)]))

    return Case(f"{name} {change.__name__}{' inspect' if shown else ''}", run, fault)


def number_is_even(name: str) -> bool:
    return int(name.split()[0].partition(":")[2]) % 2 == 0


def fault(found: Outcome) -> str:
    """A program that broke down means that plans were accepted which cannot be."""
    if found.status == 6 and ("signal" in found.text or "the device ended" in found.text):
        return "the program broke down"
    return found.fault


if __name__ == "__main__":
    sys.exit(main(cases, "changed stage files"))

"""Damage the line of a proof where seeds say: no verdict is wrong, no figure is changed.

    python -m tests.fuzz.line_faults --count 200 --seed 1

Resets, also within replies, bits and digits that flip, bytes that are lost or come twice, and whole
replies that come again, at once or while later commands are answered. Four talks of five are with a
program of this machine, one with an emulated NUCLEO-F767ZI. One image of four is not golden, which
has to be found at its layer in spite of all.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import onnx

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from deployer.bundle import GOLDEN, Bundle  # noqa: E402
from deployer.errors import BenchError  # noqa: E402
from deployer.pipeline import BUILD, Options, execute, make_job  # noqa: E402
from deployer_hil.exchange import Timeouts  # noqa: E402
from deployer_hil.measure import prove  # noqa: E402
from deployer_hil.record import RunRecord  # noqa: E402
from deployer_hil.runner import Runner, create  # noqa: E402
from fakes.bundles import resealed  # noqa: E402
from fakes.damaged_line import DamagedRunner, Faults, Talk, drawn, kinds  # noqa: E402
from models import residual_net  # noqa: E402

BOARDS = {"host": "host", "qemu_system": "nucleo-f767zi"}
WAITS = Timeouts(silence=0.02, noise=2, hello=1.5, reply=2.5, run=8)
WRONG_STEP = 1
_EMULATED, _WRONG = 5, 4  # every so many talks are with an emulator, with a wrong image


@dataclass(frozen=True)
class Ending:
    """Of one talk. ``gave_up``: what the rig blamed, "" where it came to its verdict. ``fault``:
    what is wrong with the verdict, "" for nothing."""

    gave_up: str = ""
    fault: str = ""


class Subject:
    """An image, and what is true of it: its record and the talk of a line without faults."""

    def __init__(self, bundle: Bundle, runner: Runner):
        self._bundle, self._runner = bundle, runner
        self.record, self._talk = self._proof(Faults())

    def drilled(self, kind: str, seed: int) -> Ending:
        """How a proof ends on a line with faults of ``kind``."""
        try:
            record, _ = self._proof(drawn(kind, seed, self._talk))
        except BenchError as error:
            return Ending(gave_up=error.what)
        told, true = figures(record), figures(self.record)
        wrong = [f"{told[key]} where {true[key]} is true" for key in true if told[key] != true[key]]
        return Ending(fault="; ".join(wrong))

    def _proof(self, faults: Faults) -> tuple[RunRecord, Talk]:
        damaged = DamagedRunner(self._runner, faults)
        record = prove(self._bundle, damaged, timeouts=WAITS)
        assert damaged.line is not None
        return record, damaged.line.talk


def figures(record: RunRecord) -> dict[str, object]:
    """All but the used stack of a host, which is another each time."""
    mem = dict(record.mem)
    if record.runner == "host":
        mem.pop("stack_used")
    layers = {layer.name: layer for layer in record.layers}
    return {"golden": record.golden, "counter": record.counter, **layers, **mem}


def not_golden(bundle: Bundle, folder: Path) -> Bundle:
    """The bundle, where what the device computes in step WRONG_STEP is no longer what it should."""
    shutil.copytree(bundle.path, folder)
    golden = dict(bundle.golden)
    golden["crc"] = golden["crc"] ^ (np.arange(golden["crc"].shape[1]) == WRONG_STEP)
    np.savez(folder / GOLDEN, **{name: np.asarray(each) for name, each in golden.items()})
    return resealed(Bundle(folder, bundle.manifest))


def built(folder: Path, board: str) -> Bundle:
    onnx.save(residual_net(), folder / "net.onnx")
    job = make_job(
        folder / "net.onnx", board, options=Options(golden_samples=2), runner="", output=folder
    )
    return execute(job).get(BUILD)


def subjects(folder: Path, stack: ExitStack) -> Callable[[str, bool], Subject]:
    """subjects(runner, wrong): its image, golden or not."""
    found = {}
    for name, board in BOARDS.items():
        right = built(folder, board)
        for wrong in (False, True):
            bundle = not_golden(right, folder / f"wrong-{name}") if wrong else right
            found[name, wrong] = Subject(bundle, stack.enter_context(create(name, bundle)))
    for (name, wrong), subject in found.items():
        if subject.record.golden.match is wrong:
            raise SystemExit(f"{name}: wrong verdict on a line without faults")
    return lambda name, wrong: found[name, wrong]


def drill(folder: Path, seed: int) -> Iterator[tuple[str, str, Ending]]:
    """Kind of fault, runner, and how each talk ended, without end."""
    with ExitStack() as stack:
        found = subjects(folder, stack)
        for number in count():
            kind = kinds()[number % len(kinds())]
            name = "qemu_system" if number % _EMULATED == _EMULATED - 1 else "host"
            wrong = number // len(kinds()) % _WRONG == _WRONG - 1
            yield kind, name, found(name, wrong).drilled(kind, (seed << 32) + number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="line-faults-"))
    talks, gave_up, wrong = Counter[str](), Counter[str](), Counter[str]()
    drilled = drill(folder, given.seed)
    for number, (kind, name, ending) in zip(range(given.count), drilled, strict=False):
        talks[kind] += 1
        gave_up[kind] += bool(ending.gave_up)
        wrong[kind] += bool(ending.fault)
        for said in filter(None, (ending.fault, ending.gave_up)):
            print(f"{number}: {kind} on {name}: {said}", flush=True)
    drilled.close()
    shutil.rmtree(folder)
    print("| faults of the line | talks | given up | wrong |\n|---|---|---|---|")
    for kind in kinds():
        print(f"| {kind} | {talks[kind]} | {gave_up[kind]} | {wrong[kind]} |")
    print(f"{talks.total()} talks, given up: {gave_up.total()}, wrong: {wrong.total()}")
    sys.exit(1 if wrong.total() else 0)


if __name__ == "__main__":
    main()

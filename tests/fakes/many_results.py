"""Files of results without a run: a few by hand, or as many as years of nights leave."""

from __future__ import annotations

import random
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from deployer_hil.record import GoldenRecord, LayerRecord, RunRecord
from deployer_hil.results import Results
from fakes.records import record_of

MODELS = {"resnet8": 16, "vww": 31, "kws": 13, "mobilenet": 65}
BOARDS = (
    ("nucleo-f767zi", "qemu_system", "counted", "instructions", {}),
    ("nucleo-f767zi", "pyocd", "measured", "cycles", {"clock_hz": "216000000"}),
    ("gap8", "gap8_sim", "simulated", "cycles", {"clock_hz": "170000000"}),
    ("rpi3", "ssh", "measured", "cycles", {"clock_hz": "1200000000"}),
)
OPTIMIZE = ("time", "ram")


def write(file: Path, records: Iterable[RunRecord]) -> Path:
    """One transaction: a wait for the disk at every record is the store's own test."""
    Results(file).close()
    base = sqlite3.connect(file)
    rows = ((str(at), each.to_json(), zlib.compress(b"log")) for at, each in enumerate(records))
    with base:
        base.executemany(
            "INSERT INTO results (session, cell, bench, record, log) VALUES ('s', ?, '', ?, ?)",
            rows,
        )
    base.close()
    return file


def named(names: Iterable[str], counts: Iterable[int], **changed: Any) -> RunRecord:
    """``names``: of layers."""
    layers = tuple(
        LayerRecord(
            at, name, True, (count,), macs=count * (1 + at % 3), moved=count // (1 + at % 5) + 50
        )
        for at, (name, count) in enumerate(zip(names, counts, strict=True))
    )
    return replace(record_of(()), layers=layers, **changed)


def nights(count: int, *, seed: int = 1) -> Iterator[RunRecord]:
    """``count`` runs of four networks on four benches with two options; a commit every 32 runs.

    Counts of emulators stay until a commit changes them, measured ones wander in every run.
    """
    draw = random.Random(seed)
    cells = [(model, bench, goal) for model in MODELS for bench in BOARDS for goal in OPTIMIZE]
    for at in range(count):
        yield _night(at, *cells[at % len(cells)], draw)


def _night(
    at: int, model: str, bench: tuple[str, str, str, str, dict[str, str]], goal: str, draw: Any
) -> RunRecord:
    board, runner, kind, counter, caps = bench
    layers = MODELS[model]
    night = at // 32
    faster = 0.97 ** (night // 40)
    slow = 1.2 if goal == "ram" else 1.0
    counts = [
        round((50_000 + 9_001 * ((7 * layer) % 13)) * faster * slow * (1 + 0.1 * (board == "rpi3")))
        + (draw.randint(-400, 400) if kind == "measured" else 0)
        for layer in range(layers)
    ]
    exact = at % 997 != 500
    record = named(
        [f"{model}/block{layer // 3}/conv{layer % 3}" for layer in range(layers)],
        counts,
        board=board,
        runner=runner,
        kind=kind,
        counter=counter,
        caps=caps,
        model=model,
        bundle=f"{at % 64:016x}",
        golden=GoldenRecord(exact, 4, 4 if exact else 3, 40, 0 if exact else 2),
        options={"scheme": "multiply-shift", "optimize": goal, "calibration": {"source": "c.npz"}},
        memory={
            "ram": 90_000 + 400 * layers - 20_000 * (goal == "ram") + 10 * (night // 25),
            "flash": 300_000 + 2_000 * layers + 64 * (night // 10),
            "arena": 60_000 + 300 * layers - 20_000 * (goal == "ram"),
            "stack_used": 1_200 + night % 3,
        },
        accuracy={"device": 0.9 - 0.01 * (layers % 5), "samples": 1000},
        made={
            "deployer": "0.9",
            "time": f"2026-{1 + night // 28 % 12:02}-{1 + night % 28:02}T02:{at % 60:02}:00+00:00",
            "commit": f"{(night + 1) * 2654435761 % 2**64:040x}"[::-1],
            "compiler": "gcc 12.2",
            "flags": "-O2",
        },
        throughput=_throughput(sum(counts), kind, caps),
        energy=_energy(sum(counts), kind, board, caps),
    )
    if exact:
        return record
    wrong = replace(record.layers[3], match=False)
    return replace(record, layers=(*record.layers[:3], wrong, *record.layers[4:]))


def _throughput(cycles: int, kind: str, caps: dict[str, str]) -> dict[str, Any] | None:
    """As figures.py has it, in short; none where nothing is timed."""
    return {"kind": kind, "fps": int(caps["clock_hz"]) / cycles} if caps else None


def _energy(cycles: int, kind: str, board: str, caps: dict[str, str]) -> dict[str, Any] | None:
    """By a meter on one board, by assumed power on another; emulators have none."""
    if kind != "measured":
        return None
    watts, worth = (3.5, "assumed") if board == "rpi3" else (0.33, "measured")
    joules = watts * cycles / int(caps["clock_hz"])
    return {
        "kind": worth,
        "meter": "assumed power of 3.5 W" if worth == "assumed" else "joulescope JS220-1234",
        "microjoules": 1e6 * joules,
        "inferences_per_joule": 1 / joules,
        "watts": watts,
    }

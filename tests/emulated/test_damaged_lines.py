"""Bits and digits that flip, bytes that are lost or come twice, resets: at seeded places of a whole
proof. Never a wrong verdict, never a changed figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import prove
from deployer_hil.record import RunRecord
from deployer_hil.runner import Runner, create
from emulated.targets import BOARDS
from fakes.damaged_line import DamagedRunner, Faults, drawn, kinds

SEEDS = {"host": 15, "qemu_system": 3}  # of each kind
WAITS = Timeouts(silence=0.02, noise=2, hello=1.5, reply=2.5, run=8)
SURVIVED = 0.9


def _proof(bundle: Bundle, runner: Runner, faults: Faults) -> tuple[RunRecord, dict[str, int]]:
    damaged = DamagedRunner(runner, faults)
    record = prove(bundle, damaged, timeouts=WAITS)
    assert damaged.line is not None
    return record, damaged.line.counts


def _figures(record: RunRecord) -> object:
    return record.golden, record.layers, record.mem["arena"], record.counter


@pytest.mark.parametrize("kind", kinds())
@pytest.mark.parametrize("name", SEEDS)
def test_a_damaged_line_changes_no_verdict_and_no_figure(
    name: str, kind: str, built: Callable[..., Bundle], tool: Callable[[str], str]
) -> None:
    board = "host" if name == "host" else "nucleo-f767zi"
    for program in ("gcc",) if board == "host" else BOARDS[board][1]:
        tool(program)
    bundle = built(board, "residual_net")
    ends: Counter[str] = Counter()
    with create(name, bundle) as runner:
        clean, said = _proof(bundle, runner, Faults())
        assert clean.golden.match
        for seed in range(SEEDS[name]):
            faults = drawn(kind, seed, said["<"], said[">"])
            try:
                record, _ = _proof(bundle, runner, faults)
            except BenchError as error:
                ends[error.what] += 1
                continue
            assert _figures(record) == _figures(clean), f"seed {seed}"
            ends["proven"] += 1
    assert ends["proven"] >= SURVIVED * SEEDS[name], ends

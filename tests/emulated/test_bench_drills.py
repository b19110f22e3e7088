"""Benches in trouble while a matrix runs: no result is lost or wrong, and who is to blame is named.

Every bench is a fake probe behind which an image runs: the fake device, or the nucleo's twin.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer_hil.exchange import Timeouts
from deployer_hil.lab import Bench
from deployer_hil.matrix import RIG, Cell, Conductor, Ended
from deployer_hil.measure import infer_dataset, prove
from deployer_hil.probe import Progress
from deployer_hil.record import RunRecord
from deployer_hil.runner import create
from deployer_hil.serial_log import SerialLog
from fakes import fake_loader
from fakes.bundles import make_bundle
from fakes.fake_loader import FakeLoader

WAITS = Timeouts(silence=0.05, noise=0.3, hello=0.3, reply=0.5, run=0.5)
SEEDS = 8
CELLS = [Cell(f"cell{n}", "net", "board", "", ()) for n in range(4)]
Made = Callable[[Bundle], FakeLoader]


@pytest.fixture(params=["fake", "qemu"])
def made(
    request: pytest.FixtureRequest, built: Callable[..., Bundle], tool: Callable[[str], str],
    tmp_path: Path,
) -> tuple[Bundle, Made]:  # fmt: skip
    """A bundle, and what makes the probe for it."""
    if request.param == "fake":
        return make_bundle(tmp_path / "toy", runners={"pyocd": {}}), fake_loader.device
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    return built("nucleo-f767zi", "residual_net", runner="qemu_system"), fake_loader.twin


@dataclass
class Desk:
    """Runs cells of one bench through its probe."""

    bundle: Bundle
    loader: KeptOpen
    records: dict[str, RunRecord]
    heard: Callable[[str, bytes], None] = lambda mark, data: None

    def run(self, cell: Cell, options: dict[str, Any]) -> tuple[int, str]:
        try:
            with create("pyocd", self.bundle, loader=self.loader) as runner:
                record = prove(self.bundle, runner, timeouts=WAITS, log=self.heard)
        except BenchError as error:
            return error.exit_status, error.what
        self.records[cell.id] = record
        return 0, "exact" if record.golden.match else "differs"

    def close(self) -> None: ...


class KeptOpen:
    """A probe that outlives its runners, as on a desk. ``program`` is told which time it is."""

    def __init__(self, inner: FakeLoader, program: Callable[[int], None] = lambda time: None):
        self._inner, self._program, self._times = inner, program, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def program(self, elf: Path, progress: Progress | None = None) -> None:
        self._times += 1
        self._program(self._times)
        self._inner.program(elf, progress)

    def close(self) -> None:
        self._inner.stop()


@dataclass
class Night:
    """How all tries ended, and the records."""

    ends: list[Ended] = field(default_factory=list)
    records: dict[str, RunRecord] = field(default_factory=dict)

    @property
    def troubles(self) -> list[tuple[str, str]]:
        return [(e.bench.name if e.bench else "", e.text) for e in self.ends if e.status == RIG]

    def require_whole(self) -> None:
        """Every cell ended once, exact; figures are those of each other."""
        final = [end for end in self.ends if end.final]
        assert sorted(end.cell.id for end in final) == [cell.id for cell in CELLS]
        assert {(end.status, end.text) for end in final} == {(0, "exact")}, self.ends
        first = self.records[CELLS[0].id]
        assert all(each.golden == first.golden for each in self.records.values())
        assert all(each.layers == first.layers for each in self.records.values())


def night(desks: dict[str, Callable[[Night], Desk]]) -> tuple[Night, Conductor]:
    found = Night()
    benches = [Bench(name=name, board="board", runner="pyocd") for name in desks]
    conductor = Conductor(
        CELLS,
        benches,
        worker=lambda bench: desks[bench.name](found),
        told=found.ends.append,
        rest=0,
    )
    conductor.run()
    return found, conductor


def test_a_port_that_comes_back_under_another_name_loses_no_cell(
    made: tuple[Bundle, Made],
) -> None:
    """Pulled out at a seeded byte of each bench's first proof."""
    bundle, probe = made
    for seed in range(SEEDS if probe is fake_loader.device else 2):
        with closing(probe(bundle)) as inner:
            names, left = {inner.find().port}, [Random(seed).randrange(20, 1500)]

            def pull(mark: str, data: bytes, inner: FakeLoader = inner, left: Any = left) -> None:
                left[0] -= len(data)
                if left[0] < 0 <= left[0] + len(data):
                    inner.moved()

            found, conductor = night(
                {"desk": lambda n, p=inner: Desk(bundle, KeptOpen(p), n.records, pull)}
            )
            found.require_whole()
            names.add(inner.find().port)
        assert len(names) == 2
        ((bench, said),) = found.troubles
        assert bench == "desk"
        assert "the device ended" in said or "is gone" in said, said
        assert conductor.queue.quarantined == {}


def test_a_runner_finds_the_port_where_it_is_now(made: tuple[Bundle, Made]) -> None:
    bundle, probe = made
    with closing(probe(bundle)) as inner, create("pyocd", bundle, loader=KeptOpen(inner)) as runner:
        assert prove(bundle, runner, timeouts=WAITS).golden.match
        inner.moved()
        rows = bundle.golden["input"]
        found = infer_dataset(bundle, runner, rows, timeouts=WAITS)
        assert (found == bundle.golden["output"]).all()


def test_a_probe_that_is_lost_while_programming_is_tried_again(made: tuple[Bundle, Made]) -> None:
    bundle, probe = made

    def lost(time: int) -> None:
        if time == 1:
            raise BenchError("probe FAKE0001 was unplugged while programming")

    with closing(probe(bundle)) as inner:
        found, conductor = night({"desk": lambda n: Desk(bundle, KeptOpen(inner, lost), n.records)})
    found.require_whole()
    assert found.troubles == [("desk", "probe FAKE0001 was unplugged while programming")]
    assert conductor.queue.quarantined == {}


class Other(KeptOpen):
    """Whatever is programmed, another image runs."""

    image: Path

    def program(self, elf: Path, progress: Progress | None = None) -> None:
        self._inner.program(self.image, progress)


def desks_of(bundle: Bundle, bad: KeptOpen, good: FakeLoader) -> dict[str, Callable[[Night], Desk]]:
    good.uid = "FAKE0002"
    return {
        "bad": lambda n: Desk(bundle, bad, n.records),
        "good": lambda n: Desk(bundle, KeptOpen(good), n.records),
    }


def _blamed(found: Night, conductor: Conductor, said: str) -> None:
    """The bad bench alone, with the cause; the good one did all of the work."""
    found.require_whole()
    assert found.troubles
    assert all(bench == "bad" and said in text for bench, text in found.troubles)
    assert all(said in cause for cause in conductor.queue.quarantined.values())


def test_a_bench_with_another_image_on_it_is_named_and_gives_no_figure(
    made: tuple[Bundle, Made], tmp_path: Path
) -> None:
    bundle, probe = made
    board = bundle.manifest["target"]
    other = make_bundle(tmp_path / "other", id="f" * 16, board=board)
    with closing(fake_loader.device(other)) as bad, closing(probe(bundle)) as good:
        wrong = Other(bad)
        wrong.image = other.firmware
        found, conductor = night(desks_of(bundle, wrong, good))
    _blamed(found, conductor, f"wrong image on {bundle.board}: it runs ffffffffffffffff")


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"silent_at": "start"}, "the device is silent"),
        ({"silent_at": "x-layers"}, "the device is silent"),
        ({"babble": True}, "the device never stops sending"),
        ({"fault_at": "x-layers"}, "the device ended with a fault"),
        ({"restarts": {"x-layers": 99}}, "the device restarted 4 times"),
        ({"garble": {"x-layers": [999, r"\d", "7"]}}, "bad reply to 'x-layers'"),
        ({"wrong_step": 1, "wrong_runs": 1}, "now one way, now another"),
    ],
    ids=["silent", "falls silent", "noise", "fault", "resets", "damaged", "unstable"],
)
def test_a_bench_whose_device_is_in_trouble_is_named_and_its_twin_does_the_work(
    tmp_path: Path, config: dict[str, Any], said: str
) -> None:
    bundle = make_bundle(tmp_path / "toy", runners={"pyocd": {}})
    broken = make_bundle(tmp_path / "broken", runners={"pyocd": {}}, **config)
    with closing(fake_loader.device(bundle)) as bad, closing(fake_loader.device(bundle)) as good:
        wrong = Other(bad)
        wrong.image = broken.firmware
        found, conductor = night(desks_of(bundle, wrong, good))
    _blamed(found, conductor, said)


def test_a_log_is_whole_though_the_port_went_away(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "toy", runners={"pyocd": {}})
    with closing(fake_loader.device(bundle)) as inner, closing(SerialLog()) as log:

        def pull(mark: str, data: bytes) -> None:
            log(mark, data)
            if b"m-x-layer" in data:
                inner.moved()

        assert Desk(bundle, KeptOpen(inner), {}, pull).run(CELLS[0], {})[0] == RIG
        assert b"x-layers%" in log.text()

"""Whole records of proofs, and who connects how."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.bundle import OUTER, Bundle
from deployer.errors import BenchError
from deployer_hil.compare import Summary, Verdict, step_matches, summarize
from deployer_hil.conditions import require_conditions
from deployer_hil.cycles import WARMUPS
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import REPETITIONS, _worst, connect, infer_dataset, prove
from deployer_hil.runner import Caps
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stream import Transcript
from fakes.bundles import resealed

Toy = Callable[..., Bundle]
QUICK = Timeouts(silence=0.05)


class Deaf:
    """A runner of a device that never answers, three times slower than others."""

    name, tool, caps = "deaf", "", Caps(slow=3)

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.closed = 0

    alive = True

    def load(self, bundle: Bundle) -> None: ...

    def open(self) -> Deaf:
        return self

    def read(self, n: int, timeout: float) -> bytes:
        return b""

    def write(self, data: bytes) -> None: ...

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize(("timeouts", "seconds"), [(None, 24), (Timeouts(hello=3), 12)])
def test_a_slow_runner_is_waited_for_unless_times_are_given(
    toy: Toy, timeouts: Timeouts | None, seconds: int
) -> None:
    runner: Any = Deaf()
    with (
        pytest.raises(BenchError, match=f"waited {seconds} s"),
        connect(toy(), runner, timeouts=timeouts),
    ):
        pass
    assert runner.closed == 1


@pytest.mark.parametrize("sends", [True, False])
@pytest.mark.parametrize("outer", [True, False])
def test_weights_are_sent_where_the_runner_sends_and_the_bundle_has_some(
    toy: Toy, sends: bool, outer: bool
) -> None:
    bundle = toy()
    if outer:
        (bundle.path / OUTER).write_bytes(bytes(range(200)) * 10)
        bundle = resealed(bundle, OUTER)
    told: list[tuple[str, int, int]] = []
    runner = ProgramRunner("toy", Caps(sends=sends), lambda loaded: [str(bundle.firmware)])
    with runner, connect(bundle, runner, timeouts=QUICK, progress=lambda *s: told.append(s)):
        pass
    sent = [("send weights", 1024, 2000), ("send weights", 2000, 2000)]
    assert told == (sent if sends and outer else [])


def record_of(bundle: Bundle, **options: Any) -> dict[str, Any]:
    command = [str(bundle.firmware)]
    caps = Caps(timing="instructions", kind="counted")
    with ProgramRunner("mine", caps, lambda loaded: command, tool=lambda: "tool 1") as runner:
        return dataclasses.asdict(prove(bundle, runner, timeouts=QUICK, **options))


def test_the_record_of_a_good_device_is_whole(toy: Toy) -> None:
    row = {"match": True, "counts": (0, 0), "macs": None, "moved": None}
    names = ("widen", "mirror", "head")
    caps = {"port": "fake", "board": "toy", "clock_hz": "1000000"}
    record = record_of(toy(), samples=2)
    seconds = record["upload"].pop("seconds")
    assert 0 < seconds < 60
    assert record == {
        "runner": "mine",
        "tool": "tool 1",
        "board": "toy",
        "target": "toy-twin",
        "bundle": "0123456789abcdef",
        "model": "toy net",
        "model_sha256": "ab" * 32,
        "kind": "counted",
        "counter": "instructions",
        "counts_agree": True,
        "schema": 1,
        "caps": {**caps, "counter": "instructions", "counter_per": "1"},
        "mem": {"arena": 3000, "static": 512, "stack_size": 4096, "stack_used": 640},
        "layers": tuple(
            {**row, "index": i, "name": name, "counts": (1000 * (i + 1),) * 2}
            for i, name in enumerate(names)
        ),
        "golden": {
            "match": True,
            "samples": 2,
            "matching": 2,
            "elements": 80,
            "differing": 0,
            "first_layer": None,
            "first_sample": None,
            "weights": None,
        },
        "host": {
            "system": platform.system(),
            "machine": platform.machine(),
            "python": platform.python_version(),
        },
        "options": {},
        "memory": {},
        "accuracy": None,
        "upload": {"bytes": 3 * 1500, "kind": "measured"},
        "throughput": None,
        "energy": None,
        "missing": {},
        "made": {},
    }


def test_elements_of_two_bytes_count_once(toy: Toy) -> None:
    bundle = toy(outputs=[32, 8], wrong_output=True)
    first, second = bundle.manifest["outputs"]
    outputs = [{**first, "dtype": "int16"}, second]
    wide = resealed(Bundle(bundle.path, {**bundle.manifest, "outputs": outputs}))
    golden = record_of(wide)["golden"]
    assert (golden["elements"], golden["differing"]) == (3 * 24, 3)


def test_a_sample_that_differs_once_differs() -> None:
    good, bad = Verdict((True,), 4, 0), Verdict((False,), 4, 2)
    assert _worst([good, bad]) is bad
    assert _worst([bad, good]) is bad
    assert _worst([good, good]) is good


VERDICTS = st.lists(
    st.builds(Verdict, st.tuples(st.booleans(), st.booleans()), st.integers(1, 9), st.just(0)),
    max_size=5,
)


@given(VERDICTS)
def test_a_summary_is_what_its_verdicts_say(verdicts: list[Verdict]) -> None:
    bad = [i for i, verdict in enumerate(verdicts) if not all(verdict.steps)]
    first = bad[0] if bad else None
    step = None if first is None else list(verdicts[first].steps).index(False)
    assert summarize(verdicts) == Summary(
        match=bool(verdicts) and not bad,
        samples=len(verdicts),
        matching=len(verdicts) - len(bad),
        elements=sum(verdict.elements for verdict in verdicts),
        differing=0,
        first_step=step,
        first_sample=first,
    )
    columns = [all(verdict.steps[i] for verdict in verdicts) for i in range(2)]
    assert list(step_matches(verdicts)) == (columns if verdicts else [])


def test_a_dataset_is_inferred_row_by_row(toy: Toy) -> None:
    bundle = toy()
    command = [str(bundle.firmware)]
    rows = bundle.golden["input"][::-1]
    with ProgramRunner("mine", Caps(), lambda loaded: command) as runner:
        found = infer_dataset(bundle, runner, rows, timeouts=QUICK)
    assert found.dtype == np.int8
    assert np.array_equal(found, bundle.golden["output"][::-1])


@pytest.mark.parametrize("state", ["on", "none"])
def test_a_board_as_wanted_is_accepted(state: str) -> None:
    require_conditions("toy", {"icache": state, "dcache": "on", "clock_hz": "5", "x": "off"}, 5)


def test_a_board_that_does_not_tell_its_clock_is_refused() -> None:
    with pytest.raises(BenchError, match="toy does not run as its cycles") as caught:
        require_conditions("toy", {"icache": "off"}, 5)
    assert caught.value.why == (
        "icache is off",
        "the core runs at an unknown number of Hz",
        "wanted: caches on, 5 Hz",
    )


def test_repetitions_and_warm_ups_are_as_documented() -> None:
    """A count is the lower of two; a warm run is the fourth."""
    assert (REPETITIONS, WARMUPS) == (2, 2)

"""What every runner owes its users. Each check takes a bundle and a runner for it, not loaded.

Collected by unit tests with the fake device, by emulator tests and by tests on hardware with real
bundles: ``@pytest.mark.parametrize("check", CONTRACT, ids=lambda c: c.__name__)``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from deployer.bundle import Bundle
from deployer_hil.exchange import Timeouts
from deployer_hil.measure import connect, infer_dataset, prove
from deployer_hil.runner import Runner
from deployer_hil.session import Session

Check = Callable[..., None]


def hello_answers(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    with connect(bundle, runner, timeouts=waits) as session:
        assert session.hello() in (bundle.board, bundle.manifest["target"])
        profile, model = session.profile()
        assert profile == "mlperf-tiny"
        assert model


def id_matches(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    with connect(bundle, runner, timeouts=waits) as session:
        assert session.bundle_id() == bundle.id


def machine_is_described(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    with connect(bundle, runner, timeouts=waits) as session:
        caps, mem = session.caps(), session.mem()
    assert {"port", "board", "counter"} <= set(caps)
    assert {"arena", "static", "stack_size", "stack_used"} <= set(mem)


def text_upload_echoes(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    data = _golden_input(bundle)
    with connect(bundle, runner, timeouts=waits) as session:
        session.upload(data)
        assert session.buffer() == data


def frames_echo(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    """Every byte value crosses the line, the command end and line ends among them."""
    size = len(_golden_input(bundle))
    data = bytes((i * 7 + i // 256) & 255 for i in range(size))
    with connect(bundle, runner, timeouts=waits) as session:
        session.load(data)
        assert session.buffer() == data


def infer_is_golden(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    with connect(bundle, runner, timeouts=waits) as session:
        session.load(_golden_input(bundle))
        inference = session.infer(2, 1)
        assert inference.runs == 2
        assert inference.results == session.results()
        assert _first_output(session) == bundle.golden["output"][0].tobytes()[: _size(bundle)]


def constants_are_as_built(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    with connect(bundle, runner, timeouts=waits) as session:
        found = session.constants()
    assert sum(group.bytes for group in found) > 0
    assert all(group.intact for group in found), found


def layers_are_golden(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    record = prove(bundle, runner, timeouts=waits)
    assert record.golden.match
    assert record.golden.differing == 0
    assert record.golden.elements == bundle.golden["output"].size
    assert all(layer.match for layer in record.layers)
    assert (record.counter != "none") == all(layer.count is not None for layer in record.layers)


def dataset_is_golden(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    found = infer_dataset(bundle, runner, bundle.golden["input"], timeouts=waits)
    assert np.array_equal(found, bundle.golden["output"])


def reset_restarts(bundle: Bundle, runner: Runner, waits: Timeouts | None = None) -> None:
    """A restarted image has forgotten its input."""
    data = b"\x5a" * len(_golden_input(bundle))
    with connect(bundle, runner, timeouts=waits) as session:
        session.load(data)
    runner.reset()
    with connect(bundle, runner, timeouts=waits) as session:
        assert session.bundle_id() == bundle.id
        assert session.buffer() != data


CONTRACT: tuple[Check, ...] = (
    hello_answers,
    id_matches,
    machine_is_described,
    text_upload_echoes,
    frames_echo,
    infer_is_golden,
    constants_are_as_built,
    layers_are_golden,
    dataset_is_golden,
    reset_restarts,
)


def _golden_input(bundle: Bundle) -> bytes:
    return bundle.golden["input"][0].tobytes()


def _size(bundle: Bundle) -> int:
    return int(bundle.manifest["outputs"][0]["bytes"])


def _first_output(session: Session) -> bytes:
    return session.output(0)

"""How long a session waits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError
from deployer.units import FigureKind
from deployer_hil import gvsoc, tools
from deployer_hil.exchange import Timeouts
from deployer_hil.lines import MAX_LINE_BYTES, MAX_NOISE_BYTES, LineReader
from deployer_hil.protocol import BadReply
from deployer_hil.runner import Caps
from deployer_hil.samples import outputs
from deployer_hil.session import timeouts_for

BOARD = Caps(kind=FigureKind.MEASURED)


def bundle_of(*, weights: int = 0, macs: int = 0, cycles: int | None = None) -> Bundle:
    manifest: Any = {
        "clock_hz": 200_000_000,
        "memory": {"weights": weights},
        "model": {"macs": macs},
    }
    if cycles is not None:
        manifest["inference"] = {"cycles": cycles, "kind": "estimated"}
    return Bundle(Path("bundle"), manifest)


def test_a_board_is_waited_for_by_its_clock_and_an_emulator_as_it_gets_on() -> None:
    plain, bundle = Timeouts(), bundle_of(cycles=100_000_000)
    assert timeouts_for(bundle_of(), Caps()) == timeouts_for(bundle_of(), BOARD) == plain
    assert timeouts_for(bundle, BOARD) == replace(plain, run=plain.run + 4 * 0.5)
    assert timeouts_for(bundle, Caps()) == replace(plain, run=plain.run + 4 * 5)


def test_a_bundle_without_an_estimate_is_waited_for_by_its_macs() -> None:
    of_macs = bundle_of(macs=50_000_000)
    assert timeouts_for(of_macs, Caps()) == timeouts_for(bundle_of(cycles=50_000_000), Caps())
    both = bundle_of(macs=50_000_000, cycles=0)
    assert timeouts_for(both, Caps()) == Timeouts()


def test_a_slow_device_has_more_time_for_everything_and_weights_take_time_to_read() -> None:
    bundle = bundle_of(cycles=50_000_000, weights=3_000_000)
    usual, slow = timeouts_for(bundle, Caps()), timeouts_for(bundle, Caps(slow=3))
    assert usual.constants == Timeouts.constants + 3
    for name in ("hello", "reply", "run", "constants"):
        assert getattr(slow, name) == 3 * getattr(usual, name)
    assert (slow.silence, slow.noise) == (usual.silence, usual.noise)


def test_a_device_that_falls_silent_is_named_ten_seconds_after_its_answer_was_due() -> None:
    """Quiet on the line and a question about the nonce come behind each wait."""
    known = timeouts_for(bundle_of(cycles=200_000_000), BOARD)
    behind = known.silence + known.hello
    assert known.reply + behind < 10
    assert 4 * (known.hello + known.silence) < 10
    assert known.running(1) - 4 * 1.0 + behind < 10
    assert known.noise < 10


def test_an_hour_is_that_long() -> None:
    assert gvsoc.HOUR_SECONDS == 60 * 60


class Pieces:
    """A stream that gives bytes in pieces, and then nothing."""

    alive = True

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)

    def read(self, n: int, timeout: float) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


def reader(*pieces: bytes) -> LineReader:
    return LineReader(Pieces(*pieces))  # type: ignore[arg-type]


def test_lines_are_told_as_they_end_and_empty_ones_are_none() -> None:
    lines = reader(b"\r\none\r", b"\n\n\ntwo\nhalf")
    assert [lines.next(1) for _ in range(3)] == ["one", "two", None]
    assert lines.partial == b"half"
    lines.discard()
    assert lines.partial == b""


@pytest.mark.parametrize(("begins", "most"), [(b"m-", MAX_LINE_BYTES), (b"xx", MAX_NOISE_BYTES)])
def test_a_line_without_an_end_is_no_reply(begins: bytes, most: int) -> None:
    whole = begins + b"x" * (most - len(begins))
    with pytest.raises(BadReply, match=f"a line of more than {most} bytes"):
        reader(whole + b"x").next(1)
    assert reader(whole, b"\n").next(1) == whole.decode()


def test_an_output_of_another_size_is_refused() -> None:
    session: Any = SimpleNamespace(output=lambda index: b"abc"[: index + 1])
    assert outputs(session, [1, 2]) == b"aab"
    with pytest.raises(BenchError, match="output 1 has 2 bytes, the bundle says 3"):
        outputs(session, [1, 3])


def test_tools_that_are_not_there_have_no_version() -> None:
    assert tools._distribution_version("no-such-distribution") is None
    assert tools._distribution_version("numpy")
    assert tools._program_version("no-such-program") is None

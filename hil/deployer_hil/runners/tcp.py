"""A Linux board whose image listens there, started with ``--listen`` by the user: nothing is sent.

Board options: ``address`` (HOST:PORT, where the user names none). Each connection is given a
freshly started image. It has not met a Raspberry Pi.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer.units import CounterUnit, FigureKind, command_line
from deployer_hil.runner import Caps, Runner, board_options, own_image
from deployer_hil.runners.program import ProgramRunner
from deployer_hil.stand_in import StandIn
from deployer_hil.stream import ByteStream, connect, printable

STAND_IN = StandIn(own_image=True, listens=True)
_MEASURED = Caps(timing=CounterUnit.CYCLES, kind=FigureKind.MEASURED, hosted=True)
_FIRST_LINE_SECONDS = 5.0
_REFUSED = b"e-["


def create(bundle: Bundle, *, tcp: str = "", model: str = "") -> Runner:
    """``tcp``: HOST:PORT. ``model``: what the user typed, for hints."""
    options = board_options(bundle, "tcp", optional=("address",))
    own_image(bundle, "tcp")
    host, port = tcp_address(tcp, options, bundle.board, model)
    return ProgramRunner(
        "tcp",
        _MEASURED,
        lambda loaded: [str(loaded.firmware), "--listen", f"0.0.0.0:{port}"],
        started=lambda command: reached(host, port, shlex.join(command)),
    )


def tcp_address(
    address: str, options: Mapping[str, object], board: str, model: str
) -> tuple[str, int]:
    """``address``, or that of the board file's ``options``: host and port. Raises UsageError for
    one that is none; ``model`` as the user typed it."""
    found = address or str(options.get("address", ""))
    host, _, port = found.rpartition(":")
    if host and port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16:
        return host, int(port)
    words = ["flash", "--board", board, "--tcp", "raspberrypi:7700"]
    raise UsageError(
        f"no address of a listening image: {found!r}",
        why=["it is HOST:PORT, PORT from 1 to 65535"],
        hints=[
            command_line(words, model or "MODEL"),
            'or address = "HOST:PORT" under [runners.tcp]',
        ],
    )


def reached(host: str, port: int, start: str) -> ByteStream:
    """The console of the image there, whose first line is read. ``start``: the command that starts
    it. Raises BenchError where nobody listens, or another client is served."""
    try:
        stream = connect(host, port)
    except BenchError as error:
        hints = [f"copy the image there and start it: {start}"]
        raise BenchError(error.what, why=error.why, hints=hints) from None
    first = _first_line(stream)
    if first.startswith(_REFUSED):
        stream.close()
        why = printable(first.removeprefix(_REFUSED).rstrip(b"]\r\n"))
        raise BenchError(
            f"{host}:{port} refuses: {why}",
            hints=["end the other client, or start the image again there"],
        )
    return stream


def _first_line(stream: ByteStream) -> bytes:
    found = b""
    while not found.endswith(b"\n") and (byte := stream.read(1, _FIRST_LINE_SECONDS)):
        found += byte
    return found

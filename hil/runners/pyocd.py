"""A real board through its debug probe, its console on a serial port.

Board options: ``target`` (pyOCD's name), ``frequency`` (SWD, Hz), ``baud``; ``twin`` only with a
loader that starts an emulated one.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from deployer.bundle import Bundle
from deployer.errors import UsageError
from hil import serial_ports
from hil.probe import Loader, Progress, PyocdLoader
from hil.runner import Caps, Runner, board_options, load_object, loaded
from hil.stream import ByteStream

BAUD = 115_200
MEASURED = Caps(timing="cycles", kind="measured")


def create(
    bundle: Bundle,
    *,
    probe: str | None = None,
    port: str | None = None,
    baud: int | None = None,
    model: str | None = None,
    loader: Loader | str | None = None,
    progress: Progress | None = None,
) -> Runner:
    """``probe``: full UID. ``port``: device of the console. ``model``: what the user typed, for
    the hint. ``loader``: one to use instead of pyOCD, or the ``module:factory`` of one, called with
    the bundle. ``progress``: told the part of the flash written, 0 to 1."""
    options = board_options(bundle, "pyocd", optional=("target", "frequency", "baud", "twin"))
    made: Loader | None = load_object(loader)(bundle) if isinstance(loader, str) else loader
    return Pyocd(
        made or _pyocd(bundle, options, probe=probe, model=model),
        MEASURED if bundle.manifest["target"] == bundle.board else Caps(),
        port=port,
        baud=baud or options.get("baud", BAUD),
        progress=progress,
    )


def _pyocd(
    bundle: Bundle, options: Mapping[str, Any], *, probe: str | None, model: str | None
) -> Loader:
    built_for = bundle.manifest["target"]
    if built_for != bundle.board or "target" not in options:
        raise UsageError(
            f"this bundle was built for {built_for}, which no debug probe can program",
            hints=["deployer flash builds for the board itself"],
        )
    return PyocdLoader(
        target=options["target"],
        frequency=options.get("frequency", 4_000_000),
        uid=probe,
        emulate=f"deployer run --board {bundle.board} {model or bundle.manifest['model']['file']}",
    )


class Pyocd:
    """``loader`` reaches the flash, ``port`` (else the probe's own) is the console."""

    name = "pyocd"

    def __init__(
        self,
        loader: Loader,
        caps: Caps,
        *,
        port: str | None,
        baud: int,
        progress: Progress | None = None,
    ):
        self.caps = caps
        self._loader = loader
        self._port = port
        self._baud = baud
        self._progress = progress
        self._bundle: Bundle | None = None
        self._stream: ByteStream | None = None

    @property
    def tool(self) -> str:
        from importlib.metadata import PackageNotFoundError, version

        try:
            return f"pyocd {version('pyocd')}"
        except PackageNotFoundError:
            return ""

    def load(self, bundle: Bundle) -> None:
        if self._bundle is not None and self._bundle.id == bundle.id:
            return
        self._drop_stream()
        found = self._loader.find()
        self._port = self._port or found.port or serial_ports.port_of(found.uid)
        self._console().close()  # a busy port is found before the flash is touched
        self._loader.program(bundle.firmware, self._progress)
        self._bundle = bundle

    def open(self) -> ByteStream:
        loaded(self._bundle)
        self._drop_stream()
        self._stream = self._console()
        self._loader.reset()  # after opening, so that the start message is seen
        return self._stream

    def reset(self) -> None:
        self._drop_stream()
        self._loader.reset()

    def close(self) -> None:
        self._drop_stream()
        self._loader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _console(self) -> ByteStream:
        return serial_ports.open_port(str(self._port), self._baud)

    def _drop_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = None

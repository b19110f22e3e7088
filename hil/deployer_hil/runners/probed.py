"""The common part of runners that reach a real board: a loader for the image, a serial console."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType, TracebackType
from typing import Self

from deployer.bundle import Bundle
from deployer.units import CounterUnit, FigureKind
from deployer_hil import locks, serial_ports
from deployer_hil.probe import Loader, Progress
from deployer_hil.runner import Caps, loaded
from deployer_hil.stream import ByteStream

BAUD = 115_200
MEASURED = Caps(timing=CounterUnit.CYCLES, kind=FigureKind.MEASURED)


class Probed:
    """``loader`` puts the image there, ``port`` (else the probe's own) is the console. Probe and
    port are locked from ``load`` to ``close``, but for the claims that the caller has, ``held``."""

    def __init__(
        self,
        name: str,
        loader: Loader,
        caps: Caps,
        *,
        tool: Callable[[], str],
        port: str | None,
        baud: int,
        progress: Progress | None = None,
        held: Collection[str] = (),
    ):
        self.name = name
        self.caps = caps
        self._tool = tool
        self.surroundings: Mapping[str, str] = MappingProxyType({})
        self._loader = loader
        self._port = port
        self._device = ""
        self._baud = baud
        self._progress = progress
        self._locks = locks.Locks(held)
        self._bundle: Bundle | None = None
        self._stream: ByteStream | None = None

    @property
    def tool(self) -> str:
        return self._tool()

    def load(self, bundle: Bundle) -> None:
        if self._bundle is not None and self._bundle.id == bundle.id:
            return
        self._drop_stream()
        self._find()
        self._console().close()  # a busy port is found before the board is touched
        self._loader.program(bundle.firmware, self._progress)
        self._bundle = bundle

    def open(self) -> ByteStream:
        loaded(self._bundle)
        self._drop_stream()
        if not os.path.exists(self._device):  # a board that was plugged in again has another
            self._find()
        self._stream = self._console()
        self._loader.reset()  # after opening, so that the start message is seen
        return self._stream

    def reset(self) -> None:
        self._drop_stream()
        self._loader.reset()

    def close(self) -> None:
        self._drop_stream()
        self._loader.close()
        self._locks.close()
        self._bundle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _find(self) -> None:
        """Probe and port, ours from now on."""
        found = self._loader.find()
        device = self._port or found.port or serial_ports.port_of(found.uid)
        own = [locks.probe(found.uid)] if found.uid else []
        self._locks.take(*own, locks.port(device))
        self._device = device

    def _console(self) -> ByteStream:
        return serial_ports.open_port(self._device, self._baud)

    def _drop_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = None

"""The common part of runners that start a program on pipes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Self

from deployer.bundle import Bundle
from deployer_hil.locks import Locks
from deployer_hil.process import start
from deployer_hil.runner import Caps, loaded
from deployer_hil.stream import ByteStream


class ProgramRunner:
    """``command`` gives the command line for a bundle, or raises BenchError when tools are missing.

    A reset is a new process. ``started`` starts it, where pipes alone do not do. ``surroundings``
    is filled by then. ``claims`` are taken in ``locks`` from ``load`` to ``close``.
    """

    def __init__(
        self,
        name: str,
        caps: Caps,
        command: Callable[[Bundle], list[str]],
        *,
        tool: Callable[[], str] = lambda: "",
        started: Callable[[Sequence[str]], ByteStream] = start,
        surroundings: Mapping[str, str] = MappingProxyType({}),
        locks: Locks | None = None,
        claims: Sequence[str] = (),
    ):
        self.name = name
        self._caps = caps
        self._command = command
        self._tool = tool
        self._started = started
        self.surroundings = surroundings
        self._locks = locks or Locks()
        self._claims = claims
        self._bundle: Bundle | None = None
        self._stream: ByteStream | None = None

    @property
    def caps(self) -> Caps:
        return self._caps

    @property
    def tool(self) -> str:
        return self._tool()

    def load(self, bundle: Bundle) -> None:
        self._command(bundle)  # a missing program is named now
        self._locks.take(*self._claims)
        self._bundle = bundle

    def open(self) -> ByteStream:
        self.reset()
        self._locks.take(*self._claims)
        self._stream = self._started(self._command(loaded(self._bundle)))
        return self._stream

    def reset(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    def close(self) -> None:
        self.reset()
        self._locks.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

"""An STM32F767 as pyOCD's programmer sees it: its own memory map over bytes, no probe, no core.

pyOCD runs an algorithm on the core to erase and to write. ``Algorithm`` does what that would do.
Everything above it is pyOCD's: which sectors, which pages, what is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from pyocd.flash.flash import Flash
from pyocd.target.builtin.target_STM32F767xx import STM32F767xx

from deployer_hil.probe import PyocdLoader

ERASED = 0xFF


class Silicon:
    """``written``: told address and bytes of each page, it gives those that the flash then has."""

    def __init__(self, written: Callable[[int, bytes], bytes] = lambda at, data: data) -> None:
        self.memory_map = STM32F767xx.MEMORY_MAP.clone()
        self.bytes: dict[int, int] = {}
        self.erased: list[int] = []
        self.written = written
        self.debug_sequence_delegate = None
        self.selected_core = SimpleNamespace(node_name=None)
        self.session = Session(self)
        for region in self.memory_map:
            if region.is_flash:
                region.flash = Algorithm(self, region.algo)
                region.flash.region = region

    def read_memory_block8(self, address: int, size: int) -> list[int]:
        return [self.bytes.get(at, ERASED) for at in range(address, address + size)]

    def reset(self) -> None: ...


def stand_in_for_a_probe(
    loader: PyocdLoader, silicon: Silicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loader's sessions are with ``silicon``."""

    @contextmanager
    def session(doing: str) -> Iterator[Session]:
        yield silicon.session

    monkeypatch.setattr(loader, "_session", session)


class Session:
    """What pyOCD's session tells its programmer."""

    def __init__(self, target: Silicon) -> None:
        self.target = target
        self.board = SimpleNamespace(target=target)
        self.options: dict[str, Any] = {"keep_unwritten": True, "hide_programming_progress": True}
        self.log_tracebacks = False

    def notify(self, event: object, source: object) -> None: ...


class Algorithm(Flash):  # type: ignore[misc]
    """Sectors and pages of the silicon."""

    def init(self, operation: object, address: int | None = None, **told: object) -> None: ...

    def uninit(self) -> None: ...

    def cleanup(self) -> None: ...

    def erase_sector(self, address: int) -> None:
        self.target.erased.append(address)
        for at in range(address, address + self.get_sector_info(address).size):
            self.target.bytes.pop(at, None)

    def program_page(self, address: int, data: Sequence[int]) -> None:
        for at, byte in enumerate(self.target.written(address, bytes(data))):
            assert self.target.bytes.get(address + at, ERASED) == ERASED, "it was not erased"
            self.target.bytes[address + at] = byte

    def load_page_buffer(self, number: int, address: int, data: Sequence[int]) -> None:
        self.buffers = {**getattr(self, "buffers", {}), number: bytes(data)}

    def start_program_page_with_buffer(self, number: int, address: int) -> None:
        self.program_page(address, self.buffers[number])

    def wait_for_completion(self, timeout: float | None = None) -> int:
        return 0

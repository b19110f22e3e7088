"""What the timing model needs to know of a board: caches, tight memory, and costs beyond the core.

The costs are guesses until a board has been measured (`deployer calibrate`): the pipeline model
alone is a lower bound. With them the like-for-like published points come out 7 % low, so absolute
times are stated to 15 % and ratios of kernels of one kind to 8 %.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cache:
    """``size`` and ``line`` in bytes."""

    size: int
    ways: int
    line: int = 32


@dataclass(frozen=True)
class Costs:
    """Cycles beyond the pipeline model, each event."""

    misprediction: float = 7.0
    data_miss: float = 12.0
    fetch_miss: float = 12.0


@dataclass(frozen=True)
class Machine:
    """``tight``: first address and the one behind the last of a memory beside the caches."""

    name: str
    clock_hz: int
    data: Cache
    code: Cache
    tight: tuple[int, int]
    costs: Costs = Costs()
    error: float = 0.15  # of an absolute time

    def plugin_fields(self) -> dict[str, int]:
        return {
            "dsize": self.data.size,
            "dways": self.data.ways,
            "isize": self.code.size,
            "iways": self.code.ways,
            "line": self.data.line,
            "tight": self.tight[0],
            "tight_end": self.tight[1],
        }


_DTCM = 0x2000_0000
MACHINES = {
    "nucleo-f767zi": Machine(
        "nucleo-f767zi",
        216_000_000,
        Cache(16 * 1024, 4),
        Cache(16 * 1024, 2),
        (_DTCM, _DTCM + 128 * 1024),
    ),
    "stm32f746": Machine(
        "stm32f746", 216_000_000, Cache(4096, 4), Cache(4096, 2), (_DTCM, _DTCM + 64 * 1024)
    ),
}

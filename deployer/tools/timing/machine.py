"""What the timing model needs of a board: caches, tightly coupled memory, costs beyond the core.

The costs are guesses until a board has been measured (`deployer calibrate`): the pipeline model
alone is a lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from deployer.board import Board, Cache, Costs, OuterCache
from deployer.errors import UsageError
from deployer.tools.timing.pipelines import CORTEX_M7, Pipeline, pipeline_of

RUNNERS = ("qemu_system", "qemu_user")  # those that take the profiler
_NOWHERE = (0, 0)
_CODE_BYTES = 4 << 20  # more than any image has
_MAX_ISSUED = 2  # instructions a cycle: so many must pass before a line surely is there


@dataclass(frozen=True)
class Machine:
    """``tight``: first address and the one behind the last of tightly coupled memory;
    ``tight_code``: of one for code. ``outer``: the cache behind those two. ``runner``: where its
    images are counted. ``source`` says where the costs are from. ``credits_pld``: a PLD brings its
    line while the core goes on; else it does nothing but issue."""

    name: str
    clock_hz: int
    data: Cache
    code: Cache
    tight: tuple[int, int]
    costs: Costs
    error: float
    ratio_error: float
    source: str
    tight_code: tuple[int, int] = _NOWHERE
    pipeline: Pipeline = CORTEX_M7
    credits_pld: bool = False
    outer: OuterCache | None = None
    runner: str = RUNNERS[0]

    def plugin_fields(self) -> dict[str, int]:
        return {
            "dsize": self.data.size,
            "dways": self.data.ways,
            "isize": self.code.size,
            "iways": self.code.ways,
            "line": self.data.line,
            "tight": self.tight[0],
            "tight_end": self.tight[1],
            "tight_code": self.tight_code[0],
            "tight_code_end": self.tight_code[1],
            "prefetch": round(_MAX_ISSUED * self.costs.data_miss) if self.credits_pld else 0,
            "replace": int(self.pipeline.replaces_randomly),
            "granule": self.pipeline.granule_bytes,
            "osize": self.outer.cache.size if self.outer else 0,
            "oways": self.outer.cache.ways if self.outer else 0,
        }


def machine_of(board: Board, target: Board) -> Machine:
    """The machine of ``board`` with the addresses of ``target``, where its image runs.

    Raises UsageError for a board nothing estimates the time of.
    """
    timing = board.timing
    if timing is None:
        raise UsageError(
            f"nothing estimates times of {board.name}",
            why=["its board file has no [timing] table"],
            hints=["deployer run counts its instructions"],
        )
    return Machine(
        name=board.name,
        clock_hz=board.clock_hz,
        data=timing.data_cache,
        code=timing.code_cache,
        tight=_range(target, timing.tight) if timing.tight else _NOWHERE,
        costs=timing.costs,
        error=timing.error,
        ratio_error=timing.ratio_error,
        source="board file",
        tight_code=_range(target, timing.tight_code) if timing.tight_code else _NOWHERE,
        pipeline=pipeline_of(timing.pipeline),
        outer=timing.outer,
        runner=counting_runner(board),
    )


def with_code_at_hand(machine: Machine) -> Machine:
    """One whose code cache holds a whole image, so that a layer's warm time does not depend on the
    code of the others."""
    return replace(machine, code=replace(machine.code, size=_CODE_BYTES))


def counting_runner(board: Board) -> str:
    """The first of the board's runners that takes the profiler, "" for none."""
    return next((name for name in RUNNERS if name in board.runners), "")


def _range(target: Board, name: str) -> tuple[int, int]:
    memory = target.memory(name)
    return memory.base, memory.base + memory.size

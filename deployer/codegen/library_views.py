"""What the templates of a library may name."""

from __future__ import annotations

from dataclasses import dataclass

from deployer.choices import ArenaOwner
from deployer.codegen.layout import Arena
from deployer.codegen.statement import Term, expression
from deployer.codegen.views import IoView, NetworkView

ALIGN_BYTES = 16  # what the plan counts on
_ARGUMENT_BYTES = 256  # of the structs that a call of a library makes on the stack
_PART_BYTES = 80  # and of each input of a Concat, on a core with pointers of 64 bits


@dataclass(frozen=True)
class LibraryIo:
    """An input or output. ``suffix``: what its functions end with, "" where there is no other;
    ``parameter``: of run. ``scale`` is in single precision."""

    name: str
    macro: str
    suffix: str
    parameter: str
    c_type: str
    bytes: int
    elements: int
    scale: str
    zero_point: int
    low: int
    high: int
    shape: str
    address: Term
    array: str
    resident: bool

    @property
    def typed_address(self) -> Term:
        if self.c_type == "int8_t":
            return self.address
        return expression("typed", self.c_type, self.address)


@dataclass(frozen=True)
class LibraryArena:
    """The part of the arena in one memory: ``array`` is the pointer to it, ``static`` the array
    that is taken where the caller gives none, ``parameter`` that of init."""

    memory: str
    array: str
    static: str
    parameter: str
    bytes: int


@dataclass(frozen=True)
class LibraryView:
    """One network of a library. ``mode``: whose static arena there is.
    ``stack_bytes``: what the board gives the steps of a network."""

    net: NetworkView
    mode: ArenaOwner
    arenas: tuple[LibraryArena, ...]
    inputs: tuple[LibraryIo, ...]
    outputs: tuple[LibraryIo, ...]
    board: str
    stack_bytes: int
    weight_bytes: int

    align = ALIGN_BYTES

    @property
    def resident(self) -> tuple[LibraryIo, ...]:
        """The inputs that do not come by rows."""
        return tuple(io for io in self.inputs if io.resident)

    @property
    def by_rows(self) -> str:
        return ", ".join(io.name for io in self.inputs if not io.resident)

    @property
    def arena_bytes(self) -> int:
        return sum(arena.bytes for arena in self.arenas)

    @property
    def arena_text(self) -> str:
        """``18,736``, or by memory."""
        if len(self.arenas) == 1:
            return f"{self.arena_bytes:,}"
        return " + ".join(f"{arena.bytes:,} {arena.memory}" for arena in self.arenas)

    @property
    def calls_cmsis_nn(self) -> bool:
        return any("cmsis_nn" in step.kernel for step in self.net.steps)

    @property
    def stack(self) -> int:
        """Bytes that are enough for a run: what the board's firmware gives its steps, and what a
        library puts there besides."""
        pieces = (piece for step in self.net.steps if step.region for piece in step.region.pieces)
        parts = [*(len(s.parts) for s in self.net.steps), *(len(p.call.parts) for p in pieces)]
        return self.stack_bytes + _ARGUMENT_BYTES + _PART_BYTES * max(parts)


def suffix_of(ios: tuple[IoView, ...], io: IoView) -> str:
    """Empty where it cannot be mistaken for another."""
    return f"_{io.macro.lower()}" if len(ios) > 1 else ""


def shared_arenas(libs: tuple[LibraryView, ...]) -> tuple[Arena, ...]:
    """The arena all of ``libs`` can run in, one after the other."""
    needs: dict[str, Arena] = {}
    for arena in (arena for lib in libs for arena in lib.arenas):
        most = max(arena.bytes, needs[arena.memory].bytes if arena.memory in needs else 0)
        needs[arena.memory] = Arena(arena.memory, arena.static, most)
    return tuple(needs.values())

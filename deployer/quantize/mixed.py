"""Which activations become int16: a greedy search by what each gains for its bytes of RAM.

A move makes one activation int16, and with it the nodes that make and read it. The next move is the
one that takes most noise from the outputs per byte it adds to the arena. Gains are measured on
samples kept apart from calibration and only again when a move comes first by its last one: noise
powers nearly add up, so they change little (lazy greedy).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from deployer.errors import LimitError, ThresholdError
from deployer.quantize.goal import Goal, GoalKind
from deployer.units import format_bytes

Wide = frozenset[str]
_MIN_NOISE_SHARE = 0.002  # share of the noise a move must take away


@dataclass(frozen=True)
class Quality:
    """Mean over the outputs: noise as a share of the signal, dB of the same, and how often the
    largest element is where float has it."""

    noise: float
    sqnr_db: float
    top1: float


@dataclass(frozen=True)
class WidthTrial:
    """A choice that was measured: with ``name`` int16 besides all taken before; "" is the start,
    "*" all of them. ``ram`` is the arena in bytes."""

    name: str
    ram: int
    sqnr_db: float
    top1: float
    taken: bool


@dataclass(frozen=True)
class WidthSearch:
    """``names`` are the activations taken, in order; ``wide`` the nodes and inputs that are int16
    then."""

    goal: str
    names: tuple[str, ...]
    wide: tuple[str, ...]
    trials: tuple[WidthTrial, ...]


@dataclass(eq=False)
class Search:
    """``moves``: by activation, the nodes and inputs it makes int16. ``measure`` and ``ram`` take
    all that are; both are computed once for each choice."""

    goal: Goal
    moves: Mapping[str, Wide]
    measure: Callable[[Wide], Quality]
    ram: Callable[[Wide], int]
    trials: list[WidthTrial] = field(default_factory=list)
    _known: dict[Wide, Quality] = field(default_factory=dict)
    _bytes: dict[Wide, int] = field(default_factory=dict)

    def run(self, start: Wide = frozenset()) -> WidthSearch:
        """The choice that meets the goal.

        Raises LimitError when ``start`` takes more RAM than there is, ThresholdError when all of
        them in int16 miss the quality.
        """
        every = start.union(*self.moves.values())
        self._note("", start, taken=True)
        self._note("*", every, taken=False)
        self._require_possible(start, every)
        names, wide = self._greedy(start)
        if self._better(every, wide):
            names, wide = ["*"], every
        return WidthSearch(str(self.goal), tuple(names), tuple(sorted(wide)), tuple(self.trials))

    def _greedy(self, start: Wide) -> tuple[list[str], Wide]:
        wide, names = start, list[str]()
        gains = dict.fromkeys(self.moves, float("inf"))
        while not self._reached(wide):
            name = self._next(wide, gains)
            if name is None:
                break
            wide |= self.moves[name]
            names.append(name)
            self._note(name, wide, taken=True)
        return names, wide

    def _next(self, wide: Wide, gains: dict[str, float]) -> str | None:
        """The best move by gains measured from here; None when none fits or helps.

        Within a RAM a move that gains next to nothing only costs time. Towards a quality one is
        taken even so when there is no other: two may do together what neither does alone.
        """
        left = {n: self._cost(wide, n) for n in self.moves if not self.moves[n] <= wide}
        left = {name: cost for name, cost in left.items() if self._affordable(wide, name)}
        idle: list[str] = []
        fresh: set[str] = set()
        while left:
            name = max(left, key=lambda n: (gains[n] / left[n], n))
            if name not in fresh:
                gains[name] = self._gain(wide, name)
                fresh.add(name)
            elif gains[name] > _MIN_NOISE_SHARE * self._quality(wide).noise:
                return name
            else:
                idle.append(name)
                del left[name]
        return max(idle, key=lambda n: (gains[n], n)) if idle and self._for_quality else None

    def _gain(self, wide: Wide, name: str) -> float:
        grown = wide | self.moves[name]
        self._note(name, grown, taken=False)
        return self._quality(wide).noise - self._quality(grown).noise

    @property
    def _for_quality(self) -> bool:
        return self.goal.kind != GoalKind.RAM

    def _cost(self, wide: Wide, name: str) -> int:
        """Bytes it adds to the arena, at least one: what is free goes first, the best of it."""
        return max(1, self._ram(wide | self.moves[name]) - self._ram(wide))

    def _affordable(self, wide: Wide, name: str) -> bool:
        if self._for_quality:
            return True
        return self._ram(wide | self.moves[name]) <= self.goal.amount

    def _reached(self, wide: Wide) -> bool:
        """Whether the requested quality is there; a RAM is used as far as it goes."""
        quality = self._quality(wide)
        found = {"sqnr": quality.sqnr_db, "top1": quality.top1}.get(self.goal.kind)
        return found is not None and found >= self.goal.amount

    def _better(self, every: Wide, wide: Wide) -> bool:
        """Whether all int16 meets the goal better than what was found."""
        if not self._for_quality:
            fits = self._ram(every) <= self.goal.amount
            return fits and self._quality(every).noise < self._quality(wide).noise
        return not self._reached(wide) or self._ram(every) <= self._ram(wide)

    def _require_possible(self, start: Wide, every: Wide) -> None:
        least = self._ram(start)
        if not self._for_quality and least > self.goal.amount:
            raise LimitError(
                f"no mixture has an arena of {format_bytes(int(self.goal.amount))}",
                why=[f"with all activations in int8 it takes {format_bytes(least)}"],
                hints=["allow at least that, or use a smaller network"],
            )
        if self._for_quality and not (self._reached(start) or self._reached(every)):
            best = self._quality(every)
            raise ThresholdError(
                f"no mixture reaches {self.goal}",
                why=[
                    f"all activations in int16: {best.sqnr_db:.1f} dB, top-1 {best.top1:.2%} on "
                    "samples kept apart; the weights have 8 bits"
                ],
                hints=["ask for less, or give more --calibration samples"],
            )

    def _note(self, name: str, wide: Wide, *, taken: bool) -> None:
        found = self._quality(wide)
        self.trials.append(WidthTrial(name, self._ram(wide), found.sqnr_db, found.top1, taken))

    def _quality(self, wide: Wide) -> Quality:
        if wide not in self._known:
            self._known[wide] = self.measure(wide)
        return self._known[wide]

    def _ram(self, wide: Wide) -> int:
        if wide not in self._bytes:
            self._bytes[wide] = self.ram(wide)
        return self._bytes[wide]


def moves_of(names: Iterable[str], widen: Callable[[str], Wide], locked: Wide) -> dict[str, Wide]:
    """A move per activation, without those that would widen what is ``locked`` to int8."""
    found = {name: widen(name) for name in names}
    return {name: wide for name, wide in found.items() if wide and not wide & locked}

"""Memory over time as text: a row per step, a column per band of addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deployer.ir.plan import MemoryPlan, Placement
from deployer.units import format_bytes

WIDTH_COLUMNS = 100
BAND_COLUMNS = 56  # columns of the arena
_NAME_COLUMNS = 20  # columns of a buffer's name
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_FREE, _HIDDEN = ".", "#"


def chart_letters(plan: MemoryPlan) -> dict[str, str]:
    """A letter per buffer, in order of birth; used again from A after the 52nd."""
    places = sorted(plan.placements, key=lambda p: (p.buffer.lower, p.memory, p.offset))
    return {p.buffer.id: _LETTERS[i % len(_LETTERS)] for i, p in enumerate(places)}


def memory_chart(plan: MemoryPlan, memory: str) -> Iterator[str]:
    """The arena of ``memory``, low addresses left; ``>`` marks the first step of most bytes.

    A letter is the buffer with most bytes of its band, named in the step where it begins; ``#`` is
    a band with a buffer too small to have one of its own.
    """
    height, letters = dict(plan.heights)[memory], chart_letters(plan)
    places = [p for p in plan.placements if p.memory == memory]
    steps = range(max((p.buffer.upper for p in plan.placements), default=0))
    live = [sum(p.buffer.size for p in _alive(places, step)) for step in steps]
    peak = live.index(max(live)) if live else 0
    band = max(1, -(-height // BAND_COLUMNS))
    count = -(-height // band)
    yield f"{memory}: {format_bytes(height)}; a column is {format_bytes(band)}, > marks the peak"
    yield f"  step      alive  {'address'.ljust(count)}  begins"
    for step in steps:
        alive = _alive(places, step)
        row = f"{'>' if step == peak else ' '} {step:>4} {live[step]:>10,}  "
        row += f"{_bands(alive, letters, band, count)}  "
        begins = [p for p in alive if p.buffer.lower == step]
        yield (row + _names(begins, letters, WIDTH_COLUMNS - len(row))).rstrip()


def _alive(places: Sequence[Placement], step: int) -> list[Placement]:
    """By address."""
    alive = [p for p in places if p.buffer.lower <= step < p.buffer.upper]
    return sorted(alive, key=lambda p: p.offset)


def _bands(alive: Sequence[Placement], letters: Mapping[str, str], band: int, count: int) -> str:
    owner: dict[int, tuple[int, str]] = {}
    for p in alive:
        for i, share in _shares(p, band):
            owner[i] = max(owner.get(i, (0, "")), (share, p.buffer.id), key=lambda own: own[0])
    seen = {name for _, name in owner.values()}
    cells = [letters[owner[i][1]] if i in owner else _FREE for i in range(count)]
    for p in alive:
        if p.buffer.size and p.buffer.id not in seen:
            cells[p.offset // band] = _HIDDEN
    return "".join(cells)


def _shares(place: Placement, band: int) -> Iterator[tuple[int, int]]:
    """The bands a buffer touches, with its bytes in each."""
    begin, end = place.offset, place.offset + place.buffer.size
    for i in range(begin // band, -(-end // band)):
        yield i, min(end, (i + 1) * band) - max(begin, i * band)


def _names(begins: Sequence[Placement], letters: Mapping[str, str], room: int) -> str:
    """``A=conv1 B=conv1.scratch``, cut to ``room`` columns."""
    text = " ".join(
        f"{letters[p.buffer.id]}={short_name(p.buffer.id, _NAME_COLUMNS)}" for p in begins
    )
    return text if len(text) <= room else f"{text[: room - 2]}.."


def short_name(name: str, width: int) -> str:
    """A name in ``width`` columns: its end says more than its beginning."""
    return name if len(name) <= width else f"..{name[-(width - 2) :]}"

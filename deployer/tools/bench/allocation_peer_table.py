"""This allocator beside minimalloc, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer.allocate import search_library
from deployer.tools.bench.allocation_peer import MINIMALLOC, PeerRow
from deployer.tools.bench.markdown import markdown_table


def beside_markdown(rows: Sequence[PeerRow]) -> str:
    """A line an instance, then sums."""
    head = ["instance", "buffers", "capacity", "bound", "here", MINIMALLOC]
    head += ["CPU s here", f"CPU s {MINIMALLOC}", "ratio"]
    return "\n".join([*markdown_table(head, map(_cells, rows)), "", *_foot(rows)]) + "\n"


def _cells(row: PeerRow) -> list[str]:
    sizes = [str(row.buffers), f"{row.capacity:,}", f"{row.bound:,}"]
    placed = [_bytes(row.bytes), _bytes(row.peer_bytes)]
    times = [f"{row.seconds:.3f}", f"{row.peer_seconds:.3f}", f"{row.ratio:.3f}"]
    return [row.name, *sizes, *placed, *times]


def _bytes(placed: int | None) -> str:
    return "none found" if placed is None else f"{placed:,}"


def _foot(rows: Sequence[PeerRow]) -> Iterator[str]:
    both = [row for row in rows if row.bytes is not None and row.peer_bytes is not None]
    ours = sum(row.bytes is not None for row in rows)
    theirs = sum(row.peer_bytes is not None for row in rows)
    yield f"{len(rows)} instances within their capacity: {ours} here, {theirs} by {MINIMALLOC}."
    if both:
        worst = max(both, key=lambda row: row.ratio)
        total = sum(row.seconds for row in both) / max(sum(row.peer_seconds for row in both), 1e-9)
        yield (
            f"CPU here for each second of {MINIMALLOC}'s: {total:.3f} over those that both solved, "
            f"{worst.ratio:.3f} at most ({worst.name})."
        )
    how = "compiled" if search_library() else "in Python, since no C compiler was found"
    yield (
        f"CPU of this machine, measured: here from the table's text to the plan, the search {how}; "
        f"{MINIMALLOC} from its start to its end. Every placement checked by the validator."
    )

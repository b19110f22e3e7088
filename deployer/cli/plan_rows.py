"""What reports and checks say alike of a plan: a layer's cells, and rows of name and text."""

from __future__ import annotations

from itertools import pairwise

from deployer.bundle_facts import (
    CopiedFacts,
    FetchedFacts,
    RestructureFacts,
    ShareFacts,
    SpilledFacts,
    StepRow,
    WaitFacts,
)
from deployer.ir import Waits
from deployer.pipeline import FlashFacts, KernelCodeFacts
from deployer.units import format_bytes


def layer_cells(row: StepRow) -> list[str]:
    """Index, name, operator, output shape and width, MACs, the kernel's instruction set and
    variant, with the order it wants weights in."""
    kernel = row["kernel"].partition("__")[2]
    return [
        str(row["index"]),
        row["name"],
        row["op"],
        "x".join(str(extent) for extent in row["shape"][1:]),
        str(row["bits"]),
        f"{row['macs']:,}",
        f"{kernel}, {row['weight_layout']}" if row["weight_layout"] else kernel,
    ]


def wait_rows(heights: dict[str, int], waits: WaitFacts | None) -> list[tuple[str, str]]:
    """What lies in which memory, and what that saves."""
    if waits is None:
        return []
    parts = ", ".join(f"{name} {format_bytes(size)}" for name, size in heights.items())
    return [("arena", f"{parts}; {Waits(**waits).text}")]


def copied_rows(facts: CopiedFacts | None) -> list[tuple[str, str]]:
    """What start-up copies where, and what that saves."""
    if facts is None:
        return []
    parts = ", ".join(f"{format_bytes(n)} in {name}" for name, n in facts["by_memory"].items())
    text = f"{parts} for copies of weights: {facts['saves']:,} cycles saved (estimated)"
    return [("spare RAM", f"{text}; --place off makes none")]


def flash_rows(facts: FlashFacts) -> list[tuple[str, str]]:
    """What constants take, and what more or less flash would give."""
    rows = [
        ("stored", f"{format_bytes(facts['constants'])} of constants, as the kernels want them")
    ]
    if not facts["points"]:
        return rows
    least, *more = facts["points"]
    told = f"{format_bytes(least['bytes'])}, {_millions(least['cycles'])} cycles"
    rows.append(("", f"at the least {told} ({facts['kind']}); --flash limits it"))
    for before, point in pairwise((least, *more)):
        bought = format_bytes(point["bytes"] - before["bytes"])
        saved = _millions(before["cycles"] - point["cycles"])
        kernel = point["kernel"].partition("__")[2]
        where = f"{kernel} in {_counted(point['layers'], 'layer')}"
        rows.append(("", f"{where}: {bought} more, {saved} cycles fewer"))
    return rows


def kernel_code_rows(facts: KernelCodeFacts | None) -> list[tuple[str, str]]:
    """What the kernels' code takes, of what it may."""
    if facts is None:
        return []
    told, limit = format_bytes(facts["bytes"]), facts["limit"]
    if limit is None:
        return [("kernel code", told)]
    of = "more than" if facts["bytes"] > limit else "of"
    return [
        ("kernel code", f"{told} {of} {format_bytes(limit)}; --kernel-code grants another size")
    ]


def _millions(cycles: int) -> str:
    return f"{cycles / 1e6:.2f} M"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def prefetch_rows(facts: FetchedFacts | None) -> list[tuple[str, str]]:
    """What is fetched while the network runs, and how long that is waited for."""
    if facts is None:
        return []
    what = f"{format_bytes(facts['bytes'])} in {facts['memory']}, fetched in {facts['fetches']}"
    part = facts["stalled"] / facts["cycles"]
    waits = f"{facts['stalled']:,} cycles waited for ({part:.1%}, estimated)"
    return [("weights", f"{what} transfers; {waits}; {format_bytes(facts['resident'])} stay")]


def spilled_rows(facts: SpilledFacts | None) -> list[tuple[str, str]]:
    """Activations that lie in the memory behind the arena's for a time."""
    if facts is None:
        return []
    values, held, moved = facts["values"], format_bytes(facts["bytes"]), facts["moved"]
    there = f"{_counted(values, 'value')} in {held} of {facts['memory']}"
    return [("spilled", f"{there}; {format_bytes(moved)} written and fetched")]


def restructured_rows(facts: RestructureFacts | None) -> list[tuple[str, str]]:
    """What runs piece by piece, the arena without and with it, and what it costs."""
    if facts is None:
        return []
    regions = facts["regions"]
    tables = sum(region["table_bytes"] for region in regions)
    added = facts["added_macs"] / max(1, facts["macs_before"])
    cost = facts["cost"]
    slower = cost["added"] / max(1, cost["before"])
    text = (
        f"arena {format_bytes(facts['arena_before'])} before, "
        f"{format_bytes(facts['arena'])} after; {added:.1%} more MACs (counted), "
        f"{slower:.1%} more {cost['unit']} of {cost['board']} ({cost['kind']}); "
        f"tables {format_bytes(tables)}"
    )
    rows = (f"{r['first']} to {r['last']}: {r['title']}, {r['calls']} calls" for r in regions)
    return [("restructured", text), *(("", row) for row in rows)]


def shared_rows(facts: ShareFacts | None) -> list[tuple[str, str]]:
    """The arena without and with values in each other's bytes, and how they share them."""
    if facts is None:
        return []
    counts = (
        (facts["in_place"], "in place"),
        (facts["overlaps"], "overlapping"),
        (facts["views"], "views"),
        (facts["inside"], "inside"),
    )
    kinds = ", ".join(f"{count} {text}" for count, text in counts if count)
    saved = facts["copies_saved"]
    copies = f"; {format_bytes(saved)} fewer to copy" if saved else ""
    arenas = [format_bytes(size) for size in (facts["arena_before"], facts["arena"])]
    return [("shared bytes", f"arena {arenas[0]} without, {arenas[1]} with: {kinds}{copies}")]

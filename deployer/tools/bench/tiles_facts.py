"""What rows of tiles come to: JSON types with sums, shares and rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer import __version__
from deployer.board import Board
from deployer.bundle_facts import LaunchRow, TilingFacts
from deployer.choices import TilerName
from deployer.tools.bench.facts import (
    Ratio,
    TilersFacts,
    TilesEstimate,
    TilesKindFacts,
    TilesRowFacts,
    TilesRunFacts,
    TilesTable,
)
from deployer.tools.bench.tiles import TilesRow, TilesRun
from deployer.tools.bench.tiles_setting import inner_memory, outer_memory
from deployer.units import CounterUnit

_Counted = tuple[TilesRowFacts, LaunchRow, int]  # with its cycles
SCHEMA = 1
OURS = TilerName.COST


def tiles_table_facts(board: Board, rows: Sequence[TilesRow]) -> TilesTable:
    """``kinds``: layers of one operator and kernel; ``against``: our tiler beside each other one;
    both by the first runner."""
    facts = [_row(row) for row in rows]
    inner = inner_memory(board)
    return {
        "schema": SCHEMA,
        "deployer": __version__,
        "board": board.name,
        "point": board.point,
        "clock_hz": board.clock_hz,
        "fabric_hz": board.fabric_hz or board.clock_hz,
        "memories": {"inner": inner, "outer": outer_memory(board)},
        "stacks": board.stack_bytes if board.place.stack == inner else 0,
        "rows": facts,
        "kinds": list(_kinds(facts)),
        "against": list(_against(facts)),
    }


def _row(row: TilesRow) -> TilesRowFacts:
    return {
        "network": row.network,
        "tiler": row.tiler,
        "inner": row.inner,
        "outer": row.outer,
        "outcome": row.outcome,
        "detail": row.detail,
        "layers": row.layers,
        "streamed": row.streamed,
        "runs": [_run(run, row.layers) for run in row.runs],
        "macs": row.macs,
        "estimate": _estimate(row),
    }


def _run(run: TilesRun, layers: Sequence[LaunchRow]) -> TilesRunFacts:
    facts: TilesRunFacts = {
        "runner": run.runner,
        "outcome": run.outcome,
        "detail": run.detail,
        "kind": run.kind,
        "unit": run.unit,
        "tool": run.tool,
        "counts": run.counts,
        "cycles": None,
        "tiled": None,
    }
    if not run.counts or run.unit != CounterUnit.CYCLES:
        return facts
    pairs = zip(run.counts, layers, strict=True)
    tiled = sum(count for count, layer in pairs if layer["tiles"])
    return {**facts, "cycles": sum(run.counts), "tiled": tiled}


def _estimate(row: TilesRow) -> TilesEstimate:
    tiles = [layer["tiles"] for layer in row.layers if layer["tiles"]]
    stalled = row.streamed["stalled"] if row.streamed else 0
    return {
        "cycles": sum(each["cycles"] for each in tiles) + stalled,
        "compute": sum(each["compute"] for each in tiles),
        "waiting": sum(each["waiting"] for each in tiles),
        "bytes_in": sum(each["bytes_in"] for each in tiles),
        "bytes_out": sum(each["bytes_out"] for each in tiles),
        "layers": len(tiles),
        "stalled": stalled,
    }


def counted(row: TilesRowFacts) -> Iterator[tuple[LaunchRow, int]]:
    """Layers with the cycles of the first runner; none where it counted none."""
    if row["runs"] and row["runs"][0]["cycles"] is not None:
        yield from zip(row["layers"], row["runs"][0]["counts"], strict=True)


def _kinds(rows: Sequence[TilesRowFacts]) -> Iterator[TilesKindFacts]:
    """Those with most cycles first."""
    found: dict[tuple[str, str, bool], list[_Counted]] = {}
    for row in rows:
        for layer, cycles in counted(row):
            key = layer["op"], layer["kernel"], bool(layer["tiles"])
            found.setdefault(key, []).append((row, layer, cycles))
    yield from sorted((_kind(*key[:2], group) for key, group in found.items()), key=_costliest)


def _costliest(kind: TilesKindFacts) -> int:
    return -kind["cycles"]


def _kind(op: str, kernel: str, group: Sequence[_Counted]) -> TilesKindFacts:
    facts: TilesKindFacts = {
        "op": op,
        "kernel": kernel,
        "layers": len(group),
        "macs": sum(layer["macs"] for _, layer, _ in group),
        "cycles": sum(cycles for *_, cycles in group),
        "estimated": None,
    }
    tiled = [(*each, each[1]["tiles"]) for each in group if each[1]["tiles"]]
    if not tiled:
        return facts
    estimated = sum(tiles["cycles"] for *_, tiles in tiled)
    ratios = sorted((n / tiles["cycles"], _where(row, layer)) for row, layer, n, tiles in tiled)
    return {**facts, "estimated": estimated, "least": ratios[0], "most": ratios[-1]}


def _where(row: TilesRowFacts, layer: LaunchRow) -> str:
    return f"{row['network']} {layer['name']}"


def _against(rows: Sequence[TilesRowFacts]) -> Iterator[TilersFacts]:
    """Settings that were run by our tiler and by another."""
    ours = {_place(row): row for row in rows if row["tiler"] == OURS}
    for row in rows:
        other = ours.get(_place(row))
        if row["tiler"] != OURS and other is not None and list(counted(row)):
            yield _pair(other, row)


def _place(row: TilesRowFacts) -> tuple[str, int, int]:
    return row["network"], row["inner"], row["outer"]


def _pair(ours: TilesRowFacts, theirs: TilesRowFacts) -> TilersFacts:
    ratios = _ratios(ours, theirs)
    otherwise = ratios["otherwise"]
    return {
        "network": theirs["network"],
        "tiler": theirs["tiler"],
        "inner": theirs["inner"],
        "outer": theirs["outer"],
        "ours": _cycles(ours),
        "theirs": _cycles(theirs),
        "layers": len(otherwise),
        "slower": len(_slower(otherwise)),
        "slower_layers": {kind: _slower(found) for kind, found in ratios.items()},
        "best": otherwise[0] if otherwise else None,
        "worst": otherwise[-1] if otherwise else None,
    }


def _cycles(row: TilesRowFacts) -> int:
    return sum(cycles for _, cycles in counted(row))


def _ratios(ours: TilesRowFacts, theirs: TilesRowFacts) -> dict[str, list[Ratio]]:
    """Of layers in tiles that both have, in order: cut otherwise, cut alike, and those that wait
    for weights in one of the rows."""
    others = {layer["name"]: (layer, cycles) for layer, cycles in counted(theirs)}
    late = _stalled(ours) | _stalled(theirs)
    found: dict[str, list[Ratio]] = {"otherwise": [], "alike": [], "fetched": []}
    for layer, mine in counted(ours):
        same, other = others.get(layer["name"], (None, 0))
        if same and other and layer["tiles"] and same["tiles"] and layer["shape"] == same["shape"]:
            cut = "alike" if _cut(layer["tiles"]) == _cut(same["tiles"]) else "otherwise"
            found["fetched" if layer["name"] in late else cut].append((mine / other, layer["name"]))
    return {kind: sorted(ratios) for kind, ratios in found.items()}


def _stalled(row: TilesRowFacts) -> set[str]:
    return set(row["streamed"]["stalls"]) if row["streamed"] else set()


def _cut(tiles: TilingFacts) -> tuple[tuple[int, ...], int, bool]:
    """Sizes of the tiles and their order."""
    return tuple(tiles["tile"]), tiles["count"], tiles["count"] == 1 or tiles["channels_inner"]


def _slower(ratios: Sequence[Ratio]) -> list[Ratio]:
    return [found for found in reversed(ratios) if found[0] > 1]

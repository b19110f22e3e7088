"""What rows of tiles come to: JSON types with sums, shares and rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from deployer import __version__
from deployer.board import Board
from deployer.choices import TilerName
from deployer.tools.bench.tiles import TilesRow
from deployer.tools.bench.tiles_setting import inner_memory, outer_memory
from deployer.units import CounterUnit

Facts = dict[str, Any]
Ratio = tuple[float, str]  # of cycles, and the layer's name
SCHEMA = 1
OURS = TilerName.COST


def tiles_table_facts(board: Board, rows: Sequence[TilesRow]) -> Facts:
    """``kinds``: layers of one operator and kernel; ``against``: our tiler beside each other one;
    both by the first runner."""
    facts = [_row(row) for row in rows]
    inner = inner_memory(board)
    return {
        "schema": SCHEMA,
        "deployer": __version__,
        "board": board.name,
        "clock_hz": board.clock_hz,
        "memories": {"inner": inner, "outer": outer_memory(board)},
        "stacks": board.stack_bytes if board.place.stack == inner else 0,
        "rows": facts,
        "kinds": list(_kinds(facts)),
        "against": list(_against(facts)),
    }


def _row(row: TilesRow) -> Facts:
    runs = [_run(asdict(run), row.layers) for run in row.runs]
    return {**asdict(row), "runs": runs, "estimate": _estimate(row)}


def _run(run: Facts, layers: Sequence[Facts]) -> Facts:
    """``tiled``: cycles of the layers in tiles; None for both where nothing was counted."""
    counts = run["counts"]
    if not counts or run["unit"] != CounterUnit.CYCLES:
        return {**run, "cycles": None, "tiled": None}
    pairs = zip(counts, layers, strict=True)
    tiled = sum(count for count, layer in pairs if layer["tiles"])
    return {**run, "cycles": sum(counts), "tiled": tiled}


def _estimate(row: TilesRow) -> Facts:
    """Of all layers in tiles; ``cycles`` include those ``stalled``, until weights were fetched."""
    tiles = [layer["tiles"] for layer in row.layers if layer["tiles"]]
    names = ("cycles", "compute", "waiting", "bytes_in", "bytes_out")
    sums = {name: sum(each[name] for each in tiles) for name in names}
    stalled = row.streamed["stalled"] if row.streamed else 0
    return {**sums, "layers": len(tiles), "cycles": sums["cycles"] + stalled, "stalled": stalled}


def counted(row: Facts) -> Iterator[tuple[Facts, int]]:
    """Layers with the cycles of the first runner; none where it counted none."""
    if row["runs"] and row["runs"][0]["cycles"] is not None:
        yield from zip(row["layers"], row["runs"][0]["counts"], strict=True)


def _kinds(rows: Sequence[Facts]) -> Iterator[Facts]:
    """Those with most cycles first; ``least`` and ``most``: cycles over the estimate of a layer,
    with network and name. Without an estimate where the kernel works on the outer memory."""
    found: dict[tuple[str, str, bool], list[tuple[Facts, Facts, int]]] = {}
    for row in rows:
        for layer, cycles in counted(row):
            key = layer["op"], layer["kernel"], bool(layer["tiles"])
            found.setdefault(key, []).append((row, layer, cycles))
    yield from sorted((_kind(key, group) for key, group in found.items()), key=_costliest)


def _costliest(kind: Facts) -> int:
    return -int(kind["cycles"])


def _kind(key: tuple[str, str, bool], group: list[tuple[Facts, Facts, int]]) -> Facts:
    facts: Facts = {
        "op": key[0],
        "kernel": key[1],
        "layers": len(group),
        "macs": sum(layer["macs"] for _, layer, _ in group),
        "cycles": sum(cycles for *_, cycles in group),
        "estimated": None,
    }
    if not key[2]:
        return facts
    estimated = sum(layer["tiles"]["cycles"] for _, layer, _ in group)
    ratios = sorted((_ratio(cycles, layer), _where(row, layer)) for row, layer, cycles in group)
    return {**facts, "estimated": estimated, "least": ratios[0], "most": ratios[-1]}


def _ratio(cycles: int, layer: Facts) -> float:
    return float(cycles / layer["tiles"]["cycles"])


def _where(row: Facts, layer: Facts) -> str:
    return f"{row['network']} {layer['name']}"


def _against(rows: Sequence[Facts]) -> Iterator[Facts]:
    """Settings that were run by our tiler and by another."""
    ours = {_place(row): row for row in rows if row["tiler"] == OURS}
    for row in rows:
        other = ours.get(_place(row))
        if row["tiler"] != OURS and other is not None and list(counted(row)):
            yield from _pair(other, row)


def _place(row: Facts) -> tuple[Any, ...]:
    return row["network"], row["inner"], row["outer"]


def _pair(ours: Facts, theirs: Facts) -> Iterator[Facts]:
    """``layers``: those that they cut otherwise; ``worst`` and ``best`` of them: our cycles over
    theirs, None where all are cut alike; ``slower``: how many of them take us longer;
    ``slower_layers``: which, worst first, and which of those that are cut ``alike``, and that are
    ``fetched``: they take what their weights do to come."""
    ratios = _ratios(ours, theirs)
    otherwise = ratios["otherwise"]
    yield {
        **{name: theirs[name] for name in ("network", "tiler", "inner", "outer")},
        "ours": ours["runs"][0]["cycles"],
        "theirs": theirs["runs"][0]["cycles"],
        "layers": len(otherwise),
        "slower": len(_slower(otherwise)),
        "slower_layers": {kind: _slower(found) for kind, found in ratios.items()},
        "best": otherwise[0] if otherwise else None,
        "worst": otherwise[-1] if otherwise else None,
    }


def _ratios(ours: Facts, theirs: Facts) -> dict[str, list[Ratio]]:
    """Of layers in tiles that both have, in order: cut otherwise, cut alike, and those that wait
    for weights in one of the rows."""
    others = {layer["name"]: (layer, cycles) for layer, cycles in counted(theirs)}
    late = _stalled(ours) | _stalled(theirs)
    found: dict[str, list[Ratio]] = {"otherwise": [], "alike": [], "fetched": []}
    for layer, mine in counted(ours):
        same, other = others.get(layer["name"], (None, 0))
        if same and other and layer["tiles"] and same["tiles"] and layer["shape"] == same["shape"]:
            cut = "alike" if _cut(layer) == _cut(same) else "otherwise"
            found["fetched" if layer["name"] in late else cut].append((mine / other, layer["name"]))
    return {kind: sorted(ratios) for kind, ratios in found.items()}


def _stalled(row: Facts) -> set[str]:
    return set(row["streamed"]["stalls"]) if row["streamed"] else set()


def _cut(layer: Facts) -> tuple[Any, ...]:
    """Sizes of its tiles and their order."""
    tiles = layer["tiles"]
    return tuple(tiles["tile"]), tiles["count"], tiles["count"] == 1 or tiles["channels_inner"]


def _slower(ratios: Sequence[Ratio]) -> list[Ratio]:
    return [found for found in reversed(ratios) if found[0] > 1]

"""Networks in tiles in Markdown: a row a network and setting, then kinds, tilers and layers."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.bundle_facts import LaunchRow
from deployer.tools.bench.facts import (
    TilersFacts,
    TilesKindFacts,
    TilesRowFacts,
    TilesRunFacts,
    TilesTable,
)
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.row import EXACT
from deployer.tools.bench.tiles_facts import counted

_KINDS = (
    *("operator", "kernel", "layers", "MACs", "cycles", "MAC/cycle", "estimated"),
    *("simulated / estimated", "least", "most"),
)
_AGAINST = (
    "network",
    "tiler",
    "its cycles / ours",
    "cut otherwise",
    "ours slower in",
    "worst",
    "best",
)
_KINDS_OF_CUT = {
    "otherwise": "with other tiles",
    "alike": "with the same tiles",
    "fetched": "that wait for weights",
}
_LAYERS = (
    *("layer", "kernel", "output", "tile", "tiles", "bytes", "in", "out", "MACs", "cycles"),
    *("MAC/cycle", "estimated", "busy", "waits"),
)


def tiles_markdown(facts: TilesTable, *, layers: bool = False) -> str:
    """With ``layers`` a table of every row's layers, too."""
    parts = [
        "\n".join(markdown_table(_head(facts), [_row(facts, row) for row in facts["rows"]])),
        *_part(_KINDS, [_kind(kind) for kind in facts["kinds"]]),
        *_part(_AGAINST, [_pair(pair) for pair in facts["against"]]),
        *(["\n".join(map(_slower, facts["against"]))] if facts["against"] else []),
        *(_layers(row) for row in facts["rows"] if layers and row["layers"]),
        "\n".join(_notes(facts)),
    ]
    return "\n\n".join(parts) + "\n"


def _part(head: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    return ["\n".join(markdown_table(head, rows))] if rows else []


def _runners(facts: TilesTable) -> list[str]:
    return list(dict.fromkeys(run["runner"] for row in facts["rows"] for run in row["runs"]))


def _head(facts: TilesTable) -> list[str]:
    memories = facts["memories"]
    head = ["network", "tiler", memories["inner"], memories["outer"], "MACs"]
    for index, runner in enumerate(_runners(facts)):
        head += [f"cycles, {runner}", "MAC/cycle", "ms", *(["of the first"] if index else [])]
    fetched = ["fetched, B", "stalls"] if _fetches(facts) else []
    return [*head, "in tiles", "estimated", "simulated / estimated", "waits", *fetched, "outcome"]


def _fetches(facts: TilesTable) -> bool:
    return any(row["streamed"] for row in facts["rows"])


def _row(facts: TilesTable, row: TilesRowFacts) -> list[str]:
    head = [row["network"], row["tiler"], _kib(row["inner"]), _kib(row["outer"])]
    cells = [*head, f"{row['macs']:,}" if row["macs"] else ""]
    runs = {run["runner"]: run for run in row["runs"]}
    for index, runner in enumerate(_runners(facts)):
        cells += _run(facts, row, runs.get(runner), index)
    return [*cells, *_estimate(row), *(_fetched(row) if _fetches(facts) else []), _outcome(row)]


def _fetched(row: TilesRowFacts) -> list[str]:
    if row["streamed"] is None:
        return ["", ""]
    estimate = row["estimate"]
    return [f"{row['streamed']['bytes']:,}", f"{estimate['stalled'] / estimate['cycles']:.1%}"]


def _run(facts: TilesTable, row: TilesRowFacts, run: TilesRunFacts | None, index: int) -> list[str]:
    if run is None or not run["cycles"]:
        return [""] * (4 if index else 3)
    cycles, first = run["cycles"], row["runs"][0]["cycles"]
    ms = f"{1000 * cycles / facts['clock_hz']:.3g}"
    share = [f"{cycles / first:.1%}" if first else ""] if index else []
    return [f"{cycles:,}", _rate(row["macs"], cycles), ms, *share]


def _estimate(row: TilesRowFacts) -> list[str]:
    """Share of the cycles in tiles, estimate, ratio, share of waiting."""
    estimate = row["estimate"]
    first = row["runs"][0] if row["runs"] else None
    if not estimate["cycles"]:
        return [""] * 4
    waits = f"{estimate['waiting'] / estimate['cycles']:.1%}"
    if first is None or not first["cycles"] or first["tiled"] is None:
        return ["", f"{estimate['cycles']:,}", "", waits]
    ratio = f"{first['tiled'] / estimate['cycles']:.2f}"
    share = f"{first['tiled'] / first['cycles']:.0%}"
    return [share, f"{estimate['cycles']:,}", ratio, waits]


def _outcome(row: TilesRowFacts) -> str:
    if row["outcome"] == EXACT:
        return EXACT
    bad = [f"{run['runner']} {run['detail']}" for run in row["runs"] if run["outcome"] != EXACT]
    said = row["detail"] or "; ".join(bad)
    return f"**{row['outcome']}** {said}".rstrip().replace("\n", " ").replace("|", "/")


def _kind(kind: TilesKindFacts) -> list[str]:
    cycles, estimated = kind["cycles"], kind["estimated"]
    cells = [kind["op"], kind["kernel"], str(kind["layers"]), f"{kind['macs']:,}", f"{cycles:,}"]
    cells += [_rate(kind["macs"], cycles)]
    if estimated is None:
        return [*cells, "", "no tiles", "", ""]
    ends = [f"{ratio:.2f} {where}" for ratio, where in (kind["least"], kind["most"])]
    return [*cells, f"{estimated:,}", f"{cycles / estimated:.2f}", *ends]


def _pair(pair: TilersFacts) -> list[str]:
    sizes = _place(pair)
    ends = [_end(pair["worst"]), _end(pair["best"])]
    ratio = f"{pair['theirs'] / pair['ours']:.3f}"
    return [sizes, pair["tiler"], ratio, str(pair["layers"]), str(pair["slower"]), *ends]


def _place(facts: TilersFacts) -> str:
    return f"{facts['network']}, {_kib(facts['inner'])} of {_kib(facts['outer'])}"


def _slower(pair: TilersFacts) -> str:
    """Of all layers in tiles, those that take our tiler longer."""
    found = pair["slower_layers"]
    told = [
        _counted(found[key], kind)
        for key, kind in _KINDS_OF_CUT.items()
        if found[key] or key != "fetched"
    ]
    return f"- {_place(pair)}: layers slower than {pair['tiler']}: {', '.join(told)}"


def _counted(slower: list[tuple[float, str]], kind: str) -> str:
    return f"{len(slower)} {kind}" + (f" (worst {_end(slower[0])})" if slower else "")


def _end(found: tuple[float, str] | None) -> str:
    return f"{found[0] - 1:+.1%} {found[1]}" if found else ""


def _layers(row: TilesRowFacts) -> str:
    title = f"{row['network']}, tiler {row['tiler']}, {_kib(row['inner'])} of {_kib(row['outer'])}"
    pairs = list(counted(row)) or [(layer, 0) for layer in row["layers"]]
    return "\n".join([title, "", *markdown_table(_LAYERS, (_layer(*pair) for pair in pairs))])


def _layer(layer: LaunchRow, cycles: int) -> list[str]:
    macs, tiles = layer["macs"], layer["tiles"]
    head = [layer["name"], layer["kernel"], _by(layer["shape"][1:])]
    work = [f"{macs:,}" if macs else "", f"{cycles:,}" if cycles else "", _rate(macs, cycles)]
    if tiles is None:
        return [*head, "", "", "", "", "", *work, "", "", ""]
    moved = [f"{size:,}" for size in (tiles["bytes"], tiles["bytes_in"], tiles["bytes_out"])]
    total = tiles["cycles"]
    shares = [f"{cycles / total:.0%}" for cycles in (tiles["compute"], tiles["waiting"])]
    return [*head, _by(tiles["tile"]), str(tiles["count"]), *moved, *work, f"{total:,}", *shares]


def _by(sizes: list[int]) -> str:
    return "x".join(map(str, sizes))


def _rate(macs: int, cycles: int) -> str:
    return f"{macs / cycles:.2f}" if macs and cycles else ""


def _kib(size: int) -> str:
    return f"{size / 1024:g} KiB" if size else ""


def _clocks(facts: TilesTable) -> str:
    clock = f"{facts['clock_hz'] / 1e6:g} MHz"
    if facts["fabric_hz"] == facts["clock_hz"]:
        return clock
    return f"{clock}, the core that leads and the outer memory at {facts['fabric_hz'] / 1e6:g} MHz"


def _notes(facts: TilesTable) -> Iterator[str]:
    runs = [run for row in facts["rows"] for run in row["runs"]]
    kinds = ", ".join(dict.fromkeys(f"{run['kind']} by {run['runner']}" for run in runs))
    inner = facts["memories"]["inner"]
    yield f"Cycles of one inference: {kinds}; ms at {_clocks(facts)}."
    yield (
        "Estimated: cycles of the layers in tiles, by the tiler; *waits*: share of them in which "
        "cores wait for transfers; *in tiles*: share of the cycles of the run."
    )
    if _fetches(facts):
        yield (
            "*fetched*: weights from the memory behind, in every inference; *stalls*: share of the "
            "estimate until they are there."
        )
    yield f"{inner}: with {facts['stacks']:,} B of stacks. Exact: every integer is the golden one."

"""Paper 001's tables 2.5 and 2.6, with what was measured here beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer.tools.bench.allocation import OURS, Result, Summary, summaries
from deployer.tools.bench.markdown import markdown_table

COLUMNS = ("gs-best", "gs-first", "gb-best", "gb-first", "b2sp")
_MIB = 1 << 20
# Published: MiB and seconds by COLUMNS, then by the paper's MILP; table 2.5.
TABLE_2_5 = {
    "GoogLeNet": ((1.15, 1.15, 1.15, 1.15, 1.15, 1.15), (0.01, 0.01, 0.01, 0.01, 0.02, 0.16)),
    "Inception-v3": ((1.98, 1.98, 2.05, 2.05, 1.98, 1.98), (0.01, 0.01, 0.02, 0.02, 0.03, 0.13)),
    "ResNet-18": ((0.96, 0.96, 0.96, 0.96, 0.96, 0.96), (0.01, 0.01, 0.01, 0.01, 0.02, 0.03)),
    "MobileNetV1": ((1.15, 1.15, 1.15, 1.15, 1.15, 1.15), (0.01, 0.01, 0.01, 0.01, 0.01, 0.06)),
    "MobileNetV2": ((1.44, 1.44, 1.63, 1.63, 1.44, 1.44), (0.01, 0.01, 0.01, 0.01, 0.02, 0.04)),
    "DenseNet-121": ((1.91, 1.91, 2.11, 2.11, 1.72, 1.72), (0.03, 0.03, 0.04, 0.04, 0.08, 0.52)),
}
# Published: by COLUMNS, bag of heuristics, MILP, over 845 networks; table 2.6.
TABLE_2_6 = {
    "optimal %": (32.4, 35.5, 31.1, 33.3, 34.3, 59.4, 100.0),
    "average overhead %": (10.6, 10.4, 12.9, 13.2, 14.1, 5.9, 0.0),
    "largest overhead %": (33.6, 33.6, 33.6, 33.6, 33.6, 25.0, 0.0),
    "worst s": (0.03, 0.03, 0.04, 0.03, 0.11, 0.24, 28.31),
    "average s": (0.02, 0.01, 0.02, 0.02, 0.03, 0.10, 1.69),
}


def allocation_markdown(results: Sequence[Result]) -> str:
    """Both tables; instances named as in table 2.5 stand beside their published rows."""
    return "\n".join([*_networks(results), "", *_sets(results), "", *_foot(results)]) + "\n"


def _networks(results: Sequence[Result]) -> Iterator[str]:
    yield "Table 2.5: MiB and CPU ms; the paper's line first."
    yield ""
    head = ["network", "tensors", "", "bound", *COLUMNS, "exact"]
    yield from markdown_table(head, _network_rows(results))


def _network_rows(results: Sequence[Result]) -> Iterator[list[str]]:
    published = {_plain(name): name for name in TABLE_2_5}
    for group, name in dict.fromkeys((row.group, row.name) for row in results):
        title = published.get(_plain(name))
        if title is None:
            continue
        rows = {row.solver: row for row in results if (row.group, row.name) == (group, name)}
        sizes, seconds = TABLE_2_5[title]
        cells = [f"{s:.2f} ({1e3 * t:.0f})" for s, t in zip(sizes, seconds, strict=True)]
        yield [title, "", "paper 001", "", *cells]
        ours = [rows[solver] for solver in (*COLUMNS, OURS)]
        bound = f"{rows[OURS].bound / _MIB:.2f}"
        cells = [f"{row.bytes / _MIB:.2f} ({1e3 * row.seconds:.1f})" for row in ours]
        yield [f"{group}/{name}", str(ours[0].buffers), "here", bound, *cells]


def _plain(name: str) -> str:
    return name.lower().replace("-", "")


def _sets(results: Sequence[Result]) -> Iterator[str]:
    yield "Table 2.6: sets of networks; the paper's 845 are not public, the sets here are others."
    yield ""
    rows = [["paper 001", "845", name, *map(str, row)] for name, row in TABLE_2_6.items()]
    for group, by_solver in summaries(results).items():
        columns = [by_solver[solver] for solver in (*COLUMNS, "bag", OURS)]
        rows += [[group, str(columns[0].instances), *row] for row in _set_rows(columns)]
    yield from markdown_table(["set", "instances", "", *COLUMNS, "bag", "exact"], rows)


def _set_rows(columns: Sequence[Summary]) -> Iterator[list[str]]:
    yield ["optimal %", *(f"{one.optimal:.1f}" for one in columns)]
    yield ["average overhead %", *(f"{one.average_overhead:.1f}" for one in columns)]
    yield ["largest overhead %", *(f"{one.worst_overhead:.1f}" for one in columns)]
    yield ["worst s", *(f"{one.worst_seconds:.4f}" for one in columns)]
    yield ["average s", *(f"{one.average_seconds:.4f}" for one in columns)]


def _foot(results: Sequence[Result]) -> Iterator[str]:
    ours = [row for row in results if row.solver == OURS]
    proven = sum(row.optimal for row in ours)
    mean = sum(row.seconds for row in ours) / len(ours)
    worst = max(ours, key=lambda row: row.seconds)
    yield f"{len(ours)} instances: {proven} optimal with proof, {len(ours) - proven} with a gap."
    yield (
        f"CPU time of {OURS}, measured: average {1e3 * mean:.2f} ms, worst "
        f"{1e3 * worst.seconds:.1f} ms ({worst.group}/{worst.name}); from the table's text to the "
        f"plan, OR-tools' import included where it is needed first."
    )
    yield f"{len(results)} placements checked by the validator, none wrong."

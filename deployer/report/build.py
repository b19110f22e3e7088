"""From a file of results to the files of a site."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deployer import __version__
from deployer.files import existing
from deployer.printed import label
from deployer.report.charts import charts
from deployer.report.columns import runs_table
from deployer.report.layer_costs import Roof, layer_facts, roofline_facts, roofs
from deployer.report.metrics import METRICS
from deployer.report.pages import page_files
from deployer.report.pareto import pareto_facts
from deployer.report.runs import Run, run_of
from deployer.report.scripts import plotting_script, require_library, script
from deployer.report.series import Series, series_of
from deployer.report.site_folder import check_site, write_site
from deployer.report.trend import trend_facts
from deployer_hil import Results

_RUNS_A_PART = 300  # of a script that a page loads when it needs it


def build_site(results: Path, folder: Path) -> int:
    """Write the site of the results to ``folder``; returns the number of runs.

    Raises UsageError for a file that holds no results, for a folder that holds files of others,
    and when the plotting library is not installed.
    """
    require_library()
    existing(results, "file of results")
    check_site(folder)
    with Results(results) as file:
        runs = [run_of(result) for result in file.all()]
    write_site(folder, site_files(runs, label(results.name)))
    return len(runs)


def site_files(runs: Sequence[Run], name: str) -> dict[str, str]:
    """Text by file name; ``name``: of the file that the runs come from."""
    series = series_of(runs)
    parts = list(_parts(series))
    place = {id(each): number for number, part in enumerate(parts) for each in part}
    about = {"name": name, "version": __version__, "runs": f"{len(runs):,}"}
    return {
        **page_files(about),
        "vega.js": plotting_script(),
        "charts.js": f"report.charts = {json.dumps(charts())};\n",
        "data-runs.js": script("runs", _index(runs, series, [place[id(each)] for each in series])),
        **_part_files(parts, roofs(series)),
    }


def _index(runs: Sequence[Run], series: Sequence[Series], parts: Sequence[int]) -> dict[str, Any]:
    """What every page reads."""
    return {
        "runs": runs_table(runs, series),
        "series": [_entry(*pair) for pair in zip(series, parts, strict=True)],
        "pareto": pareto_facts(series),
        "metrics": {m.key: {"title": m.title, "unit": m.unit} for m in METRICS},
    }


def _entry(series: Series, part: int) -> dict[str, Any]:
    names = ("model", "board", "runner", "kind", "counter", "variant")
    facts = {name: getattr(series, name) for name in names}
    return {**facts, "part": part, "runs": len(series.runs), "newest": series.newest.number}


def _parts(series: Sequence[Series]) -> Iterator[list[Series]]:
    """Neighbours together, until a part has many runs."""
    part: list[Series] = []
    for each in series:
        part.append(each)
        if sum(len(member.runs) for member in part) >= _RUNS_A_PART:
            yield part
            part = []
    if part:
        yield part


def _part_files(
    parts: Sequence[Sequence[Series]], over: Mapping[tuple[str, str, str, str], Roof]
) -> dict[str, str]:
    """The scripts with trends and layers, by the place of a series in its part."""
    return {
        f"data-{number}.js": script(
            str(number), [_series_facts(each, over.get(each.judged_by)) for each in part]
        )
        for number, part in enumerate(parts)
    }


def _series_facts(series: Series, roof: Roof | None) -> dict[str, Any]:
    return {
        "trend": trend_facts(series),
        "layers": layer_facts(series),
        "roofline": roofline_facts(series, roof),
    }

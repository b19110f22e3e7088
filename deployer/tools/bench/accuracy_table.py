"""The accuracy table as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from deployer.tools.bench.facts import AccuracyRowFacts, AccuracyTable
from deployer.tools.bench.markdown import markdown_table

_HEAD = ("network", "calibration", "equalized", "bias corrected", "top-1", "as float", "SQNR")


def accuracy_markdown(facts: AccuracyTable) -> str:
    """Float first, a line a variant, and below it what was measured on what."""
    real = ("float", "", "", "", _share(facts["float"]["top1"]), "", "")
    lines = markdown_table(_HEAD, [real, *(_cells(row) for row in facts["rows"])])
    return "\n".join([*lines, "", *_foot(facts)]) + "\n"


def _cells(row: AccuracyRowFacts) -> Iterator[str]:
    yield row["scheme"]
    yield row["calibrate"]
    if row["error"]:
        yield from ("", "", "", "", f"**{row['error']}**")
        return
    yield "yes" if row["equalize"] else "no"
    yield "yes" if row["bias_correction"] else "no"
    yield _share(row["top1"])
    yield _share(row["agreement"])
    yield "no noise" if row["sqnr_db"] is None else f"{row['sqnr_db']:.1f} dB"


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.2%}"


def _foot(facts: AccuracyTable) -> Iterator[str]:
    data, used = facts["data"], facts["calibration"]
    labels = f", {facts['labelled']} with a label" if facts["labelled"] else ", no labels"
    yield f"`{facts['model']}`, {data['samples']} samples of `{data['file']}`{labels}."
    if used["same"]:
        yield "Calibrated on the same samples."
    else:
        yield f"Calibrated on {used['samples']} samples of `{used['file']}`."
    yield "Integers computed on the host; a board gives the same, bit for bit."

"""The report of a run in a terminal: layers, totals, accuracy, verdict."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from deployer.bundle_facts import CodeFacts
from deployer.cli.plan_rows import (
    copied_rows,
    layer_cells,
    prefetch_rows,
    restructured_rows,
    shared_rows,
    spilled_rows,
    wait_rows,
)
from deployer.cli.terminal import named_columns, terminal
from deployer.pipeline import AccuracyFacts, FloatFacts, GoldenFacts, ImageFacts, Report
from deployer.units import CounterUnit, FigureKind, format_bytes
from deployer_hil import TOLERANCE

_FLOATS = "float32"  # the widths of a float network: its layers are held to a second run alone


def print_report(report: Report) -> None:
    """The layers, then one block of totals, then the verdict."""
    console = terminal()
    console.print(_layer_table(report))
    console.print(_summary(report))
    if report["accuracy"]:
        console.print(_accuracy_table(report["accuracy"], _method(report)))
    for text in report["warnings"]:
        console.print(Text(f"WARNING: {text}", style="bold yellow"), soft_wrap=True)
    console.print(_verdict(report["golden"], report["widths"]))


def _layer_table(report: Report) -> Table:
    counter = report["counter"]
    names = ("#", "layer", "operator", "output", "bits", "MACs", "kernel", "SQNR", "match")
    table = named_columns(*names, title=f"{report['model']['name']} on {report['board']}")
    counted = counter["kind"] != FigureKind.NONE
    if counted:
        table.add_column(f"{counter['kind']} {counter['unit']}", justify="right")
    match = "repeats" if report["widths"] == _FLOATS else "exact"
    for row in report["layers"]:
        sqnr = "" if row["sqnr_db"] is None else f"{row['sqnr_db']:.1f} dB"
        verdict = match if row["match"] else "DIFFERS"
        count = [f"{row['count']:,}"] if counted else []
        table.add_row(*layer_cells(row), sqnr, verdict, *count)
    return table


def _summary(report: Report) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, text in _summary_rows(report):
        table.add_row(name, Text(text))
    return table


def _summary_rows(report: Report) -> list[tuple[str, str]]:
    model, memory = report["model"], report["memory"]
    used = memory["stack_used"]
    painted = f" ({format_bytes(used)} used, painted)" if used is not None else ""
    rows = [
        ("model", f"{model['macs']:,} MACs, {model['parameters']:,} parameters"),
        ("runs on", _machine(report)),
        *_image_rows(report.get("image")),
        (
            "RAM",
            f"{format_bytes(memory['ram_network'])} = arena {format_bytes(memory['arena'])} "
            f"[{memory['status']}] + stack {format_bytes(memory['stack'])}{painted}; "
            f"with the harness {format_bytes(memory['ram'])}: static "
            f"{format_bytes(memory['static'])}, copy of the input "
            f"{format_bytes(memory['input_copy'])} in {memory['input_copy_in']}",
        ),
        (
            "flash",
            f"{format_bytes(memory['flash'])} = weights {format_bytes(memory['weights'])} "
            f"+ code {format_bytes(memory['code'])}",
        ),
        *wait_rows(memory["arena_by_memory"], memory["waits"]),
        *copied_rows(memory["copied_weights"]),
        *prefetch_rows(memory.get("streamed")),
        *spilled_rows(memory.get("spilled")),
        *_itcm_rows(memory.get("hot_code")),
        *restructured_rows(report["restructured"]),
        *shared_rows(report["shared"]),
        ("limits", ", ".join(f"{k} {format_bytes(v)}" for k, v in memory["limits"].items())),
        ("float", _float_text(report["float"])),
    ]
    return [*rows, *_count_rows(report)]


def _image_rows(image: ImageFacts | None) -> list[tuple[str, str]]:
    """Said only where the image that ran is not the one that a board gets."""
    if image is None or image["of"] != "twin":
        return []
    return [("image", f"of the twin: {image['note']}")]


def _itcm_rows(facts: CodeFacts | None) -> list[tuple[str, str]]:
    """The code that start-up copies, and where."""
    if facts is None:
        return []
    count, text = len(facts["functions"]), format_bytes(facts["bytes"])
    return [("code", f"{text} in {facts['memory']}, copied at start-up: {count} functions")]


def _machine(report: Report) -> str:
    target = report["target"]
    twin = "" if target == report["board"] else f" ({target})"
    return f"{report['runner']}{twin}, {report['toolchain']['compiler']}"


def _float_text(facts: FloatFacts) -> str:
    sqnr = "exact" if facts["sqnr_db"] is None else f"SQNR {facts['sqnr_db']:.1f} dB"
    kind = "synthetic" if facts["synthetic"] else "calibration"
    agreement = f"top-1 agreement {facts['top1_agreement']:.1%}"
    return f"{sqnr}, {agreement} over {facts['samples']} {kind} samples"


def _count_rows(report: Report) -> list[tuple[str, str]]:
    counter = report["counter"]
    if counter["kind"] == FigureKind.NONE:
        why = report["device"].get("uncounted", "this runner has no timing")
        return [("time", f"not measured: {why}")]
    total = sum(row["count"] or 0 for row in report["layers"])
    text = f"{total:,} {counter['unit']} ({counter['kind']}) in all layers"
    if counter["unit"] == CounterUnit.CYCLES and counter["clock_hz"]:
        clock = counter["clock_hz"]
        text += f" = {1e3 * total / clock:.2f} ms at {clock / 1e6:g} MHz"
    if counter["unit"] == CounterUnit.NANOSECONDS:
        text += f" = {total / 1e6:.2f} ms"
    return [("cost", text)]


def _accuracy_table(accuracy: AccuracyFacts, method: str) -> Table:
    """Float and integers in one row; agreement is how often both give one class."""
    table = Table(title=f"accuracy on {accuracy['samples']} samples", title_justify="left")
    table.add_column("integers", overflow="fold")
    names = ("float", "host integer", "device", "agreement", "samples that differ from the host")
    for name in names:
        table.add_column(name, justify="right")
    scores = (accuracy["float"], accuracy["host_integer"], accuracy["device"])
    cells = ["no labels" if score is None else f"{score:.2%}" for score in scores]
    cells.append(f"{accuracy['agreement']:.2%}")
    table.add_row(method, *cells, str(accuracy["differing_samples"]))
    return table


def _method(report: Report) -> str:
    """How the integers were made: ``multiply-shift, int16, minmax``."""
    options = report["options"]
    found = options["calibration"]
    switched = {"equalized": found["equalize"], "biases corrected": found["bias_correction"]}
    extras = [text for text, made in switched.items() if made]
    return ", ".join([options["scheme"], report["widths"], found["calibrate"], *extras])


def _verdict(golden: GoldenFacts, widths: str) -> Text:
    scope = f"{golden['elements']:,} output elements of {golden['samples']} samples, every layer"
    if widths == _FLOATS:
        outputs = f"{golden['elements']:,} output elements of {golden['samples']} samples"
        if golden["match"]:
            return Text.assemble((f"within {TOLERANCE:g}", "bold green"), f": {outputs}")
        return Text.assemble(
            (f"NOT within {TOLERANCE:g}", "bold red"), f": {golden['differing']} of {outputs}"
        )
    if golden["match"]:
        return Text.assemble(("bit-exact", "bold green"), f": {scope}")
    where = f": first differing layer {golden['first_differing_layer']}"
    return Text.assemble(("NOT exact", "bold red"), where)

"""Reports and lists as terminal tables."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deployer.board.model import Board
from deployer.units import format_bytes


def print_report(report: dict[str, Any]) -> None:
    """The layers, then one block of totals, then the verdict."""
    console = _console()
    console.print(_layer_table(report))
    console.print(_summary(report))
    if report["accuracy"]:
        console.print(_accuracy_table(report["accuracy"]))
    console.print(_verdict(report["golden"]))


def _console() -> Console:
    """As wide as the terminal; 120 columns in a file or pipe."""
    return Console(width=None if sys.stdout.isatty() else 120, highlight=False)


def _layer_table(report: dict[str, Any]) -> Table:
    counter = report["counter"]
    names = ("#", "layer", "operator", "output", "MACs", "kernel", "SQNR", "match")
    table = _table(*names, title=f"{report['model']['name']} on {report['board']}")
    counted = counter["kind"] != "none"
    if counted:
        table.add_column(f"{counter['kind']} {counter['unit']}", justify="right")
    for row in report["layers"]:
        sqnr = "" if row["sqnr_db"] is None else f"{row['sqnr_db']:.1f} dB"
        verdict = "exact" if row["match"] else "DIFFERS"
        count = [f"{row['count']:,}"] if counted else []
        table.add_row(*_layer_cells(row), sqnr, verdict, *count)
    return table


def _table(*names: str, title: str | None = None) -> Table:
    """Columns of numbers are set flush right; the rest folds rather than being cut."""
    numeric = {"#", "MACs", "SQNR", "used", "of", "weights"}
    table = Table(title=title, title_justify="left")
    for name in names:
        table.add_column(name, justify="right" if name in numeric else "left", overflow="fold")
    return table


def _layer_cells(row: dict[str, Any]) -> list[str]:
    """Index, name, operator, output shape, MACs, the kernel's instruction set and variant."""
    return [
        str(row["index"]),
        row["name"],
        row["op"],
        "x".join(str(extent) for extent in row["shape"][1:]),
        f"{row['macs']:,}",
        row["kernel"].partition("__")[2],
    ]


def _summary(report: dict[str, Any]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, text in _summary_rows(report):
        table.add_row(name, Text(text))
    return table


def _summary_rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    model, memory = report["model"], report["memory"]
    used = memory["stack_used"]
    painted = f" ({format_bytes(used)} used, painted)" if used is not None else ""
    rows = [
        ("model", f"{model['macs']:,} MACs, {model['parameters']:,} parameters"),
        ("runs on", _machine(report)),
        (
            "RAM",
            f"{format_bytes(memory['ram'])} = arena {format_bytes(memory['arena'])} "
            f"[{memory['status']}] + static {format_bytes(memory['static'])} "
            f"+ stack {format_bytes(memory['stack'])}{painted}",
        ),
        (
            "flash",
            f"{format_bytes(memory['flash'])} = weights {format_bytes(memory['weights'])} "
            f"+ code {format_bytes(memory['code'])}",
        ),
        ("limits", ", ".join(f"{k} {format_bytes(v)}" for k, v in memory["limits"].items())),
        ("float", _float_text(report["float"])),
    ]
    return [*rows, *_count_rows(report)]


def _machine(report: dict[str, Any]) -> str:
    target = report["target"]
    twin = "" if target == report["board"] else f" ({target})"
    return f"{report['runner']}{twin}, {report['toolchain']['compiler']}"


def _float_text(facts: dict[str, Any]) -> str:
    sqnr = "exact" if facts["sqnr_db"] is None else f"SQNR {facts['sqnr_db']:.1f} dB"
    kind = "synthetic" if facts["synthetic"] else "calibration"
    agreement = f"top-1 agreement {facts['top1_agreement']:.1%}"
    return f"{sqnr}, {agreement} over {facts['samples']} {kind} samples"


def _count_rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    counter = report["counter"]
    if counter["kind"] == "none":
        return [("time", "not measured: this runner has no timing")]
    total = sum(row["count"] for row in report["layers"])
    text = f"{total:,} {counter['unit']} ({counter['kind']}) in all layers"
    if counter["unit"] == "cycles" and counter["clock_hz"]:
        clock = counter["clock_hz"]
        text += f" = {1e3 * total / clock:.2f} ms at {clock / 1e6:g} MHz"
    return [("cost", text)]


def _accuracy_table(accuracy: dict[str, Any]) -> Table:
    table = Table(title=f"accuracy on {accuracy['samples']} samples", title_justify="left")
    for name in ("float", "host integer", "device", "samples that differ from the host"):
        table.add_column(name, justify="right")
    scores = (accuracy["float"], accuracy["host_integer"], accuracy["device"])
    cells = ["no labels" if score is None else f"{score:.2%}" for score in scores]
    table.add_row(*cells, str(accuracy["differing_samples"]))
    return table


def _verdict(golden: dict[str, Any]) -> str:
    scope = f"{golden['elements']:,} output elements of {golden['samples']} samples, every layer"
    if golden["match"]:
        return f"[bold green]bit-exact[/]: {scope}"
    return f"[bold red]NOT exact[/]: first differing layer {golden['first_differing_layer']}"


def print_survey(facts: dict[str, Any]) -> None:
    """The layers, then what each memory holds."""
    console = _console()
    title = f"{facts['model']['name']} on {facts['board']}"
    layers = _table("#", "layer", "operator", "output", "MACs", "weights", "kernel", title=title)
    for row in facts["layers"]:
        index, name, op, shape, macs, kernel = _layer_cells(row)
        layers.add_row(index, name, op, shape, macs, f"{row['weight_bytes']:,}", kernel)
    console.print(layers)
    memories = _table("memory", "used", "of", "kind", "holds")
    for row in facts["memories"]:
        memories.add_row(
            row["memory"], f"{row['used']:,}", f"{row['size']:,}", row["kind"], row["holds"]
        )
    console.print(memories)
    arena, model = facts["arena"], facts["model"]
    console.print(f"{model['macs']:,} MACs, {model['parameters']:,} parameters")
    console.print(f"arena {format_bytes(arena['bytes'])}, {arena['status']}")
    console.print("[bold green]fits[/]")


def print_boards(boards: Sequence[Board]) -> None:
    table = Table()
    for name in ("board", "core", "clock", "memories", "runners"):
        table.add_column(name)
    for board in boards:
        memories = ", ".join(f"{m.name} {m.size >> 10:,} KiB" for m in board.memories)
        clock = f"{board.clock_hz / 1e6:g} MHz" if board.clock_hz else ""
        table.add_row(board.name, board.core, clock, memories, ", ".join(board.runners))
    _console().print(table)


def print_tools(rows: Sequence[dict[str, Any]], bench: Sequence[str]) -> None:
    """Tools with versions, what a missing one would enable, and what is on the desk."""
    console = _console()
    table = _table("tool", "version", "enables", "if missing")
    for row in rows:
        version = _short_version(row["version"]) if row["version"] else "[red]missing[/]"
        table.add_row(
            row["name"], version, row["enables"], "" if row["version"] else row["install"]
        )
    console.print(table)
    for line in bench:
        console.print(line, markup=False)


def _short_version(text: str) -> str:
    """The number in a ``--version`` line; packagers' own numbers stand in parentheses."""
    found = re.search(r"\d+(\.\d+)+", re.sub(r"\([^)]*\)", "", text)) or re.search(r"[\d.]+", text)
    return found[0] if found else text

"""Reports and lists as terminal tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from deployer.analysis.profile import Profile
from deployer.board.model import Board
from deployer.cli.terminal import styled, terminal
from deployer.drawing.memory_text import memory_text
from deployer.ir.plan import Waits
from deployer.units import format_bytes


def print_report(report: dict[str, Any]) -> None:
    """The layers, then one block of totals, then the verdict."""
    console = terminal()
    console.print(_layer_table(report))
    console.print(_summary(report))
    if report["accuracy"]:
        console.print(_accuracy_table(report["accuracy"], _method(report)))
    for text in report["warnings"]:
        console.print(Text(f"WARNING: {text}", style="bold yellow"), soft_wrap=True)
    console.print(_verdict(report["golden"]))


def _layer_table(report: dict[str, Any]) -> Table:
    counter = report["counter"]
    names = ("#", "layer", "operator", "output", "bits", "MACs", "kernel", "SQNR", "match")
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
    numeric = {"#", "bits", "MACs", "SQNR", "used", "of", "free", "weights", "share", "alive"}
    table = Table(title=title, title_justify="left")
    for name in names:
        table.add_column(name, justify="right" if name in numeric else "left", overflow="fold")
    return table


def _layer_cells(row: dict[str, Any]) -> list[str]:
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
        *_wait_rows(memory["arena_by_memory"], memory["waits"]),
        *_copied_rows(memory["copied_weights"]),
        *_streamed_rows(memory.get("streamed")),
        *_hot_rows(memory.get("hot_code")),
        *_restructured_rows(report["restructured"]),
        *_shared_rows(report["shared"]),
        ("limits", ", ".join(f"{k} {format_bytes(v)}" for k, v in memory["limits"].items())),
        ("float", _float_text(report["float"])),
    ]
    return [*rows, *_count_rows(report)]


def _image_rows(image: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Said only where the image that ran is not the one that a board gets."""
    if image is None or image["of"] != "twin":
        return []
    return [("image", f"of the twin: {image['note']}")]


def _wait_rows(heights: dict[str, int], waits: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What lies in which memory, and what that saves."""
    if waits is None:
        return []
    parts = ", ".join(f"{name} {format_bytes(size)}" for name, size in heights.items())
    return [("arena", f"{parts}; {Waits(**waits).text}")]


def _copied_rows(facts: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What start-up copies where, and what that saves."""
    if facts is None:
        return []
    parts = ", ".join(f"{format_bytes(n)} in {name}" for name, n in facts["by_memory"].items())
    text = f"{parts}, copied at start-up: {facts['saves']:,} cycles saved (estimated)"
    return [("weights", f"{text}; --place off leaves them where the image is")]


def _streamed_rows(facts: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What is fetched while the network runs, and how long that is waited for."""
    if facts is None:
        return []
    what = f"{format_bytes(facts['bytes'])} in {facts['memory']}, fetched in {facts['fetches']}"
    part = facts["stalled"] / facts["cycles"]
    waits = f"{facts['stalled']:,} cycles waited for ({part:.1%}, estimated)"
    return [("weights", f"{what} transfers; {waits}; {format_bytes(facts['resident'])} stay")]


def _hot_rows(facts: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The code that start-up copies, and where."""
    if facts is None:
        return []
    count, text = len(facts["functions"]), format_bytes(facts["bytes"])
    return [("code", f"{text} in {facts['memory']}, copied at start-up: {count} functions")]


def _restructured_rows(facts: dict[str, Any] | None) -> list[tuple[str, str]]:
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


def _shared_rows(facts: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The arena without and with values in each other's bytes, and how they share them."""
    if facts is None:
        return []
    words = {
        "in_place": "in place",
        "overlaps": "overlapping",
        "views": "views",
        "inside": "inside",
    }
    kinds = ", ".join(f"{facts[name]} {text}" for name, text in words.items() if facts[name])
    saved = facts["copies_saved"]
    copies = f"; {format_bytes(saved)} fewer to copy" if saved else ""
    arenas = [format_bytes(facts[name]) for name in ("arena_before", "arena")]
    return [("shared bytes", f"arena {arenas[0]} without, {arenas[1]} with: {kinds}{copies}")]


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


def _accuracy_table(accuracy: dict[str, Any], method: str) -> Table:
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


def _method(report: dict[str, Any]) -> str:
    """How the integers were made: ``multiply-shift, int16, minmax``."""
    options = report["options"]
    found = options["calibration"]
    switched = {"equalize": "equalized", "bias_correction": "biases corrected"}
    extras = [text for name, text in switched.items() if found[name]]
    return ", ".join([options["scheme"], report["widths"], found["calibrate"], *extras])


def _verdict(golden: dict[str, Any]) -> Text:
    scope = f"{golden['elements']:,} output elements of {golden['samples']} samples, every layer"
    if golden["match"]:
        return Text.assemble(("bit-exact", "bold green"), f": {scope}")
    where = f": first differing layer {golden['first_differing_layer']}"
    return Text.assemble(("NOT exact", "bold red"), where)


def print_survey(facts: dict[str, Any], profile: Profile) -> None:
    """The layers, memory over time, what each memory holds, totals, and whether it fits."""
    console = terminal()
    console.print(_survey_layers(facts))
    console.print(Text("\n".join(["", *profile_lines(profile), ""])), soft_wrap=True)
    memories = _table("memory", "used", "of", "free", "kind", "holds")
    for row in facts["memories"]:
        free = styled(f"{-row['excess']:,}", "" if row["excess"] <= 0 else "bold red")
        used = (f"{row['used']:,}", f"{row['size']:,}", free)
        memories.add_row(row["memory"], *used, row["kind"], row["holds"])
    console.print(memories)
    totals = Table.grid(padding=(0, 2))
    for name, text in _survey_totals(facts):
        totals.add_row(name, Text(text))
    console.print(totals)
    if facts["fits"]:
        console.print(styled("fits", "bold green"))
        return
    others = ", ".join(facts["other_boards"])
    where = f"; as it is, it fits {others}" if others else "; it fits no other board either"
    console.print(Text.assemble(("does not fit", "bold red"), where))


def _smallest_rows(sizes: dict[str, int | None] | None) -> list[tuple[str, str]]:
    if sizes is None:
        return []
    told = (
        f"{name} {format_bytes(size)}" if size else f"no size of {name} that was tried"
        for name, size in sizes.items()
    )
    return [("smallest", f"{', '.join(told)}; code is estimated")]


def _tile_rows(tiles: dict[str, Any] | None) -> list[tuple[str, str]]:
    if tiles is None:
        return []
    whole = f"; as a whole: {', '.join(tiles['whole'])}" if tiles["whole"] else ""
    smallest = format_bytes(tiles["smallest"])
    text = f"{tiles['steps']} steps in {tiles['memory']}, {smallest} of it would do{whole}"
    return [("tiles", text)]


def _survey_layers(facts: dict[str, Any]) -> Table:
    title = f"{facts['model']['name']} on {facts['board']}"
    before = ("#", "layer", "operator", "output", "bits", "MACs")
    layers = _table(*before, "share", "weights", "alive", "kernel", title=title)
    for row in facts["layers"]:
        *what, macs, kernel = _layer_cells(row)
        alive = f"{row['alive_bytes']:,}" + (" < peak" if row["peak"] else "       ")
        costs = (macs, f"{row['macs_share']:.1%}", f"{row['weight_bytes']:,}", alive)
        style = "bold" if row["peak"] else None
        layers.add_row(*what, *costs, kernel, style=style)
    return layers


def _survey_totals(facts: dict[str, Any]) -> list[tuple[str, str]]:
    model, size, arena = facts["model"], facts["bytes"], facts["arena"]
    peak = arena["peak"]
    alive = ", ".join(f"{name} {count:,}" for name, count in list(peak["alive"].items())[:6])
    return [
        ("operators", ", ".join(f"{count} {op}" for op, count in facts["operators"].items())),
        ("model", f"{model['macs']:,} MACs, {model['parameters']:,} parameters"),
        (
            "constants",
            f"weights {format_bytes(size['weights'])}, "
            f"requantization {format_bytes(size['requantization'])}",
        ),
        (
            "activations",
            f"{format_bytes(size['activations'])} in all, "
            f"the largest {format_bytes(size['largest_activation'])}",
        ),
        (
            "arena",
            f"{format_bytes(arena['bytes'])}, {arena['status']}; "
            f"no plan is smaller than {format_bytes(arena['bound'])}",
        ),
        *_wait_rows(arena["by_memory"], arena["waits"]),
        *_tile_rows(facts["tiles"]),
        *_smallest_rows(facts["smallest"]),
        *_copied_rows(facts["copied_weights"]),
        *_streamed_rows(facts["streamed"]),
        *_restructured_rows(facts["restructured"]),
        *_shared_rows(facts["shared"]),
        ("peak", f"step {peak['step']}, {peak['layer'] or 'the input'}: {alive}"),
    ]


def profile_lines(profile: Profile) -> list[str]:
    """Memory over time, in ASCII where the terminal has nothing else."""
    console = terminal()
    return memory_text(profile, width=console.width, unicode=not console.options.ascii_only)


def print_boards(boards: Sequence[Board]) -> None:
    table = Table()
    for name in ("board", "core", "clock", "memories", "runners"):
        table.add_column(name)
    for board in boards:
        memories = ", ".join(f"{m.name} {m.size >> 10:,} KiB" for m in board.memories)
        clock = f"{board.clock_hz / 1e6:g} MHz" if board.clock_hz else ""
        table.add_row(board.name, board.core, clock, memories, ", ".join(board.runners))
    terminal().print(table)


def print_tools(rows: Sequence[dict[str, Any]], bench: Sequence[str]) -> None:
    """Tools with versions, what a missing one would enable, and what is on the desk."""
    console = terminal()
    table = _table("tool", "version", "enables", "if missing")
    for row in rows:
        version = _version(row["version"])
        table.add_row(
            row["name"], version, row["enables"], "" if row["version"] else row["install"]
        )
    console.print(table)
    for line in bench:
        console.print(line, markup=False)


def _version(text: str) -> Text:
    return Text(_short_version(text)) if text else styled("missing", "red")


def _short_version(text: str) -> str:
    """The number in a ``--version`` line; packagers' own numbers stand in parentheses."""
    found = re.search(r"\d+(\.\d+)+", re.sub(r"\([^)]*\)", "", text)) or re.search(r"[\d.]+", text)
    return found[0] if found else text


def print_ops(facts: dict[str, Any]) -> None:
    """The support table, then the kernels of a board if there is one."""
    console = terminal()
    console.print(_onnx_table(facts))
    console.print(f"Every node needs {'; '.join(facts['every_node'])}.", markup=False)
    if not facts["kernels"]:
        return
    title = f"kernels of {facts['board']}, in order of preference"
    kernels = _table("IR operator", "kernels", "serves", title=title)
    for row in facts["kernels"]:
        symbols = Text("\n".join(row["symbols"])) or styled("none", "red")
        found = styled("no code", "dim") if row["alias"] else symbols
        kernels.add_row(row["operator"], found, ", ".join(row["serves"]))
    console.print(kernels)


def _onnx_table(facts: dict[str, Any]) -> Table:
    table = _table("ONNX operator", "becomes", "needs", title="supported ONNX operators")
    table.show_lines = True
    for row in facts["operators"]:
        needs = "\n".join(item["needs"] for item in row["constraints"])
        missing = (f"\nno kernel: {', '.join(row['without_kernel'])}", "red")
        name = Text.assemble(row["operator"], *([missing] if row["without_kernel"] else []))
        table.add_row(name, Text(row["becomes"]), Text(needs))
    return table

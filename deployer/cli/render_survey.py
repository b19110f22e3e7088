"""What a check found, in a terminal: layers, memory over time, totals, whether it fits."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from deployer.analysis import Profile
from deployer.cli.plan_rows import (
    copied_rows,
    flash_rows,
    kernel_code_rows,
    layer_cells,
    prefetch_rows,
    restructured_rows,
    shared_rows,
    spilled_rows,
    wait_rows,
)
from deployer.cli.terminal import named_columns, styled, terminal
from deployer.drawing import memory_text
from deployer.pipeline import FrontRow, SurveyFacts, TileFacts
from deployer.units import format_bytes


def print_survey(facts: SurveyFacts, profile: Profile) -> None:
    """The layers, memory over time, what each memory holds, totals, and whether it fits."""
    console = terminal()
    console.print(_survey_layers(facts))
    console.print(Text("\n".join(["", *profile_lines(profile), ""])), soft_wrap=True)
    memories = named_columns("memory", "used", "of", "free", "kind", "holds")
    for row in facts["memories"]:
        free = styled(f"{-row['excess']:,}", "" if row["excess"] <= 0 else "bold red")
        used = (f"{row['used']:,}", f"{row['size']:,}", free)
        memories.add_row(row["memory"], *used, row["kind"], row["holds"])
    console.print(memories)
    totals = Table.grid(padding=(0, 2))
    for name, text in _survey_totals(facts):
        totals.add_row(name, Text(text))
    console.print(totals)
    if facts["front"]:
        console.print(_front_table(facts["front"]))
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


def _faster_rows(facts: SurveyFacts) -> list[tuple[str, str]]:
    """Where the smallest arena is far slower than one of some bytes more."""
    found = facts["faster"]
    if found is None:
        return []
    return [
        (
            "faster",
            f"this arena costs {_cycles(found['cycles'])}; --ram {found['arena']} takes "
            f"{format_bytes(found['arena'])} and {_cycles(found['faster_cycles'])}",
        )
    ]


def _cycles(count: int) -> str:
    return f"{count / 1e6:.2f} M cycles (estimated)"


def _front_table(rows: Sequence[FrontRow]) -> Table:
    """Plans by falling arena; the balanced one stands out."""
    columns = ("arena", "flash", "cycles, estimated", "ms, estimated", "regions", "option")
    table = named_columns(*columns, title="plans that no other beats")
    for row in rows:
        times = (f"{row['cycles']:,}", f"{row['ms']:.2f}")
        sizes = (f"{row['arena']:,}", f"{row['flash']:,}")
        option = f"--ram {row['arena']}" + (", balanced" if row["balanced"] else "")
        style = "bold" if row["balanced"] else None
        table.add_row(*sizes, *times, str(row["regions"]), option, style=style)
    return table


def _tile_rows(tiles: TileFacts | None) -> list[tuple[str, str]]:
    if tiles is None:
        return []
    whole = f"; as a whole: {', '.join(tiles['whole'])}" if tiles["whole"] else ""
    smallest = format_bytes(tiles["smallest"])
    text = f"{tiles['steps']} steps in {tiles['memory']}, {smallest} of it would do{whole}"
    return [("tiles", text)]


def _survey_layers(facts: SurveyFacts) -> Table:
    title = f"{facts['model']['name']} on {facts['board']}"
    before = ("#", "layer", "operator", "output", "bits", "MACs")
    layers = named_columns(*before, "share", "weights", "alive", "kernel", title=title)
    for row in facts["layers"]:
        *what, macs, kernel = layer_cells(row)
        alive = f"{row['alive_bytes']:,}" + (" < peak" if row["peak"] else "       ")
        costs = (macs, f"{row['macs_share']:.1%}", f"{row['weight_bytes']:,}", alive)
        style = "bold" if row["peak"] else None
        layers.add_row(*what, *costs, kernel, style=style)
    return layers


def _survey_totals(facts: SurveyFacts) -> list[tuple[str, str]]:
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
        *wait_rows(arena["by_memory"], arena["waits"]),
        *flash_rows(facts["flash"]),
        *kernel_code_rows(facts["kernel_code"]),
        *_tile_rows(facts["tiles"]),
        *_smallest_rows(facts["smallest"]),
        *_faster_rows(facts),
        *copied_rows(facts["copied_weights"]),
        *prefetch_rows(facts["streamed"]),
        *spilled_rows(facts["spilled"]),
        *restructured_rows(facts["restructured"]),
        *shared_rows(facts["shared"]),
        ("peak", f"step {peak['step']}, {peak['layer'] or 'the input'}: {alive}"),
    ]


def profile_lines(profile: Profile) -> list[str]:
    """Memory over time, in ASCII where the terminal has nothing else."""
    console = terminal()
    return memory_text(profile, width=console.width, unicode=not console.options.ascii_only)

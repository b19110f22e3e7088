"""Counted instructions and estimated cycles of networks, in Markdown and as JSON types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deployer import __version__
from deployer.board import OuterCache
from deployer.tools.bench.facts import LayerFacts, ModelTimeTable, NetworkFacts, OuterFacts
from deployer.tools.bench.markdown import markdown_table
from deployer.tools.bench.model_time import ModelTime
from deployer.tools.timing import Machine
from deployer.units import FigureKind

MODEL_TIME_SCHEMA = 1
HEAD = (
    *("layer", "kernel", "shape", "MACs", "instructions", "i/MAC", "core c/MAC", "c/MAC"),
    *("ms", "floor c/MAC", "reached"),
)
_PER_ELEMENT = "/el"  # where nothing multiplies


def model_time_facts(machine: Machine, networks: Sequence[ModelTime]) -> ModelTimeTable:
    """With what the figures stand on, and of which kind they are."""
    return {
        "schema": MODEL_TIME_SCHEMA,
        "deployer": __version__,
        "board": machine.name,
        "clock_hz": machine.clock_hz,
        "kinds": {"instructions": FigureKind.COUNTED, "cycles": FigureKind.ESTIMATED},
        "costs": {
            "misprediction": machine.costs.misprediction,
            "data_miss": machine.costs.data_miss,
            "fetch_miss": machine.costs.fetch_miss,
            "source": machine.source,
            "outer": _outer(machine.outer),
        },
        "pipeline": machine.pipeline.name,
        "mac_cycles": machine.pipeline.mac_cycles,
        "issue_rules": machine.pipeline.rules,
        "credits_pld": machine.credits_pld,
        "error": machine.error,
        "ratio_error": machine.ratio_error,
        "networks": [network.facts for network in networks],
    }


def _outer(outer: OuterCache | None) -> OuterFacts | None:
    if outer is None:
        return None
    return {
        "miss": outer.miss,
        "streamed": outer.streamed,
        "streamed_miss": outer.streamed_miss,
        "source": outer.source,
    }


def model_time_markdown(facts: ModelTimeTable, *, loops: bool = False) -> str:
    """A table a network, with ``loops`` its inner loops, and below them what the figures are."""
    parts = []
    for network in facts["networks"]:
        parts += [
            _network(facts, network),
            *(map(_loop, filter(_runs, network["layers"])) if loops else []),
        ]
    return "\n\n".join([*parts, "\n".join(footnotes(facts))]) + "\n"


def _network(facts: ModelTimeTable, network: NetworkFacts) -> str:
    rows = [layer_cells(facts, layer) for layer in network["layers"]]
    title = f"{network['name']} on {facts['board']}: {headline(facts, network)}"
    return "\n".join([title, "", *markdown_table(HEAD, [*rows, _all(facts, network)])])


def _runs(layer: LayerFacts) -> bool:
    """A step whose bytes lie in place already has no code."""
    return bool(layer["core"])


def _loop(layer: LayerFacts) -> str:
    loop = layer["loop"]
    share = loop["cycles"] * loop["count"] / layer["core"]
    title = (
        f"{layer['name']}, {loop['function']}: {len(loop['lines'])} instructions in "
        f"{loop['cycles']:g} cycles (estimated), {loop['count']:,} times, {share:.0%} of core"
    )
    return "\n".join([title, "", *(f"    {line}" for line in loop["lines"])])


def headline(facts: ModelTimeTable, network: NetworkFacts) -> str:
    """``estimated 41.4 ms ± 15%, 0.72 cycles a MAC; counted 1.29 instructions a MAC``."""
    total, macs = network["total"], max(network["macs"], 1)
    time = f"estimated {_ms(facts, total['cycles'])} ms ± {facts['error']:.0%}"
    cycles, counted = total["cycles"] / macs, total["instructions"] / macs
    code = f"{network['kernel_bytes']:,} B of code in kernels"
    return f"{time}, {cycles:.2f} cycles a MAC; counted {counted:.2f} instructions a MAC; {code}"


def layer_cells(facts: ModelTimeTable, layer: LayerFacts) -> list[str]:
    work = layer["macs"] or layer["elements"]
    unit = "" if layer["macs"] else _PER_ELEMENT
    counts = layer["instructions"], layer["core"], layer["cycles"]
    return [
        layer["name"],
        layer["kernel"],
        layer["geometry"],
        f"{layer['macs']:,}" if layer["macs"] else "",
        f"{layer['instructions']:,}",
        *(f"{count / work:.2f}{unit}" for count in counts),
        _ms(facts, layer["cycles"]),
        *_roofline(layer["floor"], layer["cycles"], layer["macs"]),
    ]


def _all(facts: ModelTimeTable, network: NetworkFacts) -> list[str]:
    _, *rest = total_cells(facts, network)
    return ["**all**", "", "", *rest]


def total_cells(facts: ModelTimeTable, network: NetworkFacts) -> list[str]:
    """The network's name and what its layers come to."""
    total, macs = network["total"], network["macs"]
    counts = total["instructions"], total["core"], total["cycles"]
    per = [f"{count / max(macs, 1):.2f}" for count in counts]
    head = [network["name"], f"{macs:,}", f"{total['instructions']:,}"]
    floor = _roofline(total["floor"], total["cycles"], macs)
    return [*head, *per, _ms(facts, total["cycles"]), *floor]


def _roofline(floor: float | None, cycles: float, macs: int) -> list[str]:
    if not floor or not macs:
        return ["", ""]
    return [f"{floor / macs:.2f}", f"{floor / cycles:.0%}"]


def _ms(facts: ModelTimeTable, cycles: float) -> str:
    return f"{1000 * cycles / facts['clock_hz']:.3g}"


def footnotes(facts: ModelTimeTable) -> Iterator[str]:
    costs, error = facts["costs"], facts["error"]
    yield (
        f"Instructions are counted, exactly. Cycles and ms are estimated, ± {error:.0%}, ratios of "
        f"kernels of one kind ± {facts['ratio_error']:.0%}: one warm inference at "
        f"{facts['clock_hz'] / 1e6:g} MHz."
    )
    yield (
        "*core*: a model of the pipeline with ideal memory; with it "
        f"{costs['misprediction']:g} cycles a misprediction, {costs['data_miss']:g} a data miss, "
        f"{costs['fetch_miss']:g} a fetch miss ({costs['source']})."
    )
    if outer := costs["outer"]:
        yield (
            f"A line that the second cache lacks: {outer['miss']:g} cycles more. Lines asked for "
            f"ahead: at least {outer['streamed']:g} cycles each, {outer['streamed_miss']:g} from "
            f"memory ({outer['source']})."
        )
    yield (
        f"Issue rules of the core: {facts['issue_rules']}; a PLD "
        f"{'brings its line' if facts['credits_pld'] else 'brings nothing'}."
    )
    yield (
        f"*floor*: {facts['mac_cycles']:g} cycles a MAC or the weights read once; *reached*: its "
        f"share of the cycles. {_PER_ELEMENT}: an element written, where nothing multiplies."
    )
    yield from made_with(facts["networks"])
    unknown = sorted({name for network in facts["networks"] for name in network["unknown"]})
    if unknown:
        yield f"**No rule** of the pipeline for: {', '.join(unknown)}; priced as additions."


def made_with(networks: Sequence[NetworkFacts]) -> Iterator[str]:
    """Compilers with their flags, emulators."""
    for compiler, flags in dict.fromkeys((n["compiler"], tuple(n["flags"])) for n in networks):
        yield f"Compiled by {compiler}, {' '.join(flags)}."
    yield f"Counted in {', '.join(dict.fromkeys(n['tool'] for n in networks))}."

"""``--scheme float``: the float network itself in place of integers (docs/float.md)."""

from __future__ import annotations

from dataclasses import replace

from deployer.board import Board
from deployer.choices import KernelPolicy, Objective, Restructuring
from deployer.errors import ModelError, UsageError
from deployer.ir import COMPOSED, Graph, TableAttrs, verify
from deployer.pipeline.artifacts import Quantized
from deployer.pipeline.facts import QuantFacts
from deployer.pipeline.golden import quantize_inputs
from deployer.pipeline.options import Options
from deployer.quantize import Samples

FAMILY = "fp32"  # kernels of floats: a board that lists them runs float networks
_HOW = "leave the option out, or use another --scheme"


def for_floats(options: Options, board: Board, target: Board) -> Options:
    """``options`` as a float network takes them: whole layers, the first kernel of the list.

    Raises UsageError for a board without kernels of floats, and for options that decide integers or
    run layers piece by piece.
    """
    for each in (board, target):
        if FAMILY not in each.kernels:
            raise UsageError(
                f"{each.name} has no kernels for --scheme float",
                why=[f"its kernels are {', '.join(each.kernels)}: all compute integers"],
                hints=["--board host and rpi3 run float networks", "leave --scheme out"],
            )
    _require_plain(options)
    return replace(options, restructure=Restructuring.OFF, choose=KernelPolicy.FIRST)


def _require_plain(options: Options) -> None:
    integers, plain = "it decides how reals become integers", Options()
    for name in ("requant", "calibrate", "bits", "bits_of", "mixed", "equalize", "bias_correction"):
        if getattr(options, name) != getattr(plain, name):
            raise _refused(name, integers)
    if options.tuned is not None:
        raise _refused("tuned", "a fine-tuned network is an integer network")
    pieces = "float layers run whole: the runtime of regions moves integers"
    if options.restructure not in (Restructuring.AUTO, Restructuring.OFF):
        raise _refused("restructure", pieces)
    if options.stream_input:
        raise _refused("stream_input", pieces)
    if options.optimize not in (Objective.TIME, Objective.RAM):
        raise _refused("optimize", "the board states no cost of float kernels to weigh")


def _refused(name: str, why: str) -> UsageError:
    flag = f"--{name.replace('_', '-')}"
    return UsageError(f"{flag} is not for --scheme float", why=[why], hints=[_HOW])


def float_graph(graph: Graph) -> Graph:
    """``graph`` as its kernels compute it. Raises ModelError for one that states integers, or has
    functions that no kernel of floats has."""
    _require_known_functions(graph)
    stated = [name for name, value in graph.values.items() if value.quant is not None]
    if stated:
        raise ModelError(
            f"{graph.name} states its quantization: there is no float network in it",
            why=[f"{stated[0]} and {len(stated) - 1} others are integers in the model"],
            hints=["leave --scheme out, or give the float network"],
        )
    return verify(graph)


def _require_known_functions(graph: Graph) -> None:
    """An expression is a table of integers."""
    tables = (node for node in graph.nodes if isinstance(node.attrs, TableAttrs))
    found = [node.name for node in tables if node.attrs.function == COMPOSED]
    if found:
        raise ModelError(
            f"{graph.name} has functions that --scheme float does not",
            why=[f"Table {name!r}, of several nodes of the model" for name in found],
            hints=["leave --scheme out: integers look it up"],
        )


def float_quantized(graph: Graph, samples: Samples, golden: int) -> Quantized:
    """What the quantize stage leaves of a float network: the graph, and ``golden`` inputs."""
    real = float_graph(graph)
    first = {name: array[:golden] for name, array in samples.arrays.items()}
    report: QuantFacts = {
        "calibration": {
            "source": samples.source,
            "sha256": samples.sha256 or "",
            "synthetic": samples.synthetic,
            "calibrate": "none",
            "percentile": None,
            "equalize": False,
            "bias_correction": False,
        },
        "layers": [],
        "outputs": [
            {"sqnr_db": None, "max_abs_error": 0.0, "top1_agreement": 1.0} for _ in graph.outputs
        ],
        "samples": samples.count,
        "warnings": [],
    }
    return Quantized(real, report, quantize_inputs(real, first))

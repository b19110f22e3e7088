"""Post-training quantization: a float graph and sample inputs to an integer graph and a report."""

from __future__ import annotations

from dataclasses import dataclass, replace

from deployer.errors import UsageError
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize.calibrate import Progress, calibrate, no_progress
from deployer.quantize.compare import compare
from deployer.quantize.fixed_point import fixed_point
from deployer.quantize.hoist import hoist_clamps
from deployer.quantize.integer_graph import IntegerGraph, assemble
from deployer.quantize.layers import OWN_RANGE
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.preconditions import check_graph
from deployer.quantize.report import QuantReport, layer_reports
from deployer.quantize.samples import SYNTHETIC_NOTE, Samples
from deployer.quantize.scheme import Scheme

SCHEMES = ("multiply-shift", "power-of-two")
REQUANT = ("auto", "i32", "q16")


@dataclass(frozen=True)
class QuantOptions:
    """``scheme`` is one of SCHEMES, ``requant`` one of REQUANT.

    ``bias_correction`` takes the mean error of rounded weights out of the biases. The report
    compares at most ``report_samples`` of the samples.
    """

    scheme: str = "multiply-shift"
    requant: str = "auto"
    bias_correction: bool = True
    report_samples: int = 256


@dataclass(frozen=True, eq=False)
class QuantResult:
    """``graph`` has the float graph's nodes and names, in int8, verified."""

    graph: Graph
    report: QuantReport


def quantize(
    graph: Graph,
    samples: Samples,
    options: QuantOptions,
    *,
    reference: Graph | None = None,
    progress: Progress = no_progress,
) -> QuantResult:
    """Quantize float ``graph`` by the ranges its activations have on ``samples``.

    Activations and weights of ``graph`` whose values state a quantization keep it. The report
    compares with ``reference``, a float graph of the same nodes, by default ``graph`` itself.

    Raises UsageError for options that do not exist or go together, ModelError naming the layer
    that has no integers within int32 or no finite range.
    """
    scheme = choose_scheme(options)
    if samples.count == 0:
        raise UsageError("no samples to calibrate with", why=[f"from {samples.source}"])
    check_graph(graph)
    real = hoist_clamps(graph)
    spreads = calibrate(real, samples.arrays, progress=progress)
    stated = stated_quantization(real)
    owners = {node.output for node in real.nodes if node.op in OWN_RANGE} | set(real.inputs)
    own = {name: s for name, s in spreads.items() if name in owners and name not in stated}
    found = scheme.activations(real, samples.arrays, own, progress) if own else {}
    activations = {**found, **stated}
    means = {name: spread.mean for name, spread in spreads.items()}
    assembled = assemble(real, activations, scheme, means=means if options.bias_correction else {})
    shown = real if reference is None else hoist_clamps(reference)
    # samples that calibrated nothing need no warning
    judged = replace(samples, synthetic=samples.synthetic and bool(own))
    return _reported(shown, assembled, judged, options, progress)


def stated_quantization(graph: Graph) -> dict[str, QuantParams]:
    """The quantization of every activation of a float graph that states one."""
    activations = (v for name, v in graph.values.items() if name not in graph.constants)
    return {value.name: value.quant for value in activations if value.quant is not None}


def choose_scheme(options: QuantOptions) -> Scheme:
    """The scheme the options name. Raises UsageError for a combination that does not exist."""
    if options.scheme not in SCHEMES:
        raise UsageError(
            f"unknown scheme {options.scheme!r}", hints=[f"schemes: {', '.join(SCHEMES)}"]
        )
    if options.requant not in REQUANT:
        raise UsageError(
            f"unknown requantization {options.requant!r}", hints=[f"rules: {', '.join(REQUANT)}"]
        )
    if options.scheme == "multiply-shift":
        return multiply_shift(options.requant)
    if options.requant != "auto":
        raise UsageError(
            f"the power-of-two scheme always shifts, it has no {options.requant} multipliers",
            hints=["leave --requant out, or use --scheme multiply-shift"],
        )
    return fixed_point()


def _reported(
    real: Graph,
    assembled: IntegerGraph,
    samples: Samples,
    options: QuantOptions,
    progress: Progress,
) -> QuantResult:
    shown = samples.first(options.report_samples)
    inputs, layers, outputs = compare(real, assembled.graph, shown.arrays, progress=progress)
    warnings = (SYNTHETIC_NOTE,) if samples.synthetic else ()
    report = QuantReport(
        scheme=options.scheme,
        requant=options.requant,
        samples=shown.count,
        inputs=inputs,
        layers=layer_reports(assembled.graph, layers, assembled.deviations),
        outputs=outputs,
        notes=(*warnings, *assembled.notes),
    )
    graph = replace(assembled.graph, notes=(*assembled.graph.notes, *warnings))
    return QuantResult(graph, report)

"""Post-training quantization: a float graph and sample inputs to an integer graph and a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from deployer.errors import UsageError
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from deployer.quantize.calibrate import Progress, Spread, calibrate, no_progress
from deployer.quantize.compare import compare
from deployer.quantize.equalize import equalize
from deployer.quantize.fixed_point import fixed_point
from deployer.quantize.hoist import hoist_clamps
from deployer.quantize.integer_graph import IntegerGraph, assemble
from deployer.quantize.layers import OWN_RANGE
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.preconditions import check_graph
from deployer.quantize.report import Decisions, QuantReport, layer_reports
from deployer.quantize.samples import SYNTHETIC_NOTE, Samples
from deployer.quantize.scheme import Scheme, known
from deployer.quantize.share import shared, with_pad_values
from deployer.quantize.thresholds import METHODS, Method, activation_scales
from deployer.quantize.tune import SWITCH, Choice, decide, options_of

SCHEMES = ("multiply-shift", "power-of-two")
REQUANT = ("auto", "i32", "q16")
CALIBRATE = ("auto", *METHODS)


@dataclass(frozen=True)
class QuantOptions:
    """``scheme`` is one of SCHEMES, ``requant`` one of REQUANT, ``calibrate`` one of CALIBRATE:
    auto is minmax for multiply-shift, mse for power-of-two. ``percentile`` is that method's.

    ``equalize`` evens out channels between layers; ``bias_correction`` takes the mean error of
    rounded weights out of the biases. Both are on, off or auto: on where held-out samples gain.
    The report compares at most ``report_samples`` of the samples.
    """

    scheme: str = "multiply-shift"
    requant: str = "auto"
    calibrate: str = "auto"
    percentile: float = 99.99
    equalize: str = "auto"
    bias_correction: str = "auto"
    report_samples: int = 256


@dataclass(frozen=True, eq=False)
class QuantResult:
    """``graph`` has the float graph's nodes and names, in int8, verified. ``real`` is the float
    graph it was made of, with channels evened out where that was decided."""

    graph: Graph
    report: QuantReport
    real: Graph


def quantize(
    graph: Graph,
    samples: Samples,
    options: QuantOptions,
    *,
    reference: Graph | None = None,
    progress: Progress = no_progress,
) -> QuantResult:
    """Quantize float ``graph`` by the ranges its activations have on ``samples``.

    Activations and weights of ``graph`` whose values state a quantization keep it, and then
    channels are not evened out. The report compares with ``reference``, a float graph of the same
    nodes, by default ``graph`` itself.

    Raises UsageError for options that do not exist or go together, ModelError naming the layer
    that has no integers within int32 or no finite range.
    """
    scheme = choose_scheme(options)
    if samples.count == 0:
        raise UsageError("no samples to calibrate with", why=[f"from {samples.source}"])
    check_graph(graph)
    flat = hoist_clamps(graph)
    plan = _Plan(flat, scheme, choose_method(options, scheme))
    stated = stated_quantization(flat)
    choice, trials = decide(flat, samples.arrays, _choices(flat, options, bool(stated)), plan.trial)
    real, integers = plan.prepare(choice.equalize, samples.arrays, progress)
    assembled = integers(choice.bias_correction)
    decided = Decisions(
        calibrate=plan.method.name,
        percentile=_percentile(plan.method),
        equalize=choice.equalize,
        bias_correction=choice.bias_correction,
        trials=trials,
    )
    shown = real if reference is None else hoist_clamps(reference)
    # samples that calibrated nothing need no warning
    judged = replace(samples, synthetic=samples.synthetic and bool(_owners(flat) - set(stated)))
    return QuantResult(*_reported(shown, assembled, judged, options, decided, progress), real)


def _choices(graph: Graph, options: QuantOptions, stated: bool) -> tuple[Choice, ...]:
    """The corrections left to decide; stated scales belong to the weights as they are."""
    if not stated:
        return options_of(graph, options.equalize, options.bias_correction)
    correction = "on" if options.bias_correction == "auto" else options.bias_correction
    return options_of(graph, "off", correction)


def stated_quantization(graph: Graph) -> dict[str, QuantParams]:
    """The quantization of every activation of a float graph that states one."""
    activations = (v for name, v in graph.values.items() if name not in graph.constants)
    return {value.name: value.quant for value in activations if value.quant is not None}


def _owners(graph: Graph) -> set[str]:
    """Activations with a quantization of their own."""
    return {node.output for node in graph.nodes if node.op in OWN_RANGE} | set(graph.inputs)


@dataclass(frozen=True, eq=False)
class _Plan:
    """Everything decided but the two corrections."""

    graph: Graph
    scheme: Scheme
    method: Method

    def prepare(
        self, evened: bool, arrays: Mapping[str, np.ndarray], progress: Progress = no_progress
    ) -> tuple[Graph, Callable[[bool], IntegerGraph]]:
        """The float graph, and what makes its integers, calibrated on ``arrays``, with or without
        bias correction."""
        real = equalize(self.graph) if evened else self.graph
        spreads = calibrate(real, arrays, progress=progress)
        scales = self._scales(real, arrays, spreads, progress)
        means = {name: spread.mean for name, spread in spreads.items()}
        return real, lambda corrected: assemble(
            real, scales, self.scheme, means=means if corrected else {}
        )

    def trial(self, evened: bool, arrays: Mapping[str, np.ndarray]) -> Callable[[bool], Graph]:
        _, integers = self.prepare(evened, arrays)
        return lambda corrected: integers(corrected).graph

    def _scales(
        self,
        real: Graph,
        arrays: Mapping[str, np.ndarray],
        spreads: Mapping[str, Spread],
        progress: Progress,
    ) -> dict[str, QuantParams]:
        """Of every activation with a quantization of its own."""
        stated = stated_quantization(real)
        fixed = {**known(self.scheme, real), **stated}
        owners = _owners(real)
        padded = with_pad_values(real, spreads)
        must_hold = {name for name in owners if _range(padded[name]) != _range(spreads[name])}
        for name in must_hold:
            fixed.setdefault(name, self.scheme.fit(padded[name].low, padded[name].high))
        free = {name: spread for name, spread in spreads.items() if name in owners - set(fixed)}
        scales = activation_scales(real, arrays, free, self.scheme, self.method, progress=progress)
        return {**shared(real, {**scales, **fixed}), **stated}


def choose_method(options: QuantOptions, scheme: Scheme) -> Method:
    """The calibration method the options name. Raises UsageError for what does not exist."""
    if options.calibrate not in CALIBRATE:
        raise UsageError(
            f"unknown calibration {options.calibrate!r}", hints=[f"methods: {', '.join(CALIBRATE)}"]
        )
    if not 50 < options.percentile <= 100:
        raise UsageError(
            f"a percentile of {options.percentile:g} is not above 50 and at most 100",
            hints=["99.99 cuts one value in ten thousand off at each end"],
        )
    for name, value in (
        ("equalize", options.equalize),
        ("bias correction", options.bias_correction),
    ):
        if value not in SWITCH:
            raise UsageError(
                f"unknown {name} {value!r}", hints=[f"it is one of: {', '.join(SWITCH)}"]
            )
    name = scheme.calibration if options.calibrate == "auto" else options.calibrate
    return Method(name, options.percentile)


def _range(spread: Spread) -> tuple[float, float]:
    return spread.low, spread.high


def _percentile(method: Method) -> float | None:
    return method.percentile if method.name == "percentile" else None


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
    decisions: Decisions,
    progress: Progress,
) -> tuple[Graph, QuantReport]:
    shown = samples.first(options.report_samples)
    inputs, layers, outputs = compare(real, assembled.graph, shown.arrays, progress=progress)
    warnings = (SYNTHETIC_NOTE,) if samples.synthetic else ()
    report = QuantReport(
        scheme=options.scheme,
        requant=options.requant,
        decisions=decisions,
        samples=shown.count,
        inputs=inputs,
        layers=layer_reports(assembled.graph, layers, assembled.deviations),
        outputs=outputs,
        notes=(*warnings, *assembled.notes),
    )
    graph = replace(assembled.graph, notes=(*assembled.graph.notes, *warnings))
    return graph, report

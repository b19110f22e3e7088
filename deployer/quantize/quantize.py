"""Post-training quantization: a float graph and sample inputs to an integer graph and a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from deployer.choices import Calibration, Correction, RequantChoice, SchemeName
from deployer.errors import UsageError
from deployer.ir import Graph
from deployer.quantize.calibrate import Progress, no_progress
from deployer.quantize.compare import compare
from deployer.quantize.doubts import sample_doubts
from deployer.quantize.fixed_point import fixed_point
from deployer.quantize.goal import Goal
from deployer.quantize.hoist import hoist_clamps
from deployer.quantize.integer_graph import IntegerGraph
from deployer.quantize.losses import is_poor, loss_note
from deployer.quantize.mixed import WidthSearch
from deployer.quantize.multiply_shift import multiply_shift
from deployer.quantize.plan import Plan, integers, rounder_of
from deployer.quantize.preconditions import check_graph
from deployer.quantize.report import Decisions, QuantReport, layer_reports
from deployer.quantize.samples import Samples
from deployer.quantize.scheme import Scheme
from deployer.quantize.search_widths import live_bytes, search_widths
from deployer.quantize.stated import (
    check_scheme,
    describe,
    layer_weights,
    owners,
    stated_quantization,
    stated_report,
)
from deployer.quantize.thresholds import Method
from deployer.quantize.tune import Choice, Options, Trial, corrections_of, decide
from deployer.quantize.widths import Typed, typed, wide_names

_AUTOMATIC = (Calibration.MINMAX, Calibration.MSE, Calibration.PERCENTILE)
SCHEMES = tuple(name for name in SchemeName if name != SchemeName.FLOAT)


@dataclass(frozen=True)
class QuantOptions:
    """``calibrate`` auto is minmax for multiply-shift and mse for power-of-two, unless another of
    them and percentile gains on held-out samples. ``percentile`` is that method's. ``preferred``:
    the rule that ``requant`` auto takes where it is nearly exact.

    ``equalize`` evens out channels between layers; ``bias_correction`` takes the mean error of
    rounded weights out of the biases. Both are on, off or auto: on where held-out samples gain.
    ``bits`` is the width of the activations, 8 or 16, and ``bits_of`` that of nodes and inputs by
    pattern (quantize.widths); with ``mixed`` a search decides the rest. The report compares at most
    ``report_samples`` of the samples.
    """

    scheme: SchemeName = SchemeName.MULTIPLY_SHIFT
    requant: RequantChoice = RequantChoice.AUTO
    preferred: RequantChoice = RequantChoice.AUTO
    calibrate: Calibration = Calibration.AUTO
    percentile: float = 99.99
    equalize: Correction = Correction.AUTO
    bias_correction: Correction = Correction.AUTO
    bits: int = 8
    bits_of: tuple[tuple[str, int], ...] = ()
    mixed: Goal | None = None
    report_samples: int = 256


@dataclass(frozen=True, eq=False)
class QuantResult:
    """``graph`` has the float graph's nodes and names and, where int8 and int16 meet, Rescales;
    verified. ``real`` is the float graph it was made of, with channels evened out where that was
    decided."""

    graph: Graph
    report: QuantReport
    real: Graph


def quantize(
    graph: Graph,
    samples: Samples,
    options: QuantOptions,
    *,
    reference: Graph | None = None,
    ram: Callable[[Graph], int] = live_bytes,
    progress: Progress = no_progress,
) -> QuantResult:
    """Quantize float ``graph`` by the ranges its activations have on ``samples``.

    Activations and weights of ``graph`` whose values state a quantization keep it, and then
    channels are not evened out. The report compares with ``reference``, a float graph of the same
    nodes, by default ``graph`` itself. ``ram`` is the arena in bytes of a graph with its types, for
    a search of widths.

    Raises UsageError for options that do not exist or go together, ModelError naming the layer
    that has no integers within int32 or no finite range, FitError or ThresholdError when no mixture
    of widths reaches the goal.
    """
    if samples.count == 0:
        raise UsageError("no samples to calibrate with", why=[f"from {samples.source}"])
    plan = _plan(graph, options, samples)
    left = Options(plan.methods, _corrections(plan.graph, options, samples))
    choice, trials = decide(plan.graph, samples.arrays, left, plan.trial)
    search = None
    if options.mixed is not None:
        arrays = samples.arrays
        search = search_widths(plan, choice, arrays, options.mixed, ram=ram, progress=progress)
        plan = replace(plan, wide=frozenset(search.wide))
    target, assembled = _assembled(plan, choice, samples, progress)
    decided = _decisions(choice, trials, search)
    shown = target if reference is None else typed(hoist_clamps(reference), plan.wide)
    made = _reported(shown.graph, assembled, _judged(plan, samples), options, decided, progress)
    if _may_widen(plan, options, samples) and is_poor(made[1].outputs):
        made = _warned(*made, loss_note(plan, choice, samples.arrays, made[1], ram))
    return QuantResult(*made, target.graph)


def _may_widen(plan: Plan, options: QuantOptions, samples: Samples) -> bool:
    """Whether the user may ask for int16, has not yet, and samples tell what it gains."""
    stated = bool(stated_quantization(plan.graph))
    return not (plan.wide or stated or options.mixed or samples.synthetic)


def _warned(graph: Graph, report: QuantReport, note: str) -> tuple[Graph, QuantReport]:
    notes, warnings = (*report.notes, note), (*report.warnings, note)
    told = replace(report, notes=notes, warnings=warnings)
    return replace(graph, notes=(*graph.notes, note)), told


def _plan(graph: Graph, options: QuantOptions, samples: Samples) -> Plan:
    """What the options decide of ``graph``."""
    flat = hoist_clamps(graph)
    stated = bool(stated_quantization(flat))
    if stated:  # and so int8
        flat = replace(flat, ties=tuple(replace(tie, bits=8) for tie in flat.ties))
    scheme = choose_scheme(options, close=stated)
    _check_mixed(options)
    check_graph(graph)
    check_scheme(flat, scheme)
    wide = wide_names(flat, options.bits, options.bits_of)
    if stated and (wide or options.mixed):
        raise _states_int8(graph)
    locked = wide_names(flat, 16) - wide_names(flat, 16, options.bits_of)
    free = owners(flat) - set(stated_quantization(flat)) - wide
    told = bool(free) and not samples.synthetic and options.mixed is None
    return Plan(flat, scheme, choose_methods(options, scheme, told=told), wide, locked)


def _decisions(choice: Choice, trials: tuple[Trial, ...], search: WidthSearch | None) -> Decisions:
    return Decisions(
        calibrate=choice.method.name,
        percentile=_percentile(choice.method),
        equalize=choice.equalize,
        bias_correction=choice.bias_correction,
        trials=trials,
        mixed=search,
    )


def _assembled(
    plan: Plan, choice: Choice, samples: Samples, progress: Progress
) -> tuple[Typed, IntegerGraph]:
    """The float graph with its widths, and its integers, by all samples."""
    seen = plan.observe(choice, samples.arrays, progress)
    target = typed(seen.graph, plan.wide)
    corrected = choice.bias_correction
    rounder = rounder_of(seen.graph, samples.arrays, corrected) if plan.wide else None
    return target, integers(seen, target, corrected, rounder)


def _judged(plan: Plan, samples: Samples) -> Samples:
    """Samples that calibrated nothing need no warning of being synthetic."""
    calibrated = owners(plan.graph) - set(stated_quantization(plan.graph))
    return replace(samples, synthetic=samples.synthetic and bool(calibrated))


def _check_mixed(options: QuantOptions) -> None:
    if options.mixed is not None and options.bits == 16:
        raise UsageError(
            "--mixed decides what is int16, --bits 16 says all of it",
            hints=["leave one of them out"],
        )


def _states_int8(graph: Graph) -> UsageError:
    return UsageError(
        f"{graph.name} states its quantization, which is int8",
        hints=["leave --bits, --bits-of and --mixed out, or give the float network"],
    )


def _corrections(
    graph: Graph, options: QuantOptions, samples: Samples
) -> tuple[tuple[bool, bool], ...]:
    """The corrections left to decide; stated scales belong to the weights as they are, and a layer
    with stated weights has no rounding to correct, nor has noise a mean to correct it by."""
    weights = [value.quant is not None for value in layer_weights(graph)]
    if not any(weights) and not stated_quantization(graph):
        return corrections_of(graph, options.equalize, options.bias_correction)
    correction = Correction.OFF if all(weights) or samples.synthetic else Correction.ON
    if options.bias_correction != Correction.AUTO and not all(weights):
        correction = options.bias_correction
    return corrections_of(graph, Correction.OFF, correction)


def choose_methods(
    options: QuantOptions, scheme: Scheme, *, told: bool = True
) -> tuple[Method, ...]:
    """The calibration methods the options leave open, the default first. ``told``: whether samples
    tell one from another. Raises UsageError for what does not exist."""
    _require("calibration", options.calibrate, Calibration, "methods")
    if not 50 < options.percentile <= 100:
        raise UsageError(
            f"a percentile of {options.percentile:g} is not above 50 and at most 100",
            hints=["99.99 cuts one value in ten thousand off at each end"],
        )
    for name, value in (
        ("equalize", options.equalize),
        ("bias correction", options.bias_correction),
    ):
        _require(name, value, Correction, "it is one of")
    named = (options.calibrate,)
    if options.calibrate == Calibration.AUTO:
        named = (scheme.calibration, *(_AUTOMATIC if told else ()))
    return tuple(Method(name, options.percentile) for name in dict.fromkeys(named))


def _require(what: str, given: str, known: type[StrEnum], told: str) -> None:
    if given not in tuple(known):
        raise UsageError(f"unknown {what} {given!r}", hints=[f"{told}: {', '.join(known)}"])


def _percentile(method: Method) -> float | None:
    return method.percentile if method.name == Calibration.PERCENTILE else None


def choose_scheme(options: QuantOptions, *, close: bool = False) -> Scheme:
    """The scheme the options name, ``close`` to float arithmetic where it chooses the rule. Raises
    UsageError for a combination that does not exist."""
    if options.scheme not in SCHEMES:
        raise UsageError(
            f"unknown scheme {options.scheme!r}", hints=[f"schemes: {', '.join(SCHEMES)}"]
        )
    _require("requantization", options.requant, RequantChoice, "rules")
    if options.scheme == SchemeName.MULTIPLY_SHIFT:
        return multiply_shift(options.requant, options.preferred, close=close)
    if options.requant != RequantChoice.AUTO:
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
    warnings = sample_doubts(samples)
    stated = stated_report(real, assembled.graph, assembled.deviations)
    kept = () if stated is None else (describe(stated),)
    report = QuantReport(
        scheme=options.scheme,
        requant=options.requant,
        decisions=decisions,
        samples=shown.count,
        inputs=inputs,
        layers=layer_reports(assembled.graph, layers, assembled.deviations),
        outputs=outputs,
        notes=(*warnings, *kept, *assembled.notes),
        stated=stated,
        warnings=warnings,
    )
    result = replace(assembled.graph, notes=(*assembled.graph.notes, *warnings))
    return result, report

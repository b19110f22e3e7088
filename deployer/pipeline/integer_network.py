"""What the first two stages make: the float network, the integer one, and its mere outline."""

from __future__ import annotations

from dataclasses import replace

from deployer.analysis import step_nodes
from deployer.choices import Calibration, Correction, SchemeName
from deployer.errors import ModelError
from deployer.frontend import import_model
from deployer.ir import Graph, verify
from deployer.pipeline.artifacts import Quantized, as_json
from deployer.pipeline.facts import QuantFacts
from deployer.pipeline.float_network import float_graph, float_quantized
from deployer.pipeline.golden import quantize_inputs
from deployer.pipeline.job import Job
from deployer.pipeline.tuned import reference_for, tuned_for
from deployer.pipeline.widths import mixed_note
from deployer.plan import arena_bytes
from deployer.quantize import QuantOptions, Samples, load_samples, quantize, synthetic_samples


def imported(job: Job) -> Graph:
    """The float network, as the import stage makes it."""
    graph = import_model(
        job.model,
        input_shapes=dict(job.options.input_shapes),
        softmax=job.options.softmax,
        cut=job.options.cut,
    )
    for note in graph.notes:
        job.notice(note)
    if not step_nodes(graph):
        raise ModelError(
            f"{graph.name} computes nothing",
            why=["its nodes only rename or reshape the input"],
            hints=["export the network with its layers"],
        )
    return verify(graph)


def quantized(job: Job, graph: Graph) -> Quantized:
    """What the quantize stage makes of the float ``graph``: its integer network, or itself."""
    samples = calibration(job, graph)
    if job.options.scheme == SchemeName.FLOAT:
        return float_quantized(graph, samples, job.options.golden_samples)
    options = quant_options(job)
    folder = job.options.tuned
    tuned = tuned_for(graph, folder) if folder else graph
    result = quantize(
        tuned,
        samples,
        options,
        reference=reference_for(graph, folder) if folder else graph,
        ram=arena_bytes,
        progress=job.progress,
    )
    count = job.options.golden_samples
    first = {name: array[:count] for name, array in samples.arrays.items()}
    source = {
        "source": samples.source,
        "sha256": samples.sha256,
        "synthetic": samples.synthetic,
        **as_json(result.report.decisions),
    }
    for note in result.report.notes:
        job.notice(f"WARNING: {note}" if note in result.report.warnings else note)
    if result.report.decisions.mixed:
        job.notice(mixed_note(result.report.decisions.mixed))
    report: QuantFacts = as_json({**as_json(result.report), "calibration": source})
    return Quantized(verify(result.graph), report, quantize_inputs(result.graph, first))


def outline(job: Job) -> Graph:
    """The integer network with the right sizes and kernels, made in a fraction of the time.

    Calibration and corrections decide what the integers are, not how many, so one sample does and
    the integers are not for use. A search for widths does need all samples.
    """
    graph = imported(job)
    if job.options.scheme == SchemeName.FLOAT:
        return float_graph(graph)
    source = tuned_for(graph, job.options.tuned) if job.options.tuned else graph
    samples, options = calibration(job, graph), quant_options(job)
    if options.mixed:
        found = quantize(source, samples, options, reference=graph, ram=arena_bytes)
        return verify(found.graph)
    options = replace(
        options,
        calibrate=Calibration.MINMAX,
        equalize=Correction.OFF,
        bias_correction=Correction.OFF,
        report_samples=1,
    )
    return verify(quantize(source, samples.first(1), options, reference=graph).graph)


def quant_options(job: Job) -> QuantOptions:
    return QuantOptions(
        scheme=job.options.scheme,
        requant=job.options.requant,
        preferred=job.board.requant,
        calibrate=job.options.calibrate,
        percentile=job.options.percentile,
        equalize=job.options.equalize,
        bias_correction=job.options.bias_correction,
        bits=job.options.bits,
        bits_of=job.options.bits_of,
        mixed=job.options.mixed,
    )


def calibration(job: Job, graph: Graph) -> Samples:
    """The user's samples, or seeded synthetic ones, which the report warns of."""
    options = job.options
    if options.calibration is not None:
        return load_samples(
            graph,
            options.calibration,
            input_scale=options.input_scale,
            input_offset=options.input_offset,
        )
    return synthetic_samples(graph, seed=options.seed)

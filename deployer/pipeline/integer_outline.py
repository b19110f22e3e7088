"""The integer network without its integers: sizes and kernels, for those who only plan."""

from __future__ import annotations

from dataclasses import replace

from deployer.choices import Calibration, Correction
from deployer.ir import Graph, verify
from deployer.pipeline.job import Job
from deployer.pipeline.stages import calibration, imported, quant_options
from deployer.pipeline.tuned import tuned_for
from deployer.plan import arena_bytes
from deployer.quantize import quantize


def outline(job: Job) -> Graph:
    """The integer network with the right sizes and kernels, made in a fraction of the time.

    Calibration and corrections decide what the integers are, not how many, so one sample does and
    the integers are not for use. A search for widths does need all samples.
    """
    graph = imported(job)
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

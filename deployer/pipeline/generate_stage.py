"""The generate stage: the network in C, with the options that shaped it, and its linker script."""

from __future__ import annotations

from deployer import __version__
from deployer.bundle_facts import CalibrationFacts
from deployer.choices import HotCode
from deployer.codegen import generate, linker_script
from deployer.pipeline.artifacts import ALLOCATE, QUANTIZE, SCHEDULE, TILE, Generated
from deployer.pipeline.itcm import ITCM_FILE
from deployer.pipeline.job import Job
from deployer.pipeline.options import Options
from deployer.pipeline.store import Store
from deployer.pipeline.widths import width_text
from deployer.plan import input_copy_memory
from deployer.units import format_bytes


def generated(job: Job, store: Store) -> Generated:
    plan = store.get(ALLOCATE)
    quantized = store.get(QUANTIZE)
    lines = option_lines(job, quantized.report["calibration"], width_text(quantized.graph))
    tiles = store.get(TILE)
    schedule = store.get(SCHEDULE)
    threads = job.target.threads
    files = generate(
        schedule, plan, version=__version__, options=lines, tiles=tiles, threads=threads
    )
    if job.target.linker:
        files["link.ld"] = linker_script(
            job.target,
            {**dict(plan.heights), **tiles.heights},
            input_in=input_copy_memory(schedule.graph, plan, job.request),
            copied=plan.copies,
            itcm_file="" if job.options.hot_code == HotCode.OFF else ITCM_FILE,
        )
    return Generated(files)


def option_lines(job: Job, calibrated: CalibrationFacts, widths: str) -> tuple[str, ...]:
    """The options that shaped the network, for the header of generated files."""
    options = job.options
    percentile = f" {calibrated['percentile']}" if calibrated["percentile"] is not None else ""
    switched = calibrated["equalize"], calibrated["bias_correction"]
    equalized, corrected = ("on" if made else "off" for made in switched)
    return (
        f"scheme {options.scheme}, requantization {options.requant}, softmax {options.softmax}",
        f"calibration {calibrated['calibrate']}{percentile}, equalization {equalized}, "
        f"bias correction {corrected}",
        *([] if widths == "int8" else [f"activations {widths}"]),
        *_restructure_lines(job),
        f"board {job.board.name}",
    )


def _restructure_lines(job: Job) -> list[str]:
    """Nothing for the defaults."""
    options, plain = job.options, Options()
    requested = {
        "restructure": options.restructure,
        "ram": None if options.ram is None else format_bytes(options.ram),
        "flash": None if options.flash is None else format_bytes(options.flash),
        "kernel code": None if options.kernel_code is None else format_bytes(options.kernel_code),
        "optimize": options.optimize,
        "share": options.share,
        "choose": options.choose,
        "place": options.place,
        "hot code": options.hot_code,
        "tiler": options.tiler,
        "effort": options.effort,
        "kernels": options.kernels,
        "threads": options.threads,
    }
    kept = {name: getattr(plain, name.replace(" ", "_")) for name in requested}
    found = [f"{name} {value}" for name, value in requested.items() if value != kept[name]]
    rows = ["input by rows"] if options.stream_input else []
    return [", ".join([*found, *rows])] if found or rows else []

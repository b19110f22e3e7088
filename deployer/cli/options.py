"""Options that several commands share, and the job they describe."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

import click

from deployer.choices import (
    Calibration,
    ConstantCopies,
    Correction,
    EffortName,
    HotCode,
    KernelPolicy,
    KernelSet,
    Objective,
    RequantChoice,
    Restructuring,
    SchemeName,
    Sharing,
    SoftmaxOn,
    TilerName,
)
from deployer.cli.option_types import (
    ChoiceParamType,
    GoalType,
    RatioType,
    ShapeType,
    SizeType,
    WidthType,
)
from deployer.errors import UsageError
from deployer.units import command_line

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def model_argument() -> Decorator:
    """Read before the options, some of which name it when they are refused."""
    return click.argument("model", type=click.Path(path_type=Path), is_eager=True)


def board_option() -> Decorator:
    return click.option("-b", "--board", required=True, help="Board name; see deployer boards.")


def board_or_bench_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--board, --bench and --lab: a board, or a bench of a lab that has one."""
    for option in reversed(_BOARD_OR_BENCH):
        function = option(function)
    return function


def lab_option() -> Decorator:
    return click.option(
        "--lab",
        type=click.Path(path_type=Path),
        help="Lab file; default: $DEPLOYER_LAB, then lab.toml of this folder.",
    )


_BOARD_OR_BENCH: tuple[Decorator, ...] = (
    click.option("-b", "--board", default="", help="Board name; see deployer boards."),
    click.option("--bench", default="", help="In place of --board: a bench of the lab file."),
    lab_option(),
)


def board_dir_option() -> Decorator:
    return click.option(
        "--board-dir", type=click.Path(path_type=Path), help="Folder with boards of your own."
    )


def limit_option(told: str) -> Decorator:
    """Seconds; ``told``: of what, for the help."""
    return click.option(
        "--limit",
        "seconds",
        type=click.FloatRange(min=1),
        default=900.0,
        show_default=True,
        help=f"Seconds {told} may take.",
    )


def dataset_option() -> Decorator:
    return click.option(
        "--dataset",
        type=click.Path(path_type=Path),
        help="Labelled samples (.npz): accuracy of float, host integers and device.",
    )


def results_option() -> Decorator:
    return click.option(
        "--results",
        type=click.Path(path_type=Path),
        help="Add the record and its serial log to this file: deployer results lists it.",
    )


def json_option() -> Decorator:
    return click.option(
        "--json", "as_json", is_flag=True, help="JSON on standard output, nothing else."
    )


def choice_option(name: str, default: StrEnum, *, told: str) -> Decorator:
    """One of the words that ``default`` is of; ``told``: its help."""
    words = ChoiceParamType(type(default))
    return click.option(name, type=words, default=default.value, show_default=True, help=told)


def _no_picture(context: click.Context, option: click.Parameter, value: Path) -> Path:
    """A folder; refused when its name is that of a picture, which another command draws."""
    if value.suffix.lower() in (".svg", ".html") and not value.is_dir():
        model = str(context.params.get("model") or "MODEL")
        draws = command_line(["inspect", "-o", str(value)], model)
        raise UsageError(
            f"{option.opts[0]} {value}: the build folder, not a picture",
            hints=[f"draw one: {draws}"],
        )
    return value


def build_folder_option(*names: str) -> Decorator:
    return click.option(
        *names,
        type=click.Path(path_type=Path),
        callback=_no_picture,
        default=Path("build"),
        show_default=True,
        help="Folder of build artifacts.",
    )


def place_option() -> Decorator:
    return choice_option(
        "--place",
        ConstantCopies.AUTO,
        told="Copy weights to faster memory at start-up where the board file has room for it.",
    )


def hot_code_option() -> Decorator:
    return choice_option(
        "--hot-code",
        HotCode.OFF,
        told="Copy the kernels that do most work to the board's memory for code at start-up.",
    )


_QUANT_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--calibration",
        type=click.Path(path_type=Path),
        help="Samples (.npz) that set the integer ranges; give real ones.",
    ),
    choice_option(
        "--scheme",
        SchemeName.MULTIPLY_SHIFT,
        told="Quantization scheme; float: the float network itself.",
    ),
    choice_option(
        "--requant",
        RequantChoice.AUTO,
        told="Requantization rule of the multiply-shift scheme.",
    ),
    choice_option("--softmax", SoftmaxOn.HOST, told="Who computes a final softmax."),
    choice_option(
        "--calibrate",
        Calibration.AUTO,
        told="How ranges follow from samples; auto: minmax, or mse for power-of-two.",
    ),
    click.option(
        "--percentile",
        type=click.FloatRange(50, 100, min_open=True),
        default=99.99,
        show_default=True,
        help="Per cent of the values that --calibrate percentile keeps at each end.",
    ),
    choice_option(
        "--equalize",
        Correction.AUTO,
        told="Even out channels between layers; auto: where held-out samples gain.",
    ),
    choice_option(
        "--bias-correction",
        Correction.AUTO,
        told="Take the mean error of rounded weights out of the biases.",
    ),
    click.option(
        "--bits",
        type=click.Choice(["8", "16"]),
        default="8",
        show_default=True,
        callback=lambda context, option, value: int(value),
        help="Of the activations; weights have 8.",
    ),
    click.option(
        "--bits-of",
        type=WidthType(),
        multiple=True,
        help="Of one layer or input, or of all a pattern names, such as 'block*=16'.",
    ),
    click.option(
        "--mixed",
        type=GoalType(),
        help="Search which activations need 16 bits: sqnr=35, top1=99% or ram=64KiB.",
    ),
    click.option(
        "--input-scale",
        type=RatioType(),
        default="1",
        help="Multiply samples by this, such as 1/255.",
    ),
    click.option("--input-offset", type=RatioType(), default="0", help="Then add this."),
    click.option(
        "--input-shape",
        "input_shapes",
        type=ShapeType(),
        multiple=True,
        help="Fix a dynamic input: name=1,3,96,96.",
    ),
    click.option(
        "--cut",
        multiple=True,
        metavar="NAME",
        help="End the network at this node or tensor; the host does the rest.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Of synthetic samples.",
    ),
)

_NETWORK_OPTIONS: tuple[Decorator, ...] = (
    *_QUANT_OPTIONS,
    click.option(
        "--golden",
        "golden_samples",
        type=click.IntRange(min=1),
        default=4,
        show_default=True,
        help="Samples proven layer by layer.",
    ),
    click.option(
        "--tuned",
        type=click.Path(path_type=Path),
        help="Folder deployer finetune wrote: its weights and scales instead of plain ones.",
    ),
    choice_option(
        "--restructure",
        Restructuring.AUTO,
        told="Run layers piece by piece; auto: where the network does not fit otherwise.",
    ),
    click.option("--ram", type=SizeType(), help="Bytes the arena may take, such as 300KiB."),
    click.option(
        "--flash",
        type=SizeType(),
        help="Bytes that weights, biases and requantization may take, such as 100KiB.",
    ),
    click.option(
        "--kernel-code",
        type=SizeType(),
        help="Bytes that the kernels' code may take; by default what the board states.",
    ),
    choice_option(
        "--optimize",
        Objective.TIME,
        told="Least work that fits, least RAM times time, least RAM, or least flash.",
    ),
    click.option(
        "--stream-input",
        is_flag=True,
        help="The first input arrives by rows from a callback where that saves RAM.",
    ),
    choice_option(
        "--share",
        Sharing.ON,
        told="Values in each other's bytes where the kernels allow: less RAM, fewer copies.",
    ),
    choice_option(
        "--choose",
        KernelPolicy.COST,
        told="A layer's kernel: the fastest by the board's table that fits, or the first that can.",
    ),
    place_option(),
    hot_code_option(),
    choice_option(
        "--tiler",
        TilerName.COST,
        told="Tiles of an inner memory: fewest estimated cycles, DORY's objective, or the largest.",
    ),
    choice_option(
        "--effort",
        EffortName.NORMAL,
        told="How long to look for a better plan, where a network is large or memory short.",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        help="That share each step, on a board with an operating system; default: its file's.",
    ),
    choice_option(
        "--kernels",
        KernelSet.BOARD,
        told="cmsis-nn: call your own build of Arm's library where it has the layer.",
    ),
    click.option(
        "--cmsis-nn-lib",
        type=click.Path(path_type=Path),
        help="LIB.a, built for single rounding; default: of $DEPLOYER_CMSIS_NN.",
    ),
    click.option(
        "--cmsis-nn-include",
        type=click.Path(path_type=Path),
        help="Its Include folder; default: of $DEPLOYER_CMSIS_NN.",
    ),
    board_dir_option(),
)

_JOB_OPTIONS: tuple[Decorator, ...] = (
    build_folder_option("-o", "--output"),
    click.option("--from", "first", default="import", help="First stage; earlier ones from disk."),
)


def quant_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that shape the import and the integers: scheme, calibration, samples' scale, …"""
    return _apply(_QUANT_OPTIONS, function)


def network_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that shape a network: calibration, scheme, …"""
    return _apply(_NETWORK_OPTIONS, function)


def job_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Network options, output folder and the stage to begin with."""
    return _apply((*_JOB_OPTIONS, *_NETWORK_OPTIONS), function)


def _apply(decorators: tuple[Decorator, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def options_from(given: dict[str, Any]) -> Any:
    """Pipeline options from click's arguments; takes them out of ``given``."""
    from dataclasses import fields

    from deployer.pipeline import Options

    return Options(**{field.name: given.pop(field.name) for field in fields(Options)})

"""Options that several commands share, and the job they describe."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from deployer.errors import UsageError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class ShapeType(click.ParamType):
    """``name=1,3,96,96``."""

    name = "name=dims"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[int, ...]]:
        name, _, dims = str(value).partition("=")
        try:
            shape = tuple(int(dim) for dim in dims.split(","))
        except ValueError:
            self.fail(f"{value!r} is not NAME=D,D,…, such as input=1,3,96,96", param, ctx)
        return name, shape


class WidthType(click.ParamType):
    """``conv1=16``."""

    name = "name=bits"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        name, _, bits = str(value).rpartition("=")
        if not name or bits not in ("8", "16"):
            self.fail(f"{value!r} is not NAME=8 or NAME=16", param, ctx)
        return name, int(bits)


class GoalType(click.ParamType):
    """``sqnr=35``, ``top1=99%`` or ``ram=64KiB``."""

    name = "goal"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from deployer.quantize.goal import parse_goal

        return parse_goal(value) if isinstance(value, str) else value


class SizeType(click.ParamType):
    """``300KiB``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from deployer.units import parse_size

        if not isinstance(value, str):
            return value
        size = int(value) if value.isdigit() else parse_size(value)
        return size or self.fail("nothing fits 0 bytes", param, ctx)


class RatioType(click.ParamType):
    """``0.5`` or ``1/255``."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            return float(Fraction(str(value)))
        except (ValueError, ZeroDivisionError):
            self.fail(f"{value!r} is not a number such as 0.5 or 1/255", param, ctx)


def model_argument() -> Decorator:
    return click.argument("model", type=click.Path(path_type=Path))


def board_option() -> Decorator:
    return click.option("-b", "--board", required=True, help="Board name; see deployer boards.")


def board_dir_option() -> Decorator:
    return click.option(
        "--board-dir", type=click.Path(path_type=Path), help="Folder with boards of your own."
    )


def dataset_option() -> Decorator:
    return click.option(
        "--dataset",
        type=click.Path(path_type=Path),
        help="Labelled samples (.npz): accuracy of float, host integers and device.",
    )


def json_option() -> Decorator:
    return click.option(
        "--json", "as_json", is_flag=True, help="JSON on standard output, nothing else."
    )


_QUANT_OPTIONS: tuple[Decorator, ...] = (
    click.option(
        "--calibration",
        type=click.Path(path_type=Path),
        help="Samples (.npz) that set the integer ranges; give real ones.",
    ),
    click.option(
        "--scheme",
        type=click.Choice(["multiply-shift", "power-of-two"]),
        default="multiply-shift",
        show_default=True,
        help="Quantization scheme.",
    ),
    click.option(
        "--requant",
        type=click.Choice(["auto", "i32", "q16", "q32", "q31"]),
        default="auto",
        show_default=True,
        help="Requantization rule of the multiply-shift scheme.",
    ),
    click.option(
        "--softmax",
        type=click.Choice(["host", "device"]),
        default="host",
        show_default=True,
        help="Who computes a final softmax.",
    ),
    click.option(
        "--calibrate",
        type=click.Choice(["auto", "minmax", "percentile", "mse", "entropy"]),
        default="auto",
        show_default=True,
        help="How ranges follow from samples; auto: minmax, or mse for power-of-two.",
    ),
    click.option(
        "--percentile",
        type=click.FloatRange(50, 100, min_open=True),
        default=99.99,
        show_default=True,
        help="Per cent of the values that --calibrate percentile keeps at each end.",
    ),
    click.option(
        "--equalize",
        type=click.Choice(["auto", "on", "off"]),
        default="auto",
        show_default=True,
        help="Even out channels between layers; auto: where held-out samples gain.",
    ),
    click.option(
        "--bias-correction",
        type=click.Choice(["auto", "on", "off"]),
        default="auto",
        show_default=True,
        help="Take the mean error of rounded weights out of the biases.",
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
    click.option("--seed", type=int, default=0, show_default=True, help="Of synthetic samples."),
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
    click.option(
        "--restructure",
        type=click.Choice(["auto", "off", "alg3"]),
        default="auto",
        show_default=True,
        help="Run layers piece by piece; auto: where the network does not fit otherwise.",
    ),
    click.option("--ram", type=SizeType(), help="Bytes the arena may take, such as 300KiB."),
    click.option(
        "--optimize",
        type=click.Choice(["time", "balanced", "ram"]),
        default="time",
        show_default=True,
        help="Least work that fits, least RAM for 5 % more work, or least RAM.",
    ),
    click.option(
        "--stream-input",
        is_flag=True,
        help="The first input arrives by rows from a callback where that saves RAM.",
    ),
    click.option(
        "--share",
        type=click.Choice(["on", "off"]),
        default="on",
        show_default=True,
        help="Values in each other's bytes where the kernels allow: less RAM, fewer copies.",
    ),
    click.option(
        "--choose",
        type=click.Choice(["cost", "first"]),
        default="cost",
        show_default=True,
        help="A layer's kernel: the fastest by the board's table that fits, or the first that can.",
    ),
    click.option(
        "--place",
        type=click.Choice(["auto", "off"]),
        default="auto",
        show_default=True,
        help="Copy weights to faster memory at start-up where the board file has room for it.",
    ),
    click.option(
        "--hot-code",
        type=click.Choice(["itcm", "off"]),
        default="off",
        show_default=True,
        help="Copy the kernels that do most work to the board's memory for code at start-up.",
    ),
    click.option(
        "--tiler",
        type=click.Choice(["cost", "dory", "size"]),
        default="cost",
        show_default=True,
        help="Tiles of an inner memory: fewest estimated cycles, DORY's objective, or the largest.",
    ),
    click.option(
        "--kernels",
        type=click.Choice(["board", "cmsis-nn"]),
        default="board",
        show_default=True,
        help="cmsis-nn: call your own build of Arm's library where it has the layer.",
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
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        default=Path("build"),
        show_default=True,
        help="Folder of build artifacts.",
    ),
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

    from deployer.pipeline.options import Options

    return Options(**{field.name: given.pop(field.name) for field in fields(Options)})


def existing(path: Path, what: str) -> Path:
    """``path``, or UsageError saying that there is no such file."""
    if not path.exists():
        raise UsageError(f"no such {what}: {path}")
    return path

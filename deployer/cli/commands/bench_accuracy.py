"""``deployer bench accuracy``: float against every way to quantize a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.option_types import RatioType, ShapeType
from deployer.cli.options import json_option, model_argument
from deployer.cli.table_file import output_option


@click.command("accuracy")
@click.option(
    "--data",
    required=True,
    type=click.Path(path_type=Path),
    help="Samples (.npz) to judge on; an array named label adds top-1.",
)
@click.option(
    "--calibration",
    type=click.Path(path_type=Path),
    help="Samples (.npz) that set the integer ranges; default: those of --data.",
)
@click.option("--scheme", "schemes", multiple=True, help="Only this scheme. Repeatable.")
@click.option("--calibrate", "methods", multiple=True, help="Only this method. Repeatable.")
@click.option("--input-scale", type=RatioType(), default="1", help="Multiply samples by this.")
@click.option("--input-offset", type=RatioType(), default="0", help="Then add this.")
@click.option(
    "--input-shape",
    "input_shapes",
    type=ShapeType(),
    multiple=True,
    help="Fix a dynamic input: name=1,3,96,96.",
)
@click.option("--cut", multiple=True, metavar="NAME", help="End the network here.")
@output_option()
@json_option()
@model_argument()
def command(**given: Any) -> None:
    """Quantize MODEL in every scheme with every calibration method, equalization and bias
    correction where they help, and compare with the float network on your samples.

    A row each: top-1 (with labels), how often the class is that of the float network, and the
    output's signal to quantization noise. No toolchain needed.
    """
    from deployer.cli.jobs.bench_accuracy import carry_out

    carry_out(given)

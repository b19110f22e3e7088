"""``deployer zoo``: reference networks as ONNX files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.choices import GraphStyle
from deployer.cli.option_types import ResolutionType
from deployer.cli.options import choice_option, json_option


@click.command("zoo")
@click.argument("name", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write this ONNX file.")
@click.option("--width", type=float, default=1.0, show_default=True, help="Multiplies channels.")
@click.option(
    "--resolution",
    type=ResolutionType(),
    metavar="N|HxW",
    help="Of the input, such as 96 or 256x512; by default the paper's.",
)
@click.option("--classes", type=int, help="Number of classes; by default the paper's.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the random weights.",
)
@choice_option(
    "--style",
    GraphStyle.PLAIN,
    told="Graph as written by PyTorch's older or newer exporter.",
)
@click.option("--batch-norm", is_flag=True, help="Leave batch norm separate, not folded.")
@json_option()
def command(
    name: str | None,
    output: Path | None,
    width: float,
    resolution: tuple[int, int] | None,
    classes: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Count the reference network NAME, and write it with random weights (-o).

    Without NAME: list the networks. MACs are those of convolutions and dense layers; parameters
    are the trained ones, as papers count them.
    """
    from deployer.cli.jobs.zoo import Size, listed, written
    from deployer.errors import UsageError

    if name is None and output is not None:
        raise UsageError("-o needs the name of a network", hints=["deployer zoo lists them"])
    if name is None:
        listed(as_json)
        return
    size: Size = {"width": width, "resolution": resolution, "classes": classes}
    written(name, size, output, given, as_json=as_json)

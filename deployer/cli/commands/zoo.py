"""``deployer zoo``: reference networks as ONNX files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import choice_option, json_option


class ResolutionType(click.ParamType):
    """``96``, or ``256x512`` for height and width."""

    name = "N or HxW"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        height, _, width = str(value).partition("x")
        try:
            return int(height), int(width or height)
        except ValueError:
            self.fail(f"{value!r} is not a size such as 96 or 256x512", param, ctx)


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
    ["plain", "torchscript", "dynamo"],
    default="plain",
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
    from deployer.errors import UsageError

    if name is None and output is not None:
        raise UsageError("-o needs the name of a network", hints=["deployer zoo lists them"])
    if name is None:
        _list(as_json)
        return
    from deployer.tools.zoo.build import draw, save

    network = draw(name, width=width, resolution=resolution, classes=classes)
    if output is not None:
        save(network, output, **given)
    _show([_facts(network)], as_json)
    if output is not None:
        click.echo(f"wrote {output}", err=True)


def _list(as_json: bool) -> None:
    from deployer.tools.zoo.build import draw
    from deployer.tools.zoo.catalog import CATALOG

    _show([_facts(draw(name)) | {"source": CATALOG[name].source} for name in CATALOG], as_json)


def _facts(network: Any) -> dict[str, Any]:
    return {
        "name": network.name,
        "input": list(network.input),
        "parameters": network.parameters,
        "folded_parameters": network.folded_parameters,
        "macs": network.macs,
    }


def _show(rows: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        import json

        click.echo(json.dumps(rows, indent=1))
        return
    for row in rows:
        shape = "x".join(map(str, row["input"]))
        differs = "source" not in row and row["parameters"] != row["folded_parameters"]
        folded = f" ({row['folded_parameters']:,} with batch norm folded)" if differs else ""
        counts = f"{row['parameters']:>11,} parameters{folded}  {row['macs']:>14,} MACs"
        click.echo(f"{row['name']:<18} {shape:<10} {counts}  {row.get('source', '')}".rstrip())

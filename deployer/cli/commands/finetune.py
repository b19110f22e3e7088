"""``deployer finetune``: recover accuracy by distilling the float network into the integers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from deployer.cli.options import choice_option, json_option, model_argument, quant_options
from deployer.tools.train import CHANGES, Device, Optimizer, Rounding


@click.command("finetune")
@click.option(
    "--samples",
    required=True,
    type=click.Path(path_type=Path),
    help="Samples (.npz) to train on; labels are not needed.",
)
@click.option(
    "--dataset",
    type=click.Path(path_type=Path),
    help="Samples (.npz) to report on, before and after; labels add top-1.",
)
@click.option("--epochs", type=int, default=20, show_default=True, help="Passes over the samples.")
@click.option("--batch", type=int, default=16, show_default=True, help="Samples an update.")
@click.option(
    "--lr",
    type=float,
    default=0.001,
    show_default=True,
    help="Learning rate, in quantization steps; falls to zero over the epochs.",
)
@choice_option("--optimizer", Optimizer.ADAM, told="Of it.")
@choice_option(
    "--rounding",
    Rounding.STOCHASTIC,
    told="Of the shadow weights at the end of an epoch.",
)
@click.option(
    "--holdout",
    type=float,
    default=0.2,
    show_default=True,
    help="Share of the samples that picks the best epoch.",
)
@choice_option("--device", Device.AUTO, told="Where to train.")
@click.option(
    "--augment",
    type=int,
    default=0,
    show_default=True,
    help="Make so many more training samples by changing and mixing the given ones.",
)
@click.option(
    "--augment-with",
    default=",".join(CHANGES),
    show_default=True,
    callback=lambda context, option, text: tuple(part.strip() for part in text.split(",")),
    help="How; flip mirrors left and right, so leave it out for spectra.",
)
@click.option("--resume", is_flag=True, help="Go on from the checkpoint in the output folder.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for the tuned network, its report and the checkpoint.",
)
@quant_options
@json_option()
@model_argument()
def command(
    model: Path,
    samples: Path,
    dataset: Path | None,
    output: Path,
    resume: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Train MODEL's integer network to give what the float one gives, on unlabelled samples.

    Then build with: deployer run -b BOARD --tuned FOLDER MODEL. The activations' scales come from
    --calibration, by default from the samples.
    """
    from deployer.cli.jobs.tune import TuneRequest, carry_out

    carry_out(TuneRequest(model, samples, dataset, output, resume, as_json), given)

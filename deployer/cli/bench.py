"""``deployer bench``: tables over many runs."""

from __future__ import annotations

import click

from deployer.cli.lazy import LazyGroup

COMMANDS = {
    "zoo": "Every reference network on every board: does it fit, is it exact, what does it cost.",
    "accuracy": "Float against every way to quantize a model, on your samples.",
    "restructuring": "Patches and row streaming on five networks, beside the published figures.",
    "cost": "What each kernel costs, counted on an emulated board: the model plans are chosen by.",
    "fits": "MobileNets on a board, plain and restructured: RAM, flash, what fits.",
    "memory": "Allocators on public or zoo instances, beside the published figures.",
}


@click.group("bench", cls=LazyGroup, commands_of=COMMANDS, prefix="deployer.cli.bench_")
def command() -> None:
    """Make tables: the zoo on the boards, a model in every quantization."""

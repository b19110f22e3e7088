"""``deployer bench restructuring``: how much memory patches and row streaming save."""

from __future__ import annotations

import click

from deployer.restructure import NETWORKS


@click.command("restructuring")
@click.argument("names", nargs=-1, type=click.Choice(NETWORKS), metavar="[NAME]...")
def command(names: tuple[str, ...]) -> None:
    """Reprint paper 001's tables 2.8 and 2.9 with the planner's figures beside them.

    Per cent of activation memory saved for per cent of MACs added, counted from shapes; int8, the
    input resident unless streamed, kernels without scratch. Algorithm 3 is repeated with the
    paper's split and concat operators, and as --restructure alg3 runs it, in windows of whole
    tensors. Search seconds are this machine's CPU.
    Without NAME all five networks, which takes a minute or two and 2 GB.
    """
    from deployer.tools.bench import restructuring_markdown, zoo_graphs

    click.echo(restructuring_markdown(zoo_graphs(names or NETWORKS)), nl=False)

"""What ``deployer report`` does: build the site, say where it is."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.printed import printed
from deployer.report import build_site


def carry_out(results: Path, output: Path) -> None:
    count = build_site(results, output)
    click.echo(printed(str(output / "index.html")))
    click.echo(f"{count:,} runs; open the page in any browser", err=True)

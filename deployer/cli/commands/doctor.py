"""``deployer doctor``: which tools are here, and what each missing one would enable."""

from __future__ import annotations

import click

from deployer.cli.options import json_option


@click.command("doctor")
@json_option()
def command(as_json: bool) -> None:
    """List compilers, emulators, libraries and probes with their versions."""
    from deployer.cli.jobs.tools import bench_lines, tool_rows

    rows = tool_rows()
    if as_json:
        import json

        click.echo(json.dumps({"tools": rows, "bench": list(bench_lines())}, indent=1))
        return
    from deployer.cli.render import print_tools

    print_tools(rows, bench_lines())

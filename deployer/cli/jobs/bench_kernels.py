"""What ``deployer bench kernels`` does: build the networks, profile, print, gate."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deployer.cli.jobs.bench_gate import Gate
from deployer.cli.progress import progress_view
from deployer.cli.table_file import check_output, put_table
from deployer.tools.bench import (
    KernelsBench,
    kernels_facts,
    kernels_markdown,
    library_of,
    names_in_order,
)
from deployer.tools.timing import machine_for


def carry_out(given: dict[str, Any]) -> None:
    """Raises ThresholdError after the table when the gate is missed."""
    check_output(given["output"])
    gate = Gate(given["gate"], given["reason"])
    gate.prepare()
    names = names_in_order(given["names"])
    library = library_of(given["against"]) if given["against"] else None
    machine = machine_for(
        given["board"],
        given["costs"],
        given["board_dir"],
        given["issue_rules"],
        credits_pld=given["credit_pld"],
    )
    with progress_view() as view, TemporaryDirectory() as folder:
        bench = KernelsBench(
            machine, given["board_dir"], library, Path(folder), given["place"], given["hot_code"]
        )
        timed = [bench.time(name, view.notice) for name in names]
    put_table(
        kernels_facts(machine, timed, bench.peers),
        kernels_markdown,
        output=given["output"],
        as_json=given["as_json"],
    )
    gate.judge(machine.name, timed)

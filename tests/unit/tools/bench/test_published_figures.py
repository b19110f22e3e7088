"""Figures quoted from paper 001 are those that it prints, and stand beside ours."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from deployer.cli.main import cli
from deployer.tools.bench.allocation_table import TABLE_2_5, TABLE_2_6

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _row(text: str, title: str, count: int) -> tuple[float, ...]:
    """The last ``count`` numbers of the line that begins with ``title`` and has so many."""
    lines = (line for line in text.splitlines() if line.startswith(title))
    rows = [[float(n) for n in _NUMBER.findall(line.partition("] ")[2])] for line in lines]
    (found,) = (row for row in rows if len(row) == count)
    return tuple(found)


@pytest.mark.parametrize("network", TABLE_2_5)
def test_table_2_5_is_as_printed(network: str, paper_001: str) -> None:
    _, *pairs = _row(paper_001, f"{network} [", 13)
    assert TABLE_2_5[network] == (tuple(pairs[::2]), tuple(pairs[1::2]))


PRINTED = {
    "optimal %": "Optimal [%]",
    "average overhead %": "Avg. Ovhd. [%]",
    "largest overhead %": "Max. Ovhd. [%]",
    "worst s": "WCET [s]",
    "average s": "ACET [s]",
}


@pytest.mark.parametrize("row", TABLE_2_6)
def test_table_2_6_is_as_printed(row: str, paper_001: str) -> None:
    assert TABLE_2_6[row] == _row(paper_001, PRINTED[row], 7)


def test_a_network_of_the_paper_beside_ours() -> None:
    done = CliRunner().invoke(cli, ["bench", "restructuring", "squeezenet1.1"])
    assert done.exit_code == 0, done.output
    row = next(line for line in done.output.splitlines() if line.startswith("| squeezenet1.1"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1] == "48.4 for 3.1 (0.2, 2h 2w)"
    assert cells[2] == "53.5 for 3.0 (0.4, 2h 2w)"
    paper, ours = (cells[i].split(" for ") for i in (1, 4))
    assert float(ours[0]) > 75 > float(paper[0])
    assert float(ours[1]) < 0.1
    assert int(cells[8].replace(",", "")) < 0.25 * int(cells[7].replace(",", ""))


def test_an_unknown_network_is_named() -> None:
    done = CliRunner().invoke(cli, ["bench", "restructuring", "lenet"])
    assert done.exit_code == 2
    assert "lenet" in done.output

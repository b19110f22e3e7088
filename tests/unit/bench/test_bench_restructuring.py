"""``deployer bench restructuring``: published figures and ours in one row."""

from __future__ import annotations

from click.testing import CliRunner

from deployer.cli.main import cli


def test_a_network_of_the_paper_beside_ours() -> None:
    done = CliRunner().invoke(cli, ["bench", "restructuring", "squeezenet1.1"])
    assert done.exit_code == 0, done.output
    row = next(line for line in done.output.splitlines() if line.startswith("| squeezenet1.1"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    paper, ours = (cells[i].split(" for ") for i in (1, 3))
    assert paper == ["48.4", "3.1"]
    assert float(ours[0]) > 75 > float(paper[0])
    assert float(ours[1]) < 0.1
    assert int(cells[7].replace(",", "")) < 0.25 * int(cells[6].replace(",", ""))


def test_an_unknown_network_is_named() -> None:
    done = CliRunner().invoke(cli, ["bench", "restructuring", "lenet"])
    assert done.exit_code == 2
    assert "lenet" in done.output

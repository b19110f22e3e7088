"""``deployer bench restructuring``: published figures and ours in one row."""

from __future__ import annotations

from click.testing import CliRunner

from deployer.cli.main import cli


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

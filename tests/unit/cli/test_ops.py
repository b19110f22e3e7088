"""The support table is what the importer checks and what the boards' kernels are."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deployer.board.load import load_board
from deployer.cli import main as cli_main
from deployer.cli.jobs.support import plain_lines, support_facts, targets
from deployer.cli.render_lists import print_ops
from deployer.frontend.operators import OPERATORS, describe
from deployer.ir.ops import OPS
from deployer.kernelset.select import families


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        cli_main.main(["ops", *arguments])
    said = capsys.readouterr()
    return int(stop.value.code or 0), said.out, said.err


def test_every_operator_with_every_constraint(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = ran(capsys, "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["kernels"] == []
    told = {row["operator"]: [c["needs"] for c in row["constraints"]] for row in facts["operators"]}
    assert told == {
        name: [describe(constraint)[0] for constraint in support.constraints]
        for name, support in OPERATORS.items()
    }


def test_a_pipe_gets_a_line_an_operator(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = ran(capsys)
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0
    assert [row[0] for row in rows[1:-1]] == list(OPERATORS)
    assert {len(row) for row in rows} == {3}


def test_a_board_adds_its_kernels_in_order_of_preference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = ran(capsys, "--board", "gap8", "--json")
    rows = {row["operator"]: row for row in json.loads(out)["kernels"]}
    assert status == 0
    assert list(rows) == list(OPS)
    known = {kernel.symbol: kernel for kernels in families().values() for kernel in kernels}
    order = [*load_board("gap8").kernels, "ref"]
    for name, row in rows.items():
        assert all(known[symbol].op == name for symbol in row["symbols"])
        ranks = [order.index(known[symbol].family) for symbol in row["symbols"]]
        assert ranks == sorted(ranks)
    assert rows["Conv2d"]["symbols"][-2:] == ["dpl_conv2d_s8__ref", "dpl_conv2d_s16__ref"]
    assert "Conv" in rows["Conv2d"]["serves"]
    assert rows["Reshape"]["alias"]


def test_an_operator_without_a_kernel_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deployer.cli.jobs.support.families", lambda: {"ref": ()})
    facts = support_facts(load_board("gap8"))
    bare = {row["operator"]: row["without_kernel"] for row in facts["operators"]}
    assert bare["MaxPool"] == ["MaxPool"]
    (told,) = (line for line in plain_lines(facts) if line.startswith("MaxPool\tnone\t"))
    serves = told.rpartition("\t")[2].split(", ")
    assert serves == [name for name in OPERATORS if name in serves]
    assert {"Expand", "GlobalMaxPool", "MaxPool", "Tile"} <= set(serves)


def test_what_every_node_needs_is_told_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_ops({**support_facts(None), "every_node": ["a shape [bold]", "no [link]"]})
    assert "Every node needs a shape [bold]; no [link]." in capsys.readouterr().out


def test_the_terminal_table_holds_operators_and_kernels(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_ops(support_facts(load_board("rpi3")))
    out = capsys.readouterr().out
    assert all(name in out for name in (*OPERATORS, "kernels of rpi3"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Conv2d; DepthwiseConv2d when group = input channels", ("Conv2d", "DepthwiseConv2d")),
        ("a bound of the layer before, else Rescale", ("Rescale",)),
        ("as Mul", ()),
        ("FullyConnected; a following Add is its bias", ("FullyConnected",)),
        ("nothing", ()),
    ],
)
def test_ir_operators_are_read_off_the_clauses(text: str, expected: tuple[str, ...]) -> None:
    assert targets(replace(OPERATORS["Relu"], becomes=text)) == expected


def test_an_unknown_board_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = ran(capsys, "--board", "gap9")
    assert (status, out) == (2, "")
    assert "gap8" in err

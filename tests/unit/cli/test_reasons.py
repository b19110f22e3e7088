"""Reasons for refusing nodes, grouped for people."""

from __future__ import annotations

import pytest

from deployer.cli.reasons import print_reasons, scope


def reason(operator: str, node: str, problem: str = "not supported", module: str = "") -> dict:
    return {
        "operator": operator,
        "node": node,
        "problem": problem,
        "module": module,
        "hint": f"hint for {operator}",
    }


RULE = "needs the batch in axis 0"


def said(capsys: pytest.CaptureFixture[str], *reasons: dict) -> list[str]:
    print_reasons(reasons)
    return capsys.readouterr().out.splitlines()


def test_nodes_that_go_with_an_unsupported_one_are_told_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = said(
        capsys,
        reason("Transpose", "/rnn/t", RULE),
        reason("LSTM", "/rnn/lstm"),
        reason("Squeeze", "/rnn/s", RULE),
    )
    assert lines == [
        "LSTM: not supported",
        "    /rnn/lstm",
        "  goes with it: Transpose /rnn/t, Squeeze /rnn/s",
        "  try: hint for LSTM",
    ]


def test_other_modules_keep_their_own_reasons_after_the_unsupported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = said(
        capsys,
        reason("Transpose", "/head/t", RULE),
        reason("Sin", "/body/s1"),
        reason("Sin", "/body/s2"),
        reason("Conv", "conv", RULE),
        reason("Cos", "cos"),
    )
    assert [line for line in lines if not line.startswith(" ")] == [
        "Sin: not supported",
        "Cos: not supported",
        f"Transpose: {RULE}",
        f"Conv: {RULE}",
    ]
    assert not any("goes with it" in line for line in lines)


def test_two_unsupported_operators_of_one_module_tell_the_rest_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = said(
        capsys,
        reason("Sin", "a", module="block.1"),
        reason("Cos", "b", module="block.1"),
        reason("Cast", "c", RULE, module="block.1"),
    )
    assert [line for line in lines if "goes with it" in line] == ["  goes with it: Cast c"]
    assert lines.index("  goes with it: Cast c") < lines.index("Cos: not supported")


def test_the_scope_of_a_node() -> None:
    assert scope(reason("A", "/features/0/conv/Conv")) == "features/0/conv"
    assert scope(reason("A", "/Gather")) == ""
    assert scope(reason("A", "/x/Gather", module="head")) == "head"

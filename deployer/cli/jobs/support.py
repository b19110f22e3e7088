"""The support table as facts: constraint functions on one side, kernels on the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from deployer.board import Board
from deployer.frontend import OPERATORS, Constraint, Support, describe, supported
from deployer.ir import OPS
from deployer.kernelset import FALLBACK, Kernel, families

Row = dict[str, Any]
_TARGET = re.compile(r"(?:^|[;,] (?:else )?)(\w+)")


def support_facts(board: Board | None) -> Row:
    """What ``deployer ops --json`` prints. Without a board nothing is said of kernels."""
    kernels = list(_kernel_rows(board)) if board else []
    bare = {row["operator"] for row in kernels if not (row["alias"] or row["symbols"])}
    return {
        "schema": 1,
        "board": board.name if board else "",
        "operators": [_operator_row(name, support, bare) for name, support in OPERATORS.items()],
        "every_node": [describe(constraint)[0] for constraint in supported.GENERAL],
        "kernels": kernels,
    }


def plain_lines(facts: Row) -> Iterator[str]:
    """One line an operator, columns split by tabs, for pipes."""
    yield "ONNX operator\tbecomes\tneeds"
    for row in facts["operators"]:
        needs = "; ".join(item["needs"] for item in row["constraints"])
        yield f"{row['operator']}\t{row['becomes']}\t{needs}"
    yield f"(every node)\t\t{'; '.join(facts['every_node'])}"
    if not facts["kernels"]:
        return
    yield ""
    yield f"IR operator\tkernels of {facts['board']}\tserves"
    for row in facts["kernels"]:
        symbols = "no code" if row["alias"] else " ".join(row["symbols"]) or "none"
        yield f"{row['operator']}\t{symbols}\t{', '.join(row['serves'])}"


def targets(support: Support) -> tuple[str, ...]:
    """The IR operators that clauses of ``support.becomes`` begin with: "Conv2d; Transpose where",
    "nothing, else Rescale", but not "as Mul"."""
    words = dict.fromkeys(_TARGET.findall(support.becomes))
    return tuple(word for word in words if word in OPS)


def _operator_row(name: str, support: Support, bare: set[str]) -> Row:
    made = targets(support)
    return {
        "operator": name,
        "becomes": support.becomes,
        "ir": list(made),
        "constraints": [_constraint_row(constraint) for constraint in support.constraints],
        "without_kernel": [op for op in made if op in bare],
    }


def _constraint_row(constraint: Constraint) -> Row:
    needs, hint = describe(constraint)
    return {"needs": needs, "try": hint}


def _kernel_rows(board: Board) -> Iterator[Row]:
    for op, spec in OPS.items():
        yield {
            "operator": op,
            "alias": spec.alias,
            "symbols": [kernel.symbol for kernel in _kernels_of(op, board.kernels)],
            "serves": [name for name, support in OPERATORS.items() if op in targets(support)],
        }


def _kernels_of(op: str, names: Sequence[str]) -> Iterator[Kernel]:
    """The kernels of ``op`` in the order in which a board tries them."""
    known = families()
    for name in dict.fromkeys([*names, FALLBACK]):
        yield from (kernel for kernel in known.get(name, ()) if kernel.op == op)

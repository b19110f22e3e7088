"""The check that lists every node that cannot be deployed at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from deployer.errors import ModelError
from deployer.frontend import supported as s
from deployer.frontend.advice import advice
from deployer.frontend.cut import proposal
from deployer.frontend.net import Net, Op
from deployer.frontend.one_variable import COMPOSING
from deployer.frontend.operands import fixed_shape
from deployer.frontend.operators import CHOOSING, LOGARITHMS, OPERATORS, PICKING, describe
from deployer.frontend.quantized import PAIR
from deployer.frontend.recurrences import RECURRENT

_BLOCK_ELEMENTS = 1 << 20  # elements
# Operators whose own constraints say more than those of all.
_OWN_FIRST = frozenset({*PAIR, *PICKING, *CHOOSING, *COMPOSING, *LOGARITHMS, *RECURRENT})


@dataclass(frozen=True)
class Violation:
    op: Op
    message: str
    hint: str


def check(net: Net) -> Net:
    """Return ``net``, or raise ModelError with every node that has no equivalent."""
    violations = list(_violations(net))
    if violations:
        raise _refusal(net, violations)
    _check_known(net)
    _check_finite(net)
    return net


def _violations(net: Net) -> Iterator[Violation]:
    blind = False
    for op in net.ops:
        if op.domain or op.type not in OPERATORS:
            yield Violation(op, "not supported", advice(op))
        elif net.known(op):
            yield from _broken(net, op)
        elif not blind:
            yield from _unknown_shape(net, op)
        blind = blind or not net.known(op)


def _broken(net: Net, op: Op) -> Iterator[Violation]:
    """The first constraint of ``op`` that does not hold."""
    own = OPERATORS[op.type].constraints
    order = (*own, *s.GENERAL) if op.type in _OWN_FIRST else (*s.GENERAL, *own)
    for constraint in order:
        found = constraint(net, op)
        if found:
            needs, hint = describe(constraint)
            yield Violation(op, f"needs {needs}; found {found}", hint)
            return


def _unknown_shape(net: Net, op: Op) -> Iterator[Violation]:
    """A shape lost here, not behind an unsupported node: a computed target shape."""
    if all(name in net.shapes for name in net.activations(op)):
        needs, hint = describe(fixed_shape)
        yield Violation(op, f"needs {needs}; found none for {op.output}", hint)


def _refusal(net: Net, violations: Sequence[Violation]) -> ModelError:
    groups: dict[tuple[str, str], list[Op]] = {}
    for item in violations:
        kind = f"{item.op.domain}.{item.op.type}" if item.op.domain else item.op.type
        groups.setdefault((kind, item.message), []).append(item.op)
    why = [f"{kind} {message}: {_places(ops)}" for (kind, message), ops in groups.items()]
    count = f"{len(violations)} of {len(net.ops)} nodes"
    what = f"{net.name}: {count} cannot be deployed"
    hints = list(dict.fromkeys(item.hint for item in violations))
    ends = proposal(net, [item.op for item in violations])
    if ends:
        hints.insert(0, f"{ends}   (ends the network there; the host does the rest)")
    return ModelError(what, why=why, hints=hints, reasons=[_reason(v) for v in violations])


def _reason(item: Violation) -> dict[str, str]:
    op = item.op
    kind = f"{op.domain}.{op.type}" if op.domain else op.type
    place = {"node": op.name, "operator": kind, "module": op.module}
    return {**place, "problem": item.message, "hint": item.hint}


def _places(ops: Sequence[Op]) -> str:
    return ", ".join(f"{op.name!r}" + (f" in {op.module}" if op.module else "") for op in ops)


def _check_known(net: Net) -> None:
    """Whatever the reason, nothing is built on a shape that is not known."""
    lost = [op for op in net.ops if not net.known(op)]
    if lost:
        raise ModelError(
            f"{net.name}: the shape of {lost[0].output!r} cannot be inferred",
            why=[f"node {lost[0].name!r} ({lost[0].type}) reads {', '.join(lost[0].inputs)}"],
            hints=["check it with `python -m onnx.checker FILE`, or export the model again"],
        )


def _check_finite(net: Net) -> None:
    """Bounds of Clip may be infinite; nothing else may."""
    checked = {name for op in net.ops if op.type != "Clip" for name in op.inputs}
    bad = [n for n in sorted(checked) if n in net.constants and not finite(net.constants[n])]
    if bad:
        raise ModelError(
            f"{net.name} has weights that are not numbers",
            why=[f"tensor {name!r} holds NaN or infinity" for name in bad],
            hints=["training diverged, or the export was damaged: check the weights"],
        )


def finite(array: np.ndarray) -> bool:
    """Whether all numbers stay finite as float32; a block at a time, for the largest tensors."""
    if array.dtype.kind in "iub":
        return True
    flat = array.reshape(-1)
    blocks = (flat[i : i + _BLOCK_ELEMENTS] for i in range(0, flat.size, _BLOCK_ELEMENTS))
    with np.errstate(all="ignore"):
        return all(np.isfinite(block.astype(np.float32)).all() for block in blocks)

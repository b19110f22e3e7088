"""Functions that a network writes out of several nodes, as one: comparisons, a choice between two
values, a sine.

All that depends on the elements of one activation and on numbers is a function of one variable,
and a Table whatever it is: Where and Greater around a Softplus, as torch's dynamo exporter has it,
a mask, a shrinkage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from deployer.frontend.lowering.curves import CURVES
from deployer.frontend.net import Net, Op
from deployer.frontend.supported import FLOATS
from deployer.ir import COMPOSED

_BOOL = 9  # ONNX element type
# By ONNX operator: what it is called in an expression. Alone the device has none of these.
COMPOSING: Mapping[str, str] = MappingProxyType(
    {
        "Acos": "acos",
        "And": "with_both",
        "Asin": "asin",
        "Asinh": "asinh",
        "Atan": "atan",
        "Cos": "cos",
        "Cosh": "cosh",
        "Equal": "equal",
        "Greater": "greater",
        "GreaterOrEqual": "greater_or_equal",
        "Less": "less",
        "LessOrEqual": "less_or_equal",
        "Mod": "mod",
        "Not": "neither",
        "Or": "either",
        "Shrink": "shrink",
        "Sin": "sin",
        "Sinh": "sinh",
        "Tan": "tan",
        "Trunc": "truncated",
        "Where": "where",
        "Xor": "one_of",
    }
)
_CONDITIONS = frozenset(
    {
        *("And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "Or", "Xor"),
    }
)
_ARITHMETIC = MappingProxyType(
    {"Add": "add", "Div": "div", "Max": "max", "Min": "min", "Mul": "mul", "Sub": "sub"}
)


@dataclass(frozen=True)
class _Formula:
    """What a value is of the elements of ``root``. ``needed``: the device has not all of its
    nodes; ``real``: it is a number, no condition."""

    root: str
    text: str
    needed: bool
    real: bool = True


def in_one_variable(net: Net) -> Net:
    """``net`` with a single node for each such function that has a node of COMPOSING."""
    if not any(op.type in COMPOSING and not op.domain for op in net.ops):
        return net
    found: dict[str, _Formula] = {}
    for op in net.ops:
        formula = _formula(net, op, found)
        if formula is not None:
            found[op.output] = formula
    ends = {name for name in found if _ends(net, name, found)}
    ops = tuple(_joined(op, found, ends) for op in net.ops)
    shapes = {name: net.shapes[found[name].root] for name in ends}  # some libraries infer none
    elements = {name: net.elements[found[name].root] for name in ends}
    shapes, elements = {**net.shapes, **shapes}, {**net.elements, **elements}
    return replace(net, ops=ops, shapes=shapes, elements=elements).pruned()


def _joined(op: Op, found: Mapping[str, _Formula], ends: set[str]) -> Op:
    if op.output not in ends:
        return op
    formula = found[op.output]
    return replace(op, type="Where", inputs=(formula.root,), attrs={COMPOSED: formula.text})


def _ends(net: Net, name: str, found: Mapping[str, _Formula]) -> bool:
    """Whether the function ends here: others than it read the value, which is a number."""
    if not found[name].needed or not found[name].real:
        return False
    inside = all(reader.output in found for reader in net.readers.get(name, ()))
    return name in net.outputs or not inside


def _formula(net: Net, op: Op, found: Mapping[str, _Formula]) -> _Formula | None:
    """Of the output of ``op``; None where it is no function of one variable."""
    if op.domain or len(op.outputs) != 1:
        return None
    names = [name for name in op.inputs if name]
    parts = [_part(net, name, found) for name in names]
    roots = {part.root for part in parts if part and part.root}
    if None in parts or len(roots) != 1:
        return None
    (root,) = roots
    if net.shapes.get(op.output, net.shapes[root]) != net.shapes[root]:
        return None
    text = _text(op, [part.text for part in parts if part])
    needed = op.type in COMPOSING or any(part.needed for part in parts if part)
    return None if text is None else _Formula(root, text, needed, _is_real(op))


def _is_real(op: Op) -> bool:
    return op.attrs.get("to", 0) in FLOATS if op.type == "Cast" else op.type not in _CONDITIONS


def _part(net: Net, name: str, found: Mapping[str, _Formula]) -> _Formula | None:
    """An operand: a number, what is known of a value, or the value itself."""
    constant = net.constants.get(name)
    if constant is not None:
        return _Formula("", repr(float(constant.item())), False) if constant.size == 1 else None
    if name in found:
        return found[name]
    is_root = name in net.shapes and net.elements.get(name, 0) in FLOATS
    return _Formula(name, "x", False) if is_root else None


def _text(op: Op, parts: list[str]) -> str | None:
    """The call of ``op``; None of one that no expression has."""
    if op.type in _ARITHMETIC:
        return _call(_ARITHMETIC[op.type], *parts) if len(parts) == 2 else None
    if op.type in CURVES:
        return _curve(op, parts[0])
    written = _WRITTEN.get(op.type)
    if written is not None:
        return written(op, parts)
    return _call(COMPOSING[op.type], *parts) if op.type in COMPOSING else None


def _curve(op: Op, x: str) -> str:
    name, alpha, beta = CURVES[op.type]
    second = op.attrs.get("gamma" if op.type == "Selu" else "beta", beta)
    return _call(name, x, repr(float(op.attrs.get("alpha", alpha))), repr(float(second)))


def _cast(to: int, x: str) -> str:
    if to == _BOOL:
        return _call("where", x, "1.0", "0.0")
    return _call("real" if to in FLOATS else "truncated", x)


def _call(name: str, *arguments: str) -> str:
    return f"{name}({','.join(arguments)})"


def _shrink(op: Op, parts: list[str]) -> str:
    bounds = (op.attrs.get("lambd", 0.5), op.attrs.get("bias", 0.0))
    return _call("shrink", parts[0], *(repr(float(bound)) for bound in bounds))


_WRITTEN: Mapping[str, Callable[[Op, list[str]], str | None]] = MappingProxyType(
    {
        "Cast": lambda op, parts: _cast(int(op.attrs.get("to", 0)), parts[0]),
        "Identity": lambda op, parts: parts[0],
        "Mod": lambda op, parts: _call("fmod" if op.attrs.get("fmod", 0) else "mod", *parts),
        "Neg": lambda op, parts: _call("sub", "0.0", parts[0]),
        "Pow": lambda op, parts: None if "x" in parts[1] else _call("power", *parts, "0.0"),
        "Shrink": _shrink,
    }
)

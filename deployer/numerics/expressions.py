"""Functions of one variable that a network writes out, as text: calls of named functions, numbers
and ``x``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

Named = Callable[..., np.ndarray]


def _shrink(x: np.ndarray, lambd: float, bias: float) -> np.ndarray:
    return np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0.0))


def _where(condition: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(condition != 0, a, b)


# Conditions are 0 and 1.
OPERATIONS: Mapping[str, Named] = MappingProxyType(
    {
        "acos": np.arccos,
        "add": np.add,
        "asin": np.arcsin,
        "asinh": np.arcsinh,
        "atan": np.arctan,
        "cos": np.cos,
        "cosh": np.cosh,
        "div": np.divide,
        "either": np.logical_or,
        "equal": np.equal,
        "fmod": np.fmod,
        "greater": np.greater,
        "greater_or_equal": np.greater_equal,
        "less": np.less,
        "less_or_equal": np.less_equal,
        "max": np.maximum,
        "min": np.minimum,
        "mod": np.mod,
        "mul": np.multiply,
        "neither": np.logical_not,
        "one_of": np.logical_xor,
        "real": lambda x: x,
        "shrink": _shrink,
        "sin": np.sin,
        "sinh": np.sinh,
        "sub": np.subtract,
        "tan": np.tan,
        "truncated": np.trunc,
        "where": _where,
        "with_both": np.logical_and,
    }
)


def evaluate(text: str, x: np.ndarray, named: Mapping[str, Named]) -> np.ndarray:
    """The expression over float64 values, by OPERATIONS and ``named``; not finite where it has no
    number."""
    with np.errstate(all="ignore"):
        return np.asarray(_value(_parsed(text), x, {**OPERATIONS, **named}), np.float64)


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _value(tree: ast.expr, x: np.ndarray, named: Mapping[str, Named]) -> Any:
    match tree:
        case ast.Name(id="x"):
            return x
        case ast.Constant(value=float() | int() as number):
            return np.float64(number)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, x, named)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in named:
            result = named[name](*(_value(each, x, named) for each in args))
            return np.asarray(result, np.float64)
    raise ValueError(f"no expression: {ast.unparse(tree)}")

"""Nodes that chains are written with, by the names exporters give their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from models import ModelBuilder

ROOT = float(np.sqrt(0.5))
TO_LAST, TO_FIRST = [0, 2, 3, 1], [0, 3, 1, 2]


def number(s: ModelBuilder, value: float) -> str:
    return s.constant(np.float32(value))


def vector(s: ModelBuilder, *numbers: float, shape: tuple[int, ...] = (-1, 1, 1)) -> str:
    return s.constant(np.array(numbers, np.float32).reshape(shape))


def image(s: ModelBuilder) -> str:
    return s.conv(s.input(1, 2, 3, 3), (4, 2, 1, 1))


def scaled(s: ModelBuilder, x: str, factor: float) -> str:
    return s.node("Mul", x, number(s, factor))


def shifted(s: ModelBuilder, x: str, offset: float) -> str:
    return s.node("Add", x, number(s, offset))


def bounded(s: ModelBuilder, x: str, low: float | None, high: float | None) -> str:
    return s.node("Clip", x, *("" if b is None else number(s, b) for b in (low, high)))


def curve(s: ModelBuilder, kind: str, x: str, **attrs: Any) -> str:
    return s.node(kind, x, **attrs)


def hard(s: ModelBuilder, x: str, scale: float, offset: float, low: Any, high: Any) -> str:
    return s.node("Mul", x, bounded(s, shifted(s, scaled(s, x, scale), offset), low, high))


def erf(s: ModelBuilder, x: str, scale: float = ROOT, one: float = 1.0, shift: float = 0.0) -> str:
    inner = scaled(s, x, scale)
    inner = shifted(s, inner, shift) if shift else inner
    return shifted(s, s.node("Erf", inner), one)


def flat_sigmoid(s: ModelBuilder, x: str) -> str:
    y = s.node("Sigmoid", s.node("Reshape", x, s.constant([1, 36])))
    return s.node("Reshape", y, s.constant([1, 4, 3, 3]))


def shaped(s: ModelBuilder, x: str, *sizes: int) -> str:
    return s.node("Reshape", x, s.constant(list(sizes)))


def picked(s: ModelBuilder, x: str, index: Any, axis: int = 1) -> str:
    return s.node("Gather", x, s.constant(np.array(index)), axis=axis)


def stepped(s: ModelBuilder, x: str, axis: int, begin: int, end: int, step: int) -> str:
    return s.node("Slice", x, *(s.constant([n]) for n in (begin, end, axis, step)))

"""What XpulpV2's vector instructions mean, stated with numpy on arrays of uint32."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint32]
Meaning = Callable[[Words, Words, Words], Words]  # old destination, rs1, rs2
SIGNED = {"b": np.int8, "h": np.int16}
UNSIGNED = {"b": np.uint8, "h": np.uint16}


def lanes(words: Words, width: str, signed: bool) -> NDArray[np.int64]:
    """(words, lanes): lane 0 is the lowest."""
    kind = (SIGNED if signed else UNSIGNED)[width]
    return np.ascontiguousarray(words).view(kind).reshape(len(words), -1).astype(np.int64)


def joined(values: NDArray[np.int64], width: str) -> Words:
    return np.ascontiguousarray(values.astype(UNSIGNED[width])).view(np.uint32).reshape(-1)


def wrapped(values: NDArray[np.int64]) -> Words:
    return (values & 0xFFFFFFFF).astype(np.uint32)


def each(width: str, signed: bool, rule: Callable[..., NDArray[np.int64]]) -> Meaning:
    """``rule`` lane by lane."""
    return lambda d, a, b: joined(rule(lanes(a, width, signed), lanes(b, width, signed)), width)


def dot(width: str, signs: tuple[bool, bool], *, adds: bool) -> Meaning:
    def meaning(d: Words, a: Words, b: Words) -> Words:
        products = lanes(a, width, signs[0]) * lanes(b, width, signs[1])
        return wrapped(products.sum(axis=1) + (d.astype(np.int64) if adds else 0))

    return meaning


def scalar(width: str, meaning: Meaning) -> Meaning:
    """The lowest lane of rs2 in every lane."""
    bits = 8 if width == "b" else 16
    ones = sum(1 << bits * lane for lane in range(32 // bits))
    return lambda d, a, b: meaning(d, a, wrapped((b & ((1 << bits) - 1)).astype(np.int64) * ones))


def average(width: str, signed: bool) -> Meaning:
    """The sum wraps to a lane before it is halved."""
    add = each(width, False, lambda x, y: x + y)

    def meaning(d: Words, a: Words, b: Words) -> Words:
        return joined(lanes(add(d, a, b), width, signed) >> 1, width)

    return meaning


def shuffled(width: str) -> Meaning:
    count = 4 if width == "b" else 2

    def meaning(d: Words, a: Words, b: Words) -> Words:
        both = np.concatenate([lanes(d, width, False), lanes(a, width, False)], axis=1)
        chosen = lanes(b, width, False) & (2 * count - 1)
        return joined(np.take_along_axis(both, chosen, axis=1), width)

    return meaning


def shift_of(width: str) -> int:
    return 7 if width == "b" else 15


def lane_rules(width: str) -> dict[str, tuple[int, bool, Meaning]]:
    """Instruction: f7, whether its immediate is signed, meaning."""
    last = shift_of(width)
    return {
        "add": (0x00, True, each(width, False, lambda x, y: x + y)),
        "sub": (0x04, True, each(width, False, lambda x, y: x - y)),
        "avg": (0x08, True, average(width, True)),
        "avgu": (0x0C, False, average(width, False)),
        "min": (0x10, True, each(width, True, np.minimum)),
        "minu": (0x14, False, each(width, False, np.minimum)),
        "max": (0x18, True, each(width, True, np.maximum)),
        "maxu": (0x1C, False, each(width, False, np.maximum)),
        "srl": (0x20, False, each(width, False, lambda x, y: x >> (y & last))),
        "sra": (0x24, False, each(width, True, lambda x, y: x >> (y & last))),
        "sll": (0x28, False, each(width, False, lambda x, y: x << (y & last))),
        "or": (0x2C, True, each(width, False, np.bitwise_or)),
        "xor": (0x30, True, each(width, False, np.bitwise_xor)),
        "and": (0x34, True, each(width, False, np.bitwise_and)),
        "dotup": (0x40, False, dot(width, (False, False), adds=False)),
        "dotusp": (0x44, True, dot(width, (False, True), adds=False)),
        "dotsp": (0x4C, True, dot(width, (True, True), adds=False)),
        "sdotup": (0x50, False, dot(width, (False, False), adds=True)),
        "sdotusp": (0x54, True, dot(width, (False, True), adds=True)),
        "sdotsp": (0x5C, True, dot(width, (True, True), adds=True)),
    }

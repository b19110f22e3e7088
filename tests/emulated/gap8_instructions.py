"""Every computing instruction of XpulpV2: its encoding and its meaning, as the fact sheet has them.

A word has a0 as destination, a1 as rs1 and a2 as rs2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.emulated.gap8_lanes import (
    Meaning,
    Words,
    joined,
    lane_rules,
    lanes,
    scalar,
    shuffled,
    wrapped,
)

A0, A1, A2 = 10, 11, 12
VECTOR, SCALAR, SHIFTED = 0x57, 0x33, 0x5B


class Instruction(NamedTuple):
    name: str
    word: int
    meaning: Meaning


def r_type(opcode: int, f3: int, f7: int, rs2: int = A2) -> int:
    return f7 << 25 | rs2 << 20 | A1 << 15 | f3 << 12 | A0 << 7 | opcode


def vectors() -> Iterator[Instruction]:
    for width, plain, scalars, immediates in (("b", 1, 5, 7), ("h", 0, 4, 6)):
        for name, (f7, signed, meaning) in lane_rules(width).items():
            full = f"pv.{name}"
            word = r_type(VECTOR, plain, f7)
            yield Instruction(f"{full}.{width}", word, meaning)
            yield Instruction(f"{full}.{width} bit 25", word | 1 << 25, meaning)
            yield Instruction(
                f"{full}.sc.{width}", r_type(VECTOR, scalars, f7), scalar(width, meaning)
            )
            for value in (-32, -5, 3, 31) if signed else (0, 5, 7, 42):
                word = with_six(r_type(VECTOR, immediates, f7), value)
                yield Instruction(
                    f"{full}.sci.{width} {value}", word, constant(value, scalar(width, meaning))
                )


def with_six(word: int, value: int) -> int:
    """The immediate of six bits: its lowest is bit 25, the others are the rs2 field."""
    six = value & 63
    return word & ~(31 << 20) | six >> 1 << 20 | (six & 1) << 25


def constant(value: int, meaning: Meaning) -> Meaning:
    return lambda d, a, b: meaning(d, a, np.full_like(b, value & 0xFFFFFFFF))


def lane_moves() -> Iterator[Instruction]:
    for lane in range(4):
        for name, f7, meaning in (
            ("extract", 0x3C, lane_taken(lane, signed=True)),
            ("extractu", 0x48, lane_taken(lane, signed=False)),
            ("insert", 0x58, lane_put(lane)),
        ):
            yield Instruction(f"pv.{name}.b {lane}", with_six(r_type(VECTOR, 7, f7), lane), meaning)
    yield Instruction("pv.shuffle2.b", r_type(VECTOR, 1, 0x64), shuffled("b"))
    yield Instruction("pv.shuffle2.h", r_type(VECTOR, 0, 0x64), shuffled("h"))
    yield Instruction("pv.pack.h", r_type(VECTOR, 0, 0x68), lambda d, a, b: a << 16 | b & 0xFFFF)
    yield Instruction("pv.packhi.b", r_type(VECTOR, 1, 0x6C), packed(3, 2))
    yield Instruction("pv.packlo.b", r_type(VECTOR, 1, 0x70), packed(1, 0))


def lane_taken(lane: int, *, signed: bool) -> Meaning:
    return lambda d, a, b: wrapped(lanes(a, "b", signed)[:, lane])


def lane_put(lane: int) -> Meaning:
    def meaning(d: Words, a: Words, b: Words) -> Words:
        out = lanes(d, "b", False)
        out[:, lane] = a & 0xFF
        return joined(out, "b")

    return meaning


def packed(first: int, second: int) -> Meaning:
    """The low byte of rs1 into byte ``first``, that of rs2 into ``second``."""
    return lambda d, a, b: lane_put(second)(lane_put(first)(d, a, b), b, b)


def as_signed(x: Words) -> np.ndarray:
    return x.view(np.int32).astype(np.int64)


def wide(x: Words) -> np.ndarray:
    return x.astype(np.int64)


def scalars() -> Iterator[Instruction]:
    yield from (
        Instruction(name, r_type(SCALAR, f3, f7), meaning)
        for name, f3, f7, meaning in (
            ("p.mac", 0, 0x21, lambda d, a, b: d + a * b),
            ("p.msu", 1, 0x21, lambda d, a, b: d - a * b),
            ("p.min", 4, 0x02, lambda d, a, b: wrapped(np.minimum(as_signed(a), as_signed(b)))),
            ("p.minu", 5, 0x02, lambda d, a, b: np.minimum(a, b)),
            ("p.max", 6, 0x02, lambda d, a, b: wrapped(np.maximum(as_signed(a), as_signed(b)))),
            ("p.maxu", 7, 0x02, lambda d, a, b: np.maximum(a, b)),
        )
    )
    for name, f3, f7, rule in (
        ("p.abs", 0, 0x02, lambda x: abs(x - (x >> 31 << 32))),
        ("p.ff1", 0, 0x08, lambda x: (x & -x).bit_length() - 1 if x else 32),
        ("p.fl1", 1, 0x08, lambda x: x.bit_length() - 1 if x else 32),
        ("p.clb", 2, 0x08, lambda x: 31 - (x ^ -(x >> 31) & 0xFFFFFFFF).bit_length() if x else 0),
        ("p.cnt", 3, 0x08, int.bit_count),
        ("p.exths", 4, 0x08, lambda x: (x & 0xFFFF ^ 0x8000) - 0x8000),
        ("p.exthz", 5, 0x08, lambda x: x & 0xFFFF),
        ("p.extbs", 6, 0x08, lambda x: (x & 0xFF ^ 0x80) - 0x80),
        ("p.extbz", 7, 0x08, lambda x: x & 0xFF),
    ):
        yield Instruction(name, r_type(SCALAR, f3, f7, 0), one_by_one(rule))


def one_by_one(rule) -> Meaning:  # type: ignore[no-untyped-def]
    return lambda d, a, b: np.array([rule(int(x)) & 0xFFFFFFFF for x in a], dtype=np.uint32)


def clips() -> Iterator[Instruction]:
    for n in (1, 8, 9, 16, 31):
        high = (1 << (n - 1)) - 1
        yield Instruction(f"p.clip {n}", r_type(SCALAR, 1, 0x0A, n), clip(-high - 1, high))
        yield Instruction(f"p.clipu {n}", r_type(SCALAR, 2, 0x0A, n), clip(0, high))
    yield Instruction("p.clipr", r_type(SCALAR, 5, 0x0A), clipped_to(signed=True))
    yield Instruction("p.clipur", r_type(SCALAR, 6, 0x0A), clipped_to(signed=False))


def clipped_to(*, signed: bool) -> Meaning:
    """Limits from a register, here of eight bits: -(rs2 + 1) or 0, and rs2."""

    def meaning(d: Words, a: Words, b: Words) -> Words:
        low = -wide(b) - 1 if signed else np.zeros_like(wide(b))
        return wrapped(np.minimum(np.maximum(as_signed(a), low), wide(b)))

    return meaning


def clip(low: int, high: int) -> Meaning:
    return lambda d, a, b: wrapped(np.clip(as_signed(a), low, high))


def bits() -> Iterator[Instruction]:
    for f3, name in enumerate(fields(1, 0)):
        yield Instruction(f"{name}r", r_type(SCALAR, f3, 0x40), from_register(name))
    for length, position in ((1, 0), (8, 12), (5, 27), (32, 0), (17, 3)):
        for f3, (name, rule) in enumerate(fields(length, position).items()):
            word = r_type(SCALAR, f3, 0x60 + length - 1, position)
            yield Instruction(f"{name} {length}@{position}", word, rule)


def from_register(name: str) -> Meaning:
    """rs2 has length - 1 above the five bits of the position."""

    def meaning(d: Words, a: Words, b: Words) -> Words:
        rows = [
            fields((int(y) >> 5 & 31) + 1, int(y) & 31)[name](d[i : i + 1], a[i : i + 1], b)
            for i, y in enumerate(b)
        ]
        return np.concatenate(rows)

    return meaning


def fields(length: int, position: int) -> dict[str, Meaning]:
    mask = (1 << length) - 1
    top = 1 << (length - 1)
    there = mask << position & 0xFFFFFFFF
    rest = ~there & 0xFFFFFFFF
    return {
        "p.extract": lambda d, a, b: wrapped(((wide(a) >> position & mask) ^ top) - top),
        "p.extractu": lambda d, a, b: wrapped(wide(a) >> position & mask),
        "p.insert": lambda d, a, b: wrapped(wide(d) & rest | (wide(a) & mask) << position),
        "p.bclr": lambda d, a, b: wrapped(wide(a) & rest),
        "p.bset": lambda d, a, b: wrapped(wide(a) | there),
    }


def shifted() -> Iterator[Instruction]:
    for s in (0, 1, 5, 15, 31):
        half = 1 << s >> 1
        for name, f3, f7, total in (
            ("p.add", 2, 0x00, lambda d, a, b: wide(a) + wide(b)),
            ("p.sub", 3, 0x00, lambda d, a, b: wide(a) - wide(b)),
            ("p.muls", 0, 0x40, lambda d, a, b: low_halves(a, b)),
            ("p.macs", 1, 0x40, lambda d, a, b: wide(d) + low_halves(a, b)),
        ):
            yield Instruction(f"{name}N {s}", r_type(SHIFTED, f3, f7 + s), shift(total, 0, s))
            yield Instruction(
                f"{name}RN {s}", r_type(SHIFTED, f3 + 4, f7 + s), shift(total, half, s)
            )


def shifted_by_register() -> Iterator[Instruction]:
    """The sum of rd and rs1, or the difference; rs2 has the shift in its lowest five bits."""
    for name, f3, sign in (("p.add", 2, 1), ("p.sub", 3, -1)):
        yield Instruction(f"{name}Nr", r_type(SHIFTED, f3, 0x20), shift_by(sign, rounded=False))
        yield Instruction(f"{name}RNr", r_type(SHIFTED, f3 + 4, 0x20), shift_by(sign, rounded=True))


def shift_by(sign: int, *, rounded: bool) -> Meaning:
    def meaning(d: Words, a: Words, b: Words) -> Words:
        s = wide(b) & 31
        half = 1 << s >> 1 if rounded else 0
        return wrapped(as_signed(wrapped(wide(d) + sign * wide(a) + half)) >> s)

    return meaning


def low_halves(a: Words, b: Words) -> np.ndarray:
    return lanes(a, "h", True)[:, 0] * lanes(b, "h", True)[:, 0]


def shift(total, half: int, s: int) -> Meaning:  # type: ignore[no-untyped-def]
    return lambda d, a, b: wrapped(as_signed(wrapped(total(d, a, b) + half)) >> s)


INSTRUCTIONS = [
    *vectors(),
    *lane_moves(),
    *scalars(),
    *clips(),
    *bits(),
    *shifted(),
    *shifted_by_register(),
]

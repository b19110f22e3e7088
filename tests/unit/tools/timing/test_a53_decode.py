"""What A64 instructions read and write, as objdump prints them."""

from __future__ import annotations

from typing import Any

import pytest

from deployer.tools.timing.a53_decode import decode
from deployer.tools.timing.a53_operation import Operation
from deployer.tools.timing.a53_rules import Unit, Use
from unit.tools.timing.loops import instructions

A, S, M, V = Use.ALU, Use.SHIFTED, Use.ADDRESS, Use.VECTOR
# written; read, by use
REGISTERS: dict[str, tuple[tuple[str, ...], dict[Use, tuple[str, ...]]]] = {
    "add x0, x1, x2": (("x0",), {A: ("x1", "x2")}),
    "add x0, x1, w2, sxtw #2": (("x0",), {A: ("x1",), S: ("x2",)}),
    "sub sp, sp, #0x40": (("sp",), {A: ("sp",)}),
    "mov w0, #0x7f": (("x0",), {}),
    "mov x0, xzr": (("x0",), {}),
    "movk x0, #0x12, lsl #16": (("x0",), {A: ("x0",)}),
    "cmp w0, w1, lsl #3": ((), {A: ("x0",), S: ("x1",)}),
    "ccmp w0, #0x4, #0x0, ne": ((), {A: ("x0",)}),
    "csel w0, w1, w2, lt": (("x0",), {A: ("x1", "x2")}),
    "cset w0, eq": (("x0",), {}),
    "bfi w0, w1, #8, #4": (("x0",), {S: ("x1",), A: ("x0",)}),
    "lsl x0, x1, #3": (("x0",), {S: ("x1",)}),
    "lsl x0, x1, x2": (("x0",), {A: ("x1", "x2")}),
    "smaddl x0, w1, w2, x3": (("x0",), {Use.FACTOR: ("x1", "x2"), Use.SUM: ("x3",)}),
    "cbz w0, 400": ((), {Use.STORED: ("x0",)}),
    "ldr x0, [x1, w2, sxtw #3]": (("x0",), {M: ("x1", "x2")}),
    "ldp x0, x1, [sp], #32": (("x0", "x1"), {M: ("sp",)}),
    "ldr q0, [x1], #16": (("v0",), {M: ("x1",)}),
    "ld1 {v30.16b-v1.16b}, [x1], #64": (("v30", "v31", "v0", "v1"), {M: ("x1",)}),
    "str w0, [x1, #8]": ((), {M: ("x1",), Use.STORED: ("x0",)}),
    "stp q0, q1, [x2, #32]": ((), {M: ("x2",), V: ("v0", "v1")}),
    "st4 {v4.8b-v7.8b}, [x0], x9": ((), {M: ("x0", "x9"), V: ("v4", "v5", "v6", "v7")}),
    "dup v0.4s, w1": (("v0",), {Use.MOVED: ("x1",)}),
    "umov w0, v1.b[3]": (("x0",), {V: ("v1",)}),
    "smlal v0.4s, v1.4h, v2.h[3]": (("v0",), {V: ("v1", "v2"), Use.TOTAL: ("v0",)}),
    "fmadd s0, s1, s2, s3": (("v0",), {V: ("v1", "v2"), Use.TOTAL: ("v3",)}),
    "sqxtn2 v0.8h, v1.4s": (("v0",), {V: ("v1",), Use.TOTAL: ("v0",)}),
    "tbl v0.16b, {v1.16b-v2.16b}, v3.16b": (("v0",), {V: ("v1", "v2", "v3")}),
    "movi v0.4s, #0x0": (("v0",), {}),
    "fcmpe s0, #0.0": ((), {V: ("v0",)}),
}


def decoded(text: str) -> Operation:
    return decode(instructions(text)[0])


@pytest.mark.parametrize("text", REGISTERS)
def test_an_instruction_reads_and_writes_its_registers(text: str) -> None:
    found = decoded(text)
    assert found.known
    assert (found.writes, {use: names for use, names in found.reads if names}) == REGISTERS[text]


WRITTEN_BACK = {
    "ldr x0, [x1], #8": ("x1",),
    "ldr x0, [x1, #8]!": ("x1",),
    "stp x29, x30, [sp, #-32]!": ("sp",),
    "ld1 {v0.16b}, [x2], x3": ("x2",),
    "ldr x0, [x1, #8]": (),
    "ldr x0, [x1, x2, lsl #3]": (),
    "prfm pldl1keep, [x1, #640]": (),
}


@pytest.mark.parametrize("text", WRITTEN_BACK)
def test_an_address_register_is_written_back_where_its_text_says_so(text: str) -> None:
    assert decoded(text).updates == WRITTEN_BACK[text]


@pytest.mark.parametrize("text", ["mov v0.d[1], x2", "ins v0.s[2], w3", "ld1 {v0.h}[7], [x1]"])
def test_a_part_of_a_register_is_merged(text: str) -> None:
    found = decoded(text)
    assert (found.writes, found.merges) == ((), ("v0",))


# lanes of 64 bits, unit, cycles, whether it issues alone
RESOURCES: dict[str, tuple[Any, ...]] = {
    "add v0.8b, v1.8b, v2.8b": (1, Unit.NONE, 1, False),
    "add v0.16b, v1.16b, v2.16b": (2, Unit.NONE, 1, False),
    "smull v0.8h, v1.8b, v2.8b": (2, Unit.NONE, 1, False),
    "sqrshrn2 v0.16b, v1.8h, #3": (1, Unit.NONE, 1, False),
    "addhn v0.8b, v1.8h, v2.8h": (2, Unit.NONE, 1, False),
    "ldr d0, [x1]": (1, Unit.MEMORY, 1, False),
    "ldr q0, [x1]": (0, Unit.MEMORY, 2, True),
    "str q0, [x1]": (2, Unit.MEMORY, 1, False),
    "prfm pldl1keep, [x1]": (0, Unit.MEMORY, 1, False),
    "mul w0, w1, w2": (0, Unit.MULTIPLIER, 1, False),
    "mul x0, x1, x2": (0, Unit.MULTIPLIER, 2, True),
    "ret": (0, Unit.BRANCH, 1, False),
}


@pytest.mark.parametrize("text", RESOURCES)
def test_an_instruction_takes_lanes_units_and_cycles(text: str) -> None:
    found = decoded(text)
    assert (found.lanes, found.unit, found.cycles, found.alone) == RESOURCES[text]


def test_flags_are_set_and_needed() -> None:
    assert decoded("adds x0, x1, x2").sets_flags
    assert decoded("tst x0, #0x1").sets_flags
    assert decoded("fcmp s0, s1").float_flags
    assert decoded("adc x0, x1, x2").needs_flags
    assert decoded("fcsel s0, s1, s2, eq").needs_flags
    assert not decoded("add x0, x1, x2").sets_flags

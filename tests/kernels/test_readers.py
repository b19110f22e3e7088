"""The driver's readers follow the table of argument structs."""

from __future__ import annotations

import pytest
from catalogue import readers as made
from catalogue.readers import any_args, readers

from deployer.kernelset.arguments import HEADERS, Arguments, Header

SPREAD = Arguments(
    "spread",
    (
        "dpl_tensor_{input} input",
        "dpl_tensor_{output} output",
        "const {element} *table",
        "dpl_window window",
        "int32_t shape[2], top",
        "dpl_requant requant",
    ),
    types=("s16_s8",),
    meaning="",
)


def test_a_struct_is_read_in_the_order_of_its_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "HEADERS", (Header("spread", (SPREAD,)),))
    assert (
        readers()
        == """#include "reading.h"

void read_spread_s16_s8(reader *r, any_args *args) {
    dpl_spread_s16_s8_args *a = &args->spread_s16_s8;
    a->input = tensor_s16(r);
    a->output = tensor_s8(r);
    a->table = operand(r);
    a->window = window(r);
    a->shape[0] = word(r);
    a->shape[1] = word(r);
    a->top = word(r);
    a->requant = requant(r);
}
"""
    )
    assert (
        any_args()
        == """#include "dpl/spread.h"

typedef union {
    dpl_spread_s16_s8_args spread_s16_s8;
} any_args;

void read_spread_s16_s8(reader *r, any_args *args);
"""
    )


def test_what_is_read_by_hand_is_a_struct() -> None:
    assert {given.name for header in HEADERS for given in header.structs} >= made.BY_HAND

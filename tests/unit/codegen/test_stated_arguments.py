"""Generated arguments have every field of their struct: C would take a missing one for 0."""

from __future__ import annotations

import pytest

from deployer.codegen.arguments import stated
from deployer.ir.verify import InvariantError
from deployer.kernelset.arguments import arguments_of

PRELU = {"input": "x", "output": "y", "input_zero": "0", "requant": "q"}


def test_what_a_struct_needs_is_handed_on_in_the_order_given() -> None:
    found = stated(arguments_of("PRelu"), {**PRELU, "first": "4"}, "s8")
    assert list(found) == [*PRELU, "first"]


def test_an_optional_field_may_be_left_out() -> None:
    assert stated(arguments_of("PRelu"), dict(PRELU), "s8") == PRELU


@pytest.mark.parametrize("name", PRELU)
def test_a_field_left_out_is_an_error_that_names_it(name: str) -> None:
    fields = {key: value for key, value in PRELU.items() if key != name}
    with pytest.raises(InvariantError, match=rf"arguments prelu: {name}$"):
        stated(arguments_of("PRelu"), dict(fields), "s8")


def test_a_field_that_the_struct_has_not_is_an_error() -> None:
    with pytest.raises(InvariantError, match=r"arguments prelu: scratch$"):
        stated(arguments_of("PRelu"), {**PRELU, "scratch": "0"}, "s8")


def test_floats_have_the_fields_of_their_own_struct() -> None:
    fields = {"input": "x", "output": "y", "slopes": "s", "low": "0.0f", "high": "6.0f"}
    assert stated(arguments_of("PRelu"), dict(fields), "f32") == fields
    with pytest.raises(InvariantError, match=r"arguments prelu: .*slopes"):
        stated(arguments_of("PRelu"), dict(PRELU), "f32")

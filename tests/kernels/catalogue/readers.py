"""What the driver's C reads argument structs with, from the table that states their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deployer.kernelset.arguments import HEADERS, Arguments

BY_HAND = {"concat", "conv2d_sums"}  # typed_arguments.h: their words say more than their fields
_READ_BY = {"int32_t": "word", "uint32_t": "word", "float": "real"}
_DECLARED = re.compile(r"(?:const )?(\w+) (.+)")
_ARRAY = re.compile(r"(\w+)\[(\d+)\]")


def any_args() -> str:
    """``any_args.h``: a union of all structs, and the prototypes of the readers."""
    structs = list(_structs())
    members = [f"    {given.struct(types)} {_member(given, types)};" for given, types in structs]
    return "\n".join(
        [
            *(f'#include "dpl/{header.name}.h"' for header in HEADERS),
            *("", "typedef union {", *members, "} any_args;", ""),
            *(f"{_head(given, types)};" for given, types in structs),
            "",
        ]
    )


def readers() -> str:
    """``readers.c``: a function a struct that fills it from a case's words and operands, in the
    order of its fields."""
    return "\n".join(
        ['#include "reading.h"', *(line for each in _structs() for line in _reader(*each)), ""]
    )


def _structs() -> Iterator[tuple[Arguments, str]]:
    for header in HEADERS:
        for given in header.structs:
            yield from ((given, types) for types in given.types)


def _member(given: Arguments, types: str) -> str:
    return f"{given.name}_{types}"


def _head(given: Arguments, types: str) -> str:
    return f"void read_{_member(given, types)}(reader *r, any_args *args)"


def _reader(given: Arguments, types: str) -> Iterator[str]:
    if given.name in BY_HAND:
        return
    yield f"\n{_head(given, types)} {{"
    yield f"    {given.struct(types)} *a = &args->{_member(given, types)};"
    for declaration in given.declarations(types, given.fields_of(types)):
        yield from (f"    a->{name} = {value}(r);" for name, value in _values(declaration))
    yield "}"


def _values(declaration: str) -> Iterator[tuple[str, str]]:
    """The elements that ``int32_t shape[4], top`` declares, and what reads one of them."""
    found = _DECLARED.fullmatch(declaration)
    assert found, declaration
    kind, names = found[1], (name.strip() for name in found[2].split(","))
    value = _READ_BY.get(kind, kind.removeprefix("dpl_"))
    for name in names:
        if name.startswith("*"):
            yield name[1:], "operand"
        elif array := _ARRAY.fullmatch(name):
            yield from ((f"{array[1]}[{i}]", value) for i in range(int(array[2])))
        else:
            yield name, value

"""Headers of kernels, written from the tables that Python reads too.

    python -m deployer.codegen.kernel_headers [--check]

Argument structs and prototypes follow from ``kernelset/arguments.py`` and the catalogue, blocking
from ``kernelset/blocking``. ``--check`` writes nothing: it names headers that are not what would be
written, and ends with 1 if there are any.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from pathlib import Path
from types import ModuleType

from deployer.codegen.templates import rendered
from deployer.ir import InvariantError
from deployer.kernelset import HEADERS, Arguments, Header, Kernel, blocking, families
from deployer.resources import data_root

_MAX_COLUMNS = 100
_WRITTEN = "Written by python -m deployer.codegen.kernel_headers"
_CONSTANT = re.compile(r"([A-Z][A-Z0-9_]*) = ")


@dataclass(frozen=True)
class Struct:
    """A C struct: ``comment`` and ``fields`` are lines."""

    name: str
    comment: tuple[str, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class OperatorHeader:
    """What the template of an operator's header may name."""

    comment: tuple[str, ...]
    guard: str
    includes: tuple[str, ...]
    structs: tuple[Struct, ...]
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True)
class Part:
    """Constants under one comment, as names and values."""

    comment: tuple[str, ...]
    constants: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class BlockingHeader:
    """What the template of a header of constants may name."""

    comment: tuple[str, ...]
    guard: str
    parts: tuple[Part, ...]


def main(options: Sequence[str]) -> int:
    folder = data_root() / "kernels" / "include" / "dpl"
    stale = [name for name, text in headers().items() if _text(folder / name) != text]
    if "--check" in options:
        print("".join(f"{name} is stale: {_WRITTEN}\n" for name in stale), end="")
        return int(bool(stale))
    for name in stale:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(headers()[name])
        print(folder / name)
    return 0


def headers() -> dict[str, str]:
    """The text of each header that is written, by its name under ``kernels/include/dpl``."""
    kernels = [kernel for entries in families().values() for kernel in entries]
    found = {f"{each.name}.h": operator_header(each, kernels) for each in HEADERS}
    for path in sorted(Path(blocking.__path__[0]).glob("[a-z]*.py")):
        module = import_module(f"{blocking.__name__}.{path.stem}")
        found[f"{path.stem}/blocking.h"] = blocking_header(path.stem, module, path.read_text())
    return found


def operator_header(header: Header, kernels: Sequence[Kernel]) -> str:
    """The argument structs of ``header``, and the prototypes of those of ``kernels`` it is for."""
    about = f"{header.meaning} {_WRITTEN}.".strip()
    view = OperatorHeader(
        comment=_comment(about),
        guard=f"DPL_{header.name.upper()}_H",
        includes=tuple(_includes(header)),
        structs=tuple(struct for each in header.structs for struct in _structs(each)),
        kernels=tuple(kernel for kernel in kernels if kernel.header == f"dpl/{header.name}.h"),
    )
    return rendered("kernels/operator.h.j2", header=view)


def _includes(header: Header) -> Iterator[str]:
    fields = [
        field for each in header.structs for types in each.types for field in each.fields_of(types)
    ]
    for name in ("function", "requant"):
        if any(f"dpl_{name}" in field for field in fields):
            yield f"dpl/{name}.h"
    yield "dpl/tensor.h"


def _structs(given: Arguments) -> Iterator[Struct]:
    for types in given.types:
        first = given.meaning if types == given.types[0] else ""
        comment = _comment(given.meanings.get(types, first))
        if given.part:
            yield Struct(given.part_struct(types), comment, given.declarations(types, given.part))
            comment = ()
        fields = given.declarations(types, given.fields_of(types))
        yield Struct(given.struct(types), comment, fields)


def blocking_header(name: str, module: ModuleType, source: str) -> str:
    """The constants of ``module`` as macros, each under its comment of ``source``. Raises
    InvariantError for a line that is neither."""
    view = BlockingHeader(
        comment=_comment(f"{(module.__doc__ or '').strip()} {_WRITTEN}."),
        guard=f"DPL_{name.upper()}_BLOCKING_H",
        parts=tuple(_parts(name, module, source)),
    )
    return rendered("kernels/blocking.h.j2", header=view)


def _parts(name: str, module: ModuleType, source: str) -> Iterator[Part]:
    lines = [line for line in source.splitlines()[1:] if line]
    comment: tuple[str, ...] = ()
    for remarks, group in groupby(lines, lambda line: line.startswith("# ")):
        if remarks:
            comment = _comment(" ".join(line[2:] for line in group))
            continue
        yield Part(comment, tuple(_constant(name, module, line) for line in group))


def _constant(name: str, module: ModuleType, line: str) -> tuple[str, int]:
    found = _CONSTANT.match(line)
    if found is None:
        raise InvariantError(f"kernelset/blocking/{name}.py: {line!r} is no constant")
    return found[1], int(getattr(module, found[1]))


def _comment(text: str) -> tuple[str, ...]:
    """A C comment as lines."""
    if not text:
        return ()
    lines = textwrap.wrap(
        text,
        _MAX_COLUMNS,
        initial_indent="/* ",
        subsequent_indent=" * ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    if len(lines[-1]) + 3 <= _MAX_COLUMNS:
        lines[-1] += " */"
    else:
        lines.append(" */")
    return tuple(lines)


def _text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

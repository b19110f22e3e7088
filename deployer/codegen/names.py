"""C identifiers from the names exporters write."""

from __future__ import annotations

import re
from collections.abc import Iterable

from deployer.ir import Graph


def c_name(text: str) -> str:
    """A valid identifier that still reads like ``text``: lower case, words joined by ``_``.

    Callers add a prefix or suffix, so a C keyword needs no care.
    """
    name = re.sub(r"[^0-9a-zA-Z]+", "_", text).strip("_").lower()
    if not name or name[0].isdigit():
        return f"n_{name}".rstrip("_")
    return name


def unique_names(texts: Iterable[str]) -> dict[str, str]:
    """Each text to an identifier of its own; clashes get a number, first come first served."""
    taken: set[str] = set()
    names: dict[str, str] = {}
    for text in texts:
        base = c_name(text)
        name, count = base, 2
        while name in taken:
            name, count = f"{base}_{count}", count + 1
        taken.add(name)
        names[text] = name
    return names


def plain_text(text: str) -> str:
    """``text`` fit for a C string or comment: exporters put anything into names."""
    return re.sub(r"[^0-9A-Za-z_./:;,+-]", "_", text)


def network_cname(graph: Graph) -> str:
    """The prefix of everything generated for ``graph``."""
    return c_name(graph.name)

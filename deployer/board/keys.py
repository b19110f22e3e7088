"""Keys of a table in a board file: known ones only, so that a typing error is not ignored."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from deployer.errors import UsageError


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise UsageError naming the nearest known key for one that is not."""
    known = list(known)
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hints = [f"did you mean {near[0]!r}?"] if near else [f"known: {', '.join(known)}"]
            raise UsageError(f"unknown key {key!r} in {where}", hints=hints)

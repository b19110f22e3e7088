"""The [timing] table of a board file: what estimates of time need to know of the chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deployer.board.model import Cache, Costs, Memory, OuterCache, Timing
from deployer.board.sections import COSTS, ERRORS, OUTER_CYCLES
from deployer.errors import UsageError
from deployer.units import parse_size


def timing_of(table: Mapping[str, Any], memories: Sequence[Memory]) -> Timing:
    """Of a table whose keys and values are checked. Raises UsageError for what cannot be."""
    names = [memory.name for memory in memories]
    for key in ("tight", "tight_code"):
        if key in table and table[key] not in names:
            raise UsageError(
                f"timing.{key} names {table[key]!r}", hints=[f"memories: {', '.join(names)}"]
            )
    data, code = (_cache(table[name], name) for name in ("data_cache", "code_cache"))
    outer = _outer(table["outer"]) if "outer" in table else None
    if len({cache.line for cache in (data, code, *([outer.cache] if outer else []))}) > 1:
        raise UsageError("timing has caches of different lines", hints=["one line for all"])
    return Timing(
        pipeline=table["pipeline"],
        data_cache=data,
        code_cache=code,
        tight=table.get("tight", ""),
        tight_code=table.get("tight_code", ""),
        costs=costs_of(table),
        outer=outer,
        **{name: table[name] for name in ERRORS},
    )


def costs_of(table: Mapping[str, Any]) -> Costs:
    """Of a table that has them, checked."""
    return Costs(**{name: float(table[name]) for name in COSTS})


def _outer(table: Mapping[str, Any]) -> OuterCache:
    costs = {name: float(table[name]) for name in OUTER_CYCLES}
    return OuterCache(_cache(table["cache"], "outer.cache"), **costs, source=table["source"])


def _cache(table: Mapping[str, Any], name: str) -> Cache:
    cache = Cache(parse_size(table["size"]), table["ways"], table["line"])
    if cache.size % (cache.ways * cache.line):
        raise UsageError(
            f"timing.{name} is not a whole number of sets", hints=["size = ways x line x n"]
        )
    return cache

"""The [timing] table of a board file: what estimates of time need to know of the chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deployer.board.keys import check_keys
from deployer.board.model import Cache, Costs, Memory, Timing
from deployer.errors import UsageError
from deployer.units import parse_size

PIPELINES = ("cortex-m7",)
COSTS = ("misprediction", "data_miss", "fetch_miss")
ERRORS = ("error", "ratio_error")
_KEYS = ("pipeline", "data_cache", "code_cache", "tight", "tight_code", *COSTS, *ERRORS)
_CACHE = ("size", "ways", "line")


def timing_of(table: Mapping[str, Any], memories: Sequence[Memory]) -> Timing:
    """Raises UsageError for what cannot be, KeyError for a key that is not there."""
    check_keys(table, _KEYS, "[timing]")
    if table["pipeline"] not in PIPELINES:
        raise UsageError(
            f"[timing] has no model of a pipeline {table['pipeline']!r}",
            hints=[f"known: {', '.join(PIPELINES)}"],
        )
    names = [memory.name for memory in memories]
    for key in ("tight", *(["tight_code"] if "tight_code" in table else [])):
        if table[key] not in names:
            raise UsageError(f"[timing] names {table[key]!r}", hints=[f"memories: {names}"])
    data, code = (_cache(table[name], name) for name in ("data_cache", "code_cache"))
    if data.line != code.line:
        raise UsageError("[timing] has caches of different lines", hints=["one line for both"])
    return Timing(
        pipeline=table["pipeline"],
        data_cache=data,
        code_cache=code,
        tight=table["tight"],
        tight_code=table.get("tight_code", ""),
        costs=costs_of(table, "[timing]"),
        **{name: fraction_of(table, name, "[timing]") for name in ERRORS},
    )


def costs_of(table: Mapping[str, Any], where: str) -> Costs:
    """Raises UsageError for a cost below nothing."""
    return Costs(**{name: _number(table, name, where) for name in COSTS})


def fraction_of(table: Mapping[str, Any], name: str, where: str) -> float:
    """A share between 0 and 1. Raises UsageError for any other."""
    value = _number(table, name, where)
    if not 0 < value < 1:
        raise UsageError(f"{name} = {value:g} in {where}", hints=["a share, such as 0.15"])
    return value


def _number(table: Mapping[str, Any], name: str, where: str) -> float:
    value = table[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise UsageError(f"{name} = {value!r} in {where}", hints=["a number, 0 or more"])
    return float(value)


def _cache(table: Mapping[str, Any], name: str) -> Cache:
    where = f"[timing] {name}"
    check_keys(table, _CACHE, where)
    cache = Cache(parse_size(table["size"]), table["ways"], table["line"])
    if cache.ways < 1 or cache.line < 1 or cache.size % (cache.ways * cache.line):
        raise UsageError(f"{where} is not a whole number of sets", hints=["size = ways x line x n"])
    return cache

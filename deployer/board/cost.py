"""What kernels cost on a core: instructions per term, counted once and kept in a file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deployer.errors import UsageError

SCHEMA = 1
FOLDER = "cost"  # beside the board files
_KEYS = {"schema", "counted_on", "tool", "compiler", "launches", "rms_error", "worst_error"}
_TABLES = {"region", "kernel", "cpi"}
_PIPELINE = "pipeline"

Weights = Mapping[str, float]


@dataclass(frozen=True)
class CostTable:
    """Instructions per term (deployer/restructure/terms.py) of every kernel by its symbol.

    ``region``: what its runtime adds to ``begin`` a region, per ``call`` of a kernel in it, per
    activation that the kernel reads (``read``), per node between it and the one whose rows are
    asked for (``hop``). Errors are those of the fit over ``launches``, as fractions. ``cpi``:
    cycles an instruction of a kernel, estimated by the model of ``pipeline``.
    """

    counted_on: str
    tool: str
    compiler: str
    launches: int
    rms_error: float
    worst_error: float
    region: Weights
    kernels: Mapping[str, Weights]
    pipeline: str = ""
    cpi: Weights = field(default_factory=dict)


@dataclass(frozen=True)
class BoardCost:
    """``counts`` names the table; ``cpi``: cycles an instruction, stated and not measured, of
    kernels that the table has none of for the board's ``pipeline``."""

    counts: str
    cpi: float
    table: CostTable
    pipeline: str = ""

    def cycles_each(self, symbol: str) -> float:
        """Cycles an instruction of that kernel."""
        if self.pipeline and self.pipeline == self.table.pipeline:
            return self.table.cpi.get(symbol, self.cpi)
        return self.cpi


def cost_file(folder: Path, counts: str) -> Path:
    """The table of that name beside the board files of ``folder``."""
    return folder / FOLDER / f"{counts}.toml"


def load_cost(path: Path) -> CostTable:
    """Raises UsageError naming the file and what is wrong with it."""
    try:
        return _table(tomllib.loads(path.read_text()))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {path}", why=[str(error)]) from None
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} holds no cost table", why=[str(error)]) from None


def _table(given: Mapping[str, Any]) -> CostTable:
    if unknown := given.keys() - _KEYS - _TABLES - {_PIPELINE}:
        raise ValueError(f"unknown keys: {', '.join(sorted(unknown))}")
    if given["schema"] != SCHEMA:
        raise ValueError(f"schema {given['schema']}, this version reads {SCHEMA}")
    return CostTable(
        **{name: given[name] for name in _KEYS - {"schema"}},
        region=_weights(given["region"]),
        kernels={name: _weights(row) for name, row in given["kernel"].items()},
        pipeline=given.get(_PIPELINE, ""),
        cpi=_weights(given.get("cpi", {})),
    )


def _weights(row: Mapping[str, Any]) -> Weights:
    found = {name: float(value) for name, value in row.items()}
    if any(value < 0 for value in found.values()):
        raise ValueError("a term that costs less than nothing")
    return found


def cost_text(table: CostTable) -> str:
    """The file of ``table``, as ``load_cost`` reads it."""
    head = {"schema": SCHEMA, **{name: getattr(table, name) for name in sorted(_KEYS - {"schema"})}}
    lines = ["# Instructions per term, written by deployer bench cost --write."]
    head |= {_PIPELINE: table.pipeline} if table.pipeline else {}
    lines += [f"{name} = {_value(value)}" for name, value in head.items()]
    lines += ["", "[cpi]", *_rows(table.cpi)] if table.cpi else []
    lines += ["", "[region]", *_rows(table.region)]
    for name, row in table.kernels.items():
        lines += ["", f"[kernel.{name}]", *_rows(row)]
    return "\n".join([*lines, ""])


def _rows(weights: Weights) -> list[str]:
    return [f"{name} = {value:.2f}" for name, value in weights.items()]


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return str(value) if isinstance(value, int) else '"' + str(value).replace('"', "'") + '"'

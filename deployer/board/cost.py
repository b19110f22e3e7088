"""What kernels cost on a core: instructions per term, counted once and kept in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deployer.errors import UsageError
from deployer.schema import ANY, Named, Table, integer, number, read_toml, text

SCHEMA = 1
FOLDER = "cost"  # beside the board files
_KEYS = {"schema", "counted_on", "tool", "compiler", "launches", "rms_error", "worst_error"}
_PIPELINE = "pipeline"
_WEIGHTS = Named(number(0, 1e12))
_FILE = Table(
    {
        "schema": ANY,
        **dict.fromkeys(("counted_on", "tool", "compiler"), text()),
        "launches": integer(0, 1 << 40),
        **dict.fromkeys(("rms_error", "worst_error"), number(0, 1e6)),
        "region": _WEIGHTS,
        "kernel": Named(_WEIGHTS),
    },
    {_PIPELINE: text(), "cpi": _WEIGHTS},
)

Weights = Mapping[str, float]


@dataclass(frozen=True)
class CostTable:
    """Instructions per term (deployer/restructure/terms.py) of every kernel by its symbol.

    ``region``: what its runtime adds to ``begin`` a region, per ``call`` of a kernel in it, per
    activation that the kernel reads (``read``), per node between it and the one whose rows are
    pulled (``hop``). Errors are those of the fit over ``launches``, as fractions. ``cpi``:
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
    kernels that the table has none of for the board's ``pipeline``; ``kernel_code``: bytes of code
    that the kernels of an image may take, None for no limit."""

    counts: str
    cpi: float
    table: CostTable
    pipeline: str = ""
    kernel_code: int | None = None

    def cycles_each(self, symbol: str) -> float:
        """Cycles an instruction of that kernel, or of its twin of int8."""
        if self.pipeline and self.pipeline == self.table.pipeline:
            twin = symbol.replace("_s16__", "_s8__")
            return self.table.cpi.get(symbol, self.table.cpi.get(twin, self.cpi))
        return self.cpi


def cost_file(folder: Path, counts: str) -> Path:
    """The table of that name beside the board files of ``folder``."""
    return folder / FOLDER / f"{counts}.toml"


def load_cost(path: Path) -> CostTable:
    """Raises UsageError naming the file and what is wrong with it."""
    given = read_toml(path)
    try:
        if given.get("schema", SCHEMA) != SCHEMA:
            raise UsageError(f"schema {given['schema']}, this version reads {SCHEMA}")
        _FILE.check(given, "")
    except UsageError as error:
        what = f"{path} holds no cost table: {error.what}"
        raise UsageError(what, why=error.why, hints=error.hints) from None
    return _table(given)


def _table(given: Mapping[str, Any]) -> CostTable:
    return CostTable(
        **{name: given[name] for name in _KEYS - {"schema"}},
        region=_weights(given["region"]),
        kernels={name: _weights(row) for name, row in given["kernel"].items()},
        pipeline=given.get(_PIPELINE, ""),
        cpi=_weights(given.get("cpi", {})),
    )


def _weights(row: Mapping[str, Any]) -> Weights:
    return {name: float(value) for name, value in row.items()}


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

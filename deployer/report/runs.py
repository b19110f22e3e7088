"""What a report keeps of a result: figures, counts of layers, and names that are safe to show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Any, TypeVar

from deployer.printed import label
from deployer.report.metrics import METRICS
from deployer_hil import LayerRecord, Result

T = TypeVar("T")
_COMMIT_CHARACTERS = 9
_DIRTY = "+"  # files differ from the commit
_HASHES = ("sha256", "library", "tuned")  # of options: they name no choice


@dataclass(frozen=True)
class Run:
    """``figures``: by the key of their metric, only those that the record tells. ``settings``:
    options of the bundle and the clock, nested ones by dotted names. ``counts``: of each layer,
    empty where they are worth nothing. ``work``: of each layer, its MACs and the bytes that it
    reads and writes, empty where the record tells none. ``differing``: the indices of layers that
    are not exact."""

    number: int
    time: str
    board: str
    model: str
    runner: str
    kind: str
    counter: str
    exact: bool
    commit: str
    compiler: str
    figures: Mapping[str, float]
    settings: Mapping[str, str]
    layers: tuple[str, ...]
    counts: tuple[int, ...]
    work: tuple[tuple[int, int], ...]
    differing: tuple[int, ...]


def run_of(result: Result) -> Run:
    record, made = result.record, result.record.made
    return Run(
        number=result.number,
        time=label(made.get("time", "")),
        board=_name(record.board),
        model=_name(record.model),
        runner=_name(record.runner),
        kind=_name(record.kind),
        counter=_name(record.counter),
        exact=record.golden.match,
        commit=_name(short_commit(made.get("commit", ""))),
        compiler=_name(made.get("compiler", "")),
        figures=_figures(result),
        settings=_settings(result),
        layers=tuple(_name(layer.name) for layer in record.layers),
        counts=_whole([layer.count for layer in record.layers]),
        work=_whole([_work(layer) for layer in record.layers]),
        differing=tuple(layer.index for layer in record.layers if not layer.match),
    )


def short_commit(commit: str) -> str:
    """Its first characters, and "+" where files differed from it."""
    dirty = _DIRTY if commit.endswith(_DIRTY) else ""
    return commit.removesuffix(_DIRTY)[:_COMMIT_CHARACTERS] + dirty


@lru_cache(maxsize=4096)  # ten thousand runs name the same few layers
def _name(text: str) -> str:
    return intern(label(text))


def _whole(found: Sequence[T | None]) -> tuple[T, ...]:
    """Empty unless every layer has one."""
    told = tuple(each for each in found if each is not None)
    return told if len(told) == len(found) else ()


def _work(layer: LayerRecord) -> tuple[int, int] | None:
    return None if layer.macs is None or not layer.moved else (layer.macs, layer.moved)


def _figures(result: Result) -> dict[str, float]:
    found = {metric.key: metric.read(result.record) for metric in METRICS}
    return {key: value for key, value in found.items() if value is not None}


def _settings(result: Result) -> dict[str, str]:
    clock = result.record.caps.get("clock_hz")
    own = {"clock": f"{clock} Hz"} if clock else {}
    return {**flat(result.record.options), **own}


def flat(options: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Options in one table, nested ones by dotted names: ``{"a": {"b": 1}}`` is ``{"a.b": "1"}``.
    Hashes are left out."""
    found: dict[str, str] = {}
    for key, value in options.items():
        name = prefix + key
        if isinstance(value, Mapping):
            found |= flat(value, f"{name}.")
        elif key not in _HASHES:
            text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
            found[intern(label(name))] = intern(label(text))
    return found

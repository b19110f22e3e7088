"""Integer networks that tests and workers of a session share, each quantized once.

One is used again for the same float network, samples and options; compilers, libraries and the
quantizer itself stay the same while a session lasts.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions, QuantResult
from deployer.quantize.samples import Samples
from objects import FOLDER

Quantize = Callable[..., QuantResult]
Report = Callable[[str, int, int], None]


def quantize_once(quantize: Quantize, arena: Callable[[Graph], int]) -> Quantize:
    """``quantize`` whose results are kept, for calls that count bytes by ``arena`` or not at all.
    What is told of progress is kept with them."""

    def once(graph: Graph, samples: Samples, options: QuantOptions, **more: Any) -> QuantResult:
        folder = os.environ.get(FOLDER)
        if not folder or more.get("ram", arena) is not arena:
            return quantize(graph, samples, options, **more)
        progress: Report = more.pop("progress", lambda *told: None)
        entry = (
            Path(folder) / f"{_digest(graph, samples, options, more.get('reference'))}.quantized"
        )
        if not entry.exists():
            told: list[tuple[Any, ...]] = []
            made = quantize(graph, samples, options, progress=lambda *at: told.append(at), **more)
            _keep(entry, pickle.dumps((made, told)))
        result, steps = pickle.loads(entry.read_bytes())
        for step in steps:
            progress(*step)
        return result

    return once


def _digest(graph: Graph, samples: Samples, options: QuantOptions, other: Graph | None) -> str:
    """Another order of entries is another network: nothing but time is lost."""
    same = None if other is graph else other
    return hashlib.sha256(pickle.dumps((graph, samples, options, same))).hexdigest()


def _keep(entry: Path, data: bytes) -> None:
    """Whole or not at all: other workers look for it."""
    aside = entry.with_name(uuid.uuid4().hex)
    aside.write_bytes(data)
    aside.rename(entry)

"""A graph as text that tells whatever of it a user of the graph relies on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx_equal import compare, imported

from deployer.errors import DeployerError
from deployer.ir.graph import Graph
from deployer.ir.types import QuantParams
from models import ModelBuilder

HASHES = ("model_sha256", "data_sha256")
Case = tuple[str, Callable[[ModelBuilder], str | tuple[str, ...]]]


def lines_of(graph: Graph) -> Iterator[str]:
    """Ends, facts, notes, nodes with what they give, constants with sums of their numbers."""
    inputs = (f"{name}{_scales(graph.values[name].quant)}" for name in graph.inputs)
    yield f"{', '.join(inputs)} -> {', '.join(graph.outputs)} {facts(graph)}"
    yield from (f"note {note}" for note in graph.notes)
    for node in graph.nodes:
        value = graph.values[node.output]
        source = "" if node.origin == (node.name,) else f" from {' '.join(node.origin)}"
        yield (
            f"{node.op} {node.name}: {', '.join(node.inputs)} -> {value.name} {value.shape}"
            f" {value.layout.value}{_scales(value.quant)} {short(node.attrs)}{source}"
        )
    for name, array in graph.constants.items():
        value = graph.values[name]
        quant = _scales(value.quant)
        yield f"{name} {value.shape} {value.layout.value} {weighed(array):.4e}{quant}"


def facts(graph: Graph) -> str:
    """What is known of the model, but hashes."""
    kept = {k: v for k, v in graph.meta.items() if not k.startswith(HASHES)}
    return " ".join(f"{key}={value}" for key, value in kept.items())


def weighed(array: np.ndarray) -> float:
    """A sum in which the places of numbers count."""
    flat = np.asarray(array, np.float64).ravel()
    return float(flat @ (1 + np.arange(flat.size) % 11)) if flat.size else 0.0


def short(item: Any) -> str:
    """A dataclass without the fields that have their defaults."""
    if not is_dataclass(item):
        return repr(item)
    said = []
    for each in fields(item):
        made = None if each.default_factory is MISSING else each.default_factory()
        value = getattr(item, each.name)
        if value != (made if each.default is MISSING else each.default):
            said.append(f"{each.name}={short(value)}")
    return f"{type(item).__name__}({', '.join(said)})"


def _scales(quant: QuantParams | None) -> str:
    if quant is None:
        return ""
    scales = np.array(quant.scale)
    axis = "" if quant.axis is None else f" along {quant.axis} of {scales.size}"
    return f" [{weighed(scales):.4e} from {quant.zero_point}{axis}]"


def outcome(case: Case, folder: Path) -> str:
    """What a case is imported as, after it gave what ONNX Runtime gives; or the whole refusal."""
    told, build = case
    s = ModelBuilder(1)
    made = build(s)
    model = s.model(*((made,) if isinstance(made, str) else made), checked=False)
    return told_or_refused(told, model, folder, exact=True)


def told_or_refused(
    told: str, model: onnx.ModelProto, folder: Path, *, exact: bool = False, **options: Any
) -> str:
    """What ``model`` is imported as, or the whole refusal; ``exact``: beside ONNX Runtime."""
    try:
        graph = imported(model, folder, **options)
    except DeployerError as error:
        said = str(error).replace(str(folder), "FOLDER")
        return f"== {told}\n{said}"
    if exact:
        compare(graph, model.SerializeToString())
    return "\n".join([f"== {told}", *lines_of(graph)])

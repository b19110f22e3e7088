"""Weights in files beside the model: found, checked, read into the model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from deployer.errors import ModelError

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, TensorProto


def inline_external_data(model: ModelProto, path: Path) -> dict[str, str]:
    """Move every external tensor into ``model``; SHA-256 of each side file by meta key."""
    from onnx import TensorProto

    files: dict[str, bytes] = {}
    for tensor in _tensors(model.graph):
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        fields = {entry.key: entry.value for entry in tensor.external_data}
        location = fields.get("location", "")
        if location not in files:
            files[location] = _side_file(path, location)
        tensor.raw_data = _slice(tensor.name, files[location], fields)
        tensor.data_location = TensorProto.DEFAULT
        del tensor.external_data[:]
    return {f"data_sha256/{name}": hashlib.sha256(files[name]).hexdigest() for name in files}


def _tensors(graph: GraphProto) -> Iterator[TensorProto]:
    """Initializers, and tensors in attributes, of subgraphs too."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            for inner in (attribute.g, *attribute.graphs):
                yield from _tensors(inner)


def _side_file(path: Path, location: str) -> bytes:
    """The bytes of a side file, which must lie in the model's folder."""
    folder = path.parent.resolve()
    target = folder / location
    if not location or Path(location).is_absolute() or ".." in Path(location).parts:
        raise _outside(path, location)
    try:
        if not target.resolve().is_relative_to(folder):
            raise _outside(path, location)
        return target.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ModelError(
            f"{path.name} keeps its weights in {location!r}, which cannot be read",
            why=[f"{path.parent / location}: {why}"],
            hints=[
                f"put {location} beside {path.name}",
                "or export with the weights inside (PyTorch: external_data=False)",
            ],
        ) from None


def _outside(path: Path, location: str) -> ModelError:
    return ModelError(
        f"{path.name} points to weights outside its folder: {location!r}",
        why=["a model may only read files beside or below it"],
        hints=["copy the file (not a link to it) beside the model and export again"],
    )


def _slice(name: str, data: bytes, fields: dict[str, str]) -> bytes:
    """The tensor's part of a side file."""
    location = fields["location"]
    try:
        offset = int(fields.get("offset", "0"))
        length = int(fields.get("length", len(data) - offset))
    except ValueError:
        raise ModelError(f"tensor {name!r}: damaged reference into {location}") from None
    if offset < 0 or length < 0 or offset + length > len(data):
        raise ModelError(
            f"{location} is too short: tensor {name!r} needs bytes {offset} to {offset + length}",
            why=[f"the file has {len(data):,} bytes"],
            hints=["export or copy the model and its side file again, together"],
        )
    return data[offset : offset + length]

"""Weights in files beside the model: found, checked, read into the model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from deployer.errors import ModelError
from deployer.frontend.limits import MAX_FILE_BYTES

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto


def inline_external_data(model: ModelProto, path: Path) -> dict[str, str]:
    """Move every external tensor into ``model``; SHA-256 of each side file by meta key."""
    from onnx import TensorProto

    files: dict[str, bytes] = {}
    room = MAX_FILE_BYTES
    bodies = (model.graph.node, *(function.node for function in model.functions))
    inner = (tensor for nodes in bodies for tensor in _tensors_of(nodes))
    for tensor in (*model.graph.initializer, *inner):
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        fields = {entry.key: entry.value for entry in tensor.external_data}
        location = fields.get("location", "")
        if location not in files:
            files[location] = _side_file(path, location)
        tensor.raw_data = _slice(tensor.name, files[location], fields)
        room -= len(tensor.raw_data)
        if room < 0:  # tensors may share bytes, and each gets its own
            raise _too_large(path, location, MAX_FILE_BYTES - room)
        tensor.data_location = TensorProto.DEFAULT
        del tensor.external_data[:]
    return {f"data_sha256/{name}": hashlib.sha256(files[name]).hexdigest() for name in files}


def _tensors_of(nodes: Iterable[NodeProto]) -> Iterator[TensorProto]:
    """Tensors in attributes, of subgraphs too, and the initializers of those."""
    for node in nodes:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            for graph in (attribute.g, *attribute.graphs):
                yield from graph.initializer
                yield from _tensors_of(graph.node)


def _side_file(path: Path, location: str) -> bytes:
    """The bytes of a side file, which must lie in the model's folder."""
    folder = path.parent.resolve()
    target = folder / location
    if not location or Path(location).is_absolute() or ".." in Path(location).parts:
        raise _outside(path, location)
    try:
        if not target.resolve().is_relative_to(folder):
            raise _outside(path, location)
        if target.exists() and not target.is_file():  # a pipe would never end, nor a device
            raise ModelError(f"{path.name} keeps its weights in {location!r}, which is no file")
        if target.stat().st_size > MAX_FILE_BYTES:
            raise _too_large(path, location, target.stat().st_size)
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


def _too_large(path: Path, location: str, size: int) -> ModelError:
    return ModelError(
        f"{path.name} keeps its weights in {location!r}, which is too large",
        why=[f"{size:,} bytes are asked for; at most {MAX_FILE_BYTES:,} are read"],
    )


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

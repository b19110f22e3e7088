"""A model file to a ModelProto that holds all its data, or a ModelError that says what is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deployer.errors import ModelError
from deployer.frontend.external import inline_external_data
from deployer.frontend.limits import MAX_FILE_BYTES
from deployer.frontend.versions import brief, known_format, known_operators, opset_of

if TYPE_CHECKING:
    from onnx import ModelProto

_LARGE_TENSOR_BYTES = 1 << 16  # of a tensor that the checker does not need to see

# First bytes of files that people pass by mistake, and what to do about each.
_LOOKALIKES: tuple[tuple[int, bytes, str, str], ...] = (
    (4, b"TFL3", "a TensorFlow Lite model", "convert it with tf2onnx; int8 stays int8"),
    (0, b"PK\x03\x04", "a zip archive (PyTorch and Keras save these)", "export it to ONNX first"),
    (0, b"\x89HDF", "an HDF5 file (Keras saves these)", "convert it with tf2onnx first"),
    (0, b"version https://git-lfs", "a Git LFS pointer, not the file", "run `git lfs pull`"),
)


@dataclass(frozen=True, eq=False)
class Loaded:
    """``hashes``: SHA-256 by meta key, of the model file and of each side file. ``opset``: what the
    file states; the model may have become another."""

    model: ModelProto
    hashes: dict[str, str]
    opset: int


def load(path: Path) -> Loaded:
    """Read ``path`` and its side files. The result is valid ONNX of an operator set we know."""
    data = _read(path)
    digest = hashlib.sha256(data).hexdigest()
    model = _parse(path, data)
    del data  # as large as the model, and not needed any more
    known_format(path, model)
    _check_dense(path, model)
    opset, side_files = opset_of(model), inline_external_data(model, path)
    model = known_operators(path, _inline_functions(model))
    _check_valid(path, model)
    return Loaded(model, {"model_sha256": digest, **side_files}, opset)


def _read(path: Path) -> bytes:
    if path.is_dir():
        found = sorted(item.name for item in path.glob("*.onnx"))
        hints = [f"give the file: {path / name}" for name in found[:3]]
        raise ModelError(f"{path} is a folder, not a model", hints=hints)
    try:
        if path.is_char_device():  # /dev/zero never ends
            raise ModelError(f"{path} is a device, not a model")
        if path.stat().st_size > MAX_FILE_BYTES:
            why = f"it has {path.stat().st_size:,} bytes; at most {MAX_FILE_BYTES:,} are read"
            raise ModelError(f"{path} is too large for ONNX", why=[why])
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"cannot read the model {path}", why=[error.strerror or str(error)]
        ) from None
    if not data:
        raise ModelError(f"{path} is empty", hints=["export or copy the model again"])
    return data


def _parse(path: Path, data: bytes) -> ModelProto:
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    for offset, magic, kind, hint in _LOOKALIKES:
        if data[offset : offset + len(magic)] == magic:
            raise ModelError(f"{path} is not ONNX", why=[f"it is {kind}"], hints=[hint])
    try:
        model: ModelProto = onnx.ModelProto.FromString(data)
    except (DecodeError, UnicodeDecodeError):
        raise _not_onnx(path, data) from None
    if not model.ir_version or not model.HasField("graph"):
        raise _not_onnx(path, data)
    if any(isinstance(text, bytes) for text in _texts(model)):
        raise _not_onnx(path, data)
    return model


def _texts(model: ModelProto) -> Iterator[str | bytes]:
    """Names and symbols; bytes where a damaged one is not UTF-8."""
    graph = model.graph
    yield graph.name
    yield from (entry.domain for entry in model.opset_import)
    yield from (tensor.name for tensor in graph.initializer)
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        yield from (attribute.name for attribute in node.attribute)
        yield from (text for item in node.metadata_props for text in (item.key, item.value))
    for item in (*graph.input, *graph.output):
        yield item.name
        yield from (dim.dim_param for dim in item.type.tensor_type.shape.dim)


def _not_onnx(path: Path, data: bytes) -> ModelError:
    begins_right = data[0] == 0x08  # the field ir_version, which every exporter writes first
    why = "it starts like ONNX but breaks off or is damaged" if begins_right else "unknown format"
    return ModelError(
        f"{path} is not readable as ONNX",
        why=[f"{why} ({len(data):,} bytes)"],
        hints=["export or copy the model again", "check it with `python -m onnx.checker FILE`"],
    )


def _check_dense(path: Path, model: ModelProto) -> None:
    sparse = [repr(tensor.values.name) for tensor in model.graph.sparse_initializer]
    if sparse:
        raise ModelError(
            f"{path} has sparse weights",
            why=[f"sparse tensors: {', '.join(sparse)}"],
            hints=["export the model with dense weights"],
        )


def _inline_functions(model: ModelProto) -> ModelProto:
    if not model.functions:
        return model
    from onnx import inliner

    try:
        return inliner.inline_local_functions(model)
    except Exception as error:  # the inliner reports damage in many ways
        what = "the model's local functions cannot be inlined"
        raise ModelError(what, why=[brief(error)]) from None


def _check_valid(path: Path, model: ModelProto) -> None:
    from onnx import checker

    try:
        checker.check_model(_outline(model))
    except Exception as error:  # ValidationError, and whatever damaged text makes it raise
        raise ModelError(
            f"{path} is not valid ONNX",
            why=[brief(error)],
            hints=["export the model again", "check it with `python -m onnx.checker FILE`"],
        ) from None


def _outline(model: ModelProto) -> ModelProto:
    """What the checker is to see: without the data of large tensors, of which it would make several
    copies, and with a shape for every input and output.

    Whether data fits its tensor shows when it is read; shapes that are left out are found by
    inference or given by --input-shape.
    """
    source = model.graph
    outline = type(model)(ir_version=model.ir_version, opset_import=model.opset_import)
    graph = outline.graph
    graph.name = source.name
    graph.node.extend(source.node)
    graph.value_info.extend(source.value_info)
    graph.sparse_initializer.extend(source.sparse_initializer)
    for tensor in source.initializer:
        if tensor.HasField("raw_data") and len(tensor.raw_data) > _LARGE_TENSOR_BYTES:
            graph.initializer.add(
                name=tensor.name, data_type=tensor.data_type, dims=[0], raw_data=b""
            )
        else:
            graph.initializer.add().CopyFrom(tensor)
    for ends, theirs in ((graph.input, source.input), (graph.output, source.output)):
        ends.extend(theirs)
        for item in ends:
            if item.type.HasField("tensor_type") and not item.type.tensor_type.HasField("shape"):
                item.type.tensor_type.shape.SetInParent()
    return outline

"""Operator sets and format versions: a model is judged by what its operators mean.

A model of a newer operator set is read as one of the newest that is known, where each node says
only what that one could say too. The version of the format itself says nothing: what the installed
``onnx`` parses is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deployer.errors import ModelError

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

OLDEST_OPSET = 11
NEWEST_OPSET = 23  # the newest whose operators were read through, for what they compute
STANDARD = ("", "ai.onnx")
_CONVERT_TO = 13  # what models older than OLDEST_OPSET are converted to
_MAX_NAMED = 8
_HINT = f"export again with an opset from {OLDEST_OPSET} to {NEWEST_OPSET}, for instance 17"


def opset_of(model: ModelProto) -> int:
    """Version of the standard operator set; 0 when none is declared."""
    versions = [o.version for o in model.opset_import if o.domain in STANDARD]
    return max(versions, default=0)


def known_format(path: Path, model: ModelProto) -> None:
    """Give ``model`` versions that the installed ``onnx`` knows, here the format's. Raises
    ModelError without a version of the standard operator set."""
    from onnx import IR_VERSION

    model.ir_version = min(model.ir_version, IR_VERSION)
    if opset_of(model) < 1:
        why = "it declares no version of the standard operator set"
        raise ModelError(f"{path} is not usable", why=[why], hints=[_HINT])


def known_operators(path: Path, model: ModelProto) -> ModelProto:
    """``model``, whose functions are inlined, in an operator set that is known.

    Raises ModelError for an old one that cannot be converted, and for a newer one with the nodes
    that say more than is known of their operator.
    """
    if opset_of(model) < OLDEST_OPSET:
        return _upgraded(path, model)
    known = newest()
    if opset_of(model) > known:
        _check_plain(path, model, known)
        lower(model)
    return model


def newest() -> int:
    """The newest operator set that is known, to us and to the installed ``onnx``."""
    from onnx import defs

    return min(NEWEST_OPSET, int(defs.onnx_opset_version()))


def lower(model: ModelProto) -> None:
    """Call a newer operator set the newest known one, in local functions too."""
    known = newest()
    for owner in (model, *model.functions):
        for entry in owner.opset_import:
            if entry.domain in STANDARD:
                entry.version = min(entry.version, known)


def _upgraded(path: Path, model: ModelProto) -> ModelProto:
    from onnx import version_converter

    try:
        return version_converter.convert_version(model, _CONVERT_TO)
    except Exception as error:  # the converter reports what it does not know in many ways
        raise ModelError(
            f"{path} has opset {opset_of(model)} and cannot be converted to {_CONVERT_TO}",
            why=[brief(error)],
            hints=[f"export again with an opset from {OLDEST_OPSET} to {NEWEST_OPSET}"],
        ) from None


def _check_plain(path: Path, model: ModelProto, known: int) -> None:
    found = [
        f"node {node.name or node.op_type!r} ({node.op_type}): {trouble}"
        for node in model.graph.node
        if node.domain in STANDARD and (trouble := _unknown(node, opset_of(model), known))
    ]
    if found:
        more = [f"and {len(found) - _MAX_NAMED} more"] if len(found) > _MAX_NAMED else []
        raise ModelError(
            f"{path} has opset {opset_of(model)}, and operators newer than {known} in it",
            why=[*found[:_MAX_NAMED], *more],
            hints=[_HINT, "or write these nodes with older operators"],
        )


def _unknown(node: NodeProto, version: int, known: int) -> str:
    """What ``node`` of a newer operator set says that ``known`` has no word for; maybe nothing."""
    from onnx import defs

    try:
        schema = defs.get_schema(node.op_type, known, "")
    except defs.SchemaError:
        return _newer_operator(node, version)
    extra = next(iter(_extras(node, schema)), "")
    return extra and f"{extra}, which opset {known} does not have"


def _newer_operator(node: NodeProto, version: int) -> str:
    """Empty for what no operator set has: the check of operators tells of it."""
    from onnx import defs

    newest_here = min(version, int(defs.onnx_opset_version()))
    if not defs.has(node.op_type, newest_here, ""):
        return ""
    since = defs.get_schema(node.op_type, newest_here, "").since_version
    return f"an operator since opset {since}"


def _extras(node: NodeProto, schema: Any) -> Iterator[str]:
    """Attributes, inputs and outputs of ``node`` beyond those of ``schema``."""
    given = (item.name for item in node.attribute)
    yield from (f"attribute {name!r}" for name in given if name not in schema.attributes)
    if len(node.input) > schema.max_input:
        yield f"{len(node.input)} inputs"
    if len(node.output) > schema.max_output:
        yield f"{len(node.output)} outputs"


def brief(error: Exception) -> str:
    """The first line of a library's message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__

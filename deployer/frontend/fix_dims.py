"""Static input shapes: the batch fixed to 1, the rest from the model or from the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deployer.errors import ModelError, UsageError

if TYPE_CHECKING:
    from onnx import ModelProto, ValueInfoProto

Shape = tuple[int, ...]
_EXAMPLE = {1: 3, 2: 96, 3: 96}  # stands for an unknown axis in a hint


@dataclass(frozen=True)
class Fixed:
    shapes: dict[str, Shape]
    notes: tuple[str, ...]


def fix_dims(model: ModelProto, overrides: Mapping[str, Shape]) -> Fixed:
    """Shapes of all graph inputs. Raises ModelError when an axis but the batch stays open."""
    initialized = {tensor.name for tensor in model.graph.initializer}
    inputs = [item for item in model.graph.input if item.name not in initialized]
    _check_names(overrides, [item.name for item in inputs])
    symbols = _symbols(inputs, overrides)
    notes: list[str] = []
    shapes: dict[str, Shape] = {}
    for item in inputs:
        if item.name in overrides:
            shapes[item.name] = _overridden(item, overrides[item.name])
        else:
            shapes[item.name] = _resolve(item, symbols, notes)
    return Fixed(shapes, tuple(notes))


def _check_names(overrides: Mapping[str, Shape], names: list[str]) -> None:
    unknown = [name for name in overrides if name not in names]
    if unknown:
        raise UsageError(
            f"the model has no input {', '.join(map(repr, unknown))}",
            why=[f"its inputs are {', '.join(map(repr, names))}"],
        )


def _dims(item: ValueInfoProto) -> list[int | str] | None:
    """Numbers, or the symbol (maybe empty) of an open axis; None without any shape."""
    tensor = item.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return [dim.dim_value if dim.dim_value > 0 else dim.dim_param for dim in tensor.shape.dim]


def _symbols(inputs: list[ValueInfoProto], overrides: Mapping[str, Shape]) -> dict[str, int]:
    """What the overridden inputs say about symbols that other inputs share."""
    found: dict[str, int] = {}
    for item in inputs:
        for dim, size in zip(_dims(item) or (), overrides.get(item.name, ()), strict=False):
            if isinstance(dim, str) and dim:
                found[dim] = size
    return found


def _overridden(item: ValueInfoProto, shape: Shape) -> Shape:
    dims = _dims(item)
    given = ",".join(map(str, shape))
    if dims is not None and len(dims) != len(shape):
        raise UsageError(f"input {item.name!r} has {len(dims)} axes, {given} has {len(shape)}")
    if not shape or min(shape) < 1 or shape[0] != 1:
        raise UsageError(
            f"--input-shape {item.name}={given}: sizes are positive and the batch is 1"
        )
    for axis, dim in enumerate(dims or ()):
        if axis and isinstance(dim, int) and dim != shape[axis]:
            raise UsageError(
                f"the model fixes axis {axis} of {item.name!r} to {dim}, not {shape[axis]}",
                hints=["export the model with the shape you want"],
            )
    return shape


def _resolve(item: ValueInfoProto, symbols: Mapping[str, int], notes: list[str]) -> Shape:
    dims = _dims(item)
    if dims is None:
        raise _open_shape(item, [1, "?", "?", "?"])
    sizes = [symbols.get(dim, dim) if isinstance(dim, str) else dim for dim in dims]
    if sizes and isinstance(sizes[0], str):
        symbol = f" {sizes[0]!r}" if sizes[0] else ""
        notes.append(f"input {item.name}: the dynamic batch{symbol} is fixed to 1")
        sizes[0] = 1
    if any(isinstance(size, str) for size in sizes):
        raise _open_shape(item, sizes)
    return tuple(int(size) for size in sizes)


def _open_shape(item: ValueInfoProto, sizes: list[int | str]) -> ModelError:
    example = [s if isinstance(s, int) else _EXAMPLE.get(i, 1) for i, s in enumerate(sizes)]
    open_axes = [f"axis {i} ({s or '?'})" for i, s in enumerate(sizes) if isinstance(s, str)]
    shape = ",".join(map(str, example))
    return ModelError(
        f"input {item.name!r} has no fixed shape",
        why=[f"open: {', '.join(open_axes)}; memory is planned for one exact shape"],
        hints=[f"--input-shape {item.name}={shape}   (with your sizes for the open axes)"],
    )

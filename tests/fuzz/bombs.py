"""Mutations that ask for far more memory or time than the file has bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Rng = np.random.Generator
_HUGE = (2**20, 2**24, 2**28, 2**31, 2**40, 2**62)


def _size(rng: Rng) -> int:
    return _HUGE[int(rng.integers(len(_HUGE)))]


def _add(model: ModelProto, array: np.ndarray) -> str:
    name = f"bomb_{len(model.graph.initializer)}"
    model.graph.initializer.append(numpy_helper.from_array(array, name))
    return name


def _victim(model: ModelProto, rng: Rng) -> NodeProto | None:
    nodes = [node for node in model.graph.node if node.input]
    return nodes[int(rng.integers(len(nodes)))] if nodes else None


def _before(model: ModelProto, rng: Rng, kind: str, *operands: str, **attrs: object) -> None:
    """A node of ``kind`` between a node and its first operand."""
    node = _victim(model, rng)
    if node is None:
        return
    inserted = helper.make_node(kind, [node.input[0], *operands], ["burst"], **attrs)
    index = next(i for i, item in enumerate(model.graph.node) if item is node or item == node)
    node.input[0] = "burst"
    model.graph.node.insert(index, inserted)


def huge_fill(model: ModelProto, rng: Rng) -> None:
    """ConstantOfShape of a large shape, added to an activation."""
    shape = [_size(rng)] if rng.random() < 0.5 else [1, 3, _size(rng), _size(rng)]
    fill = helper.make_node("ConstantOfShape", [_add(model, np.int64(shape))], ["fill"])
    model.graph.node.insert(0, fill)
    node = _victim(model, rng)
    if node is not None:
        node.input[len(node.input) - 1] = "fill"


def huge_range(model: ModelProto, rng: Rng) -> None:
    numbers = [_add(model, np.int64(n)) for n in (0, _size(rng), 1)]
    model.graph.node.insert(0, helper.make_node("Range", numbers, ["fill"]))
    node = _victim(model, rng)
    if node is not None:
        node.input[len(node.input) - 1] = "fill"


def huge_expand(model: ModelProto, rng: Rng) -> None:
    shape = [1, 1, 1, 1]
    shape[int(rng.integers(4))] = _size(rng)
    _before(model, rng, "Expand", _add(model, np.int64(shape)))


def huge_tile(model: ModelProto, rng: Rng) -> None:
    repeats = [1, 1, 1, 1][: int(rng.integers(1, 5))]
    repeats[-1] = _size(rng)
    _before(model, rng, "Tile", _add(model, np.int64(repeats)))


def huge_resize(model: ModelProto, rng: Rng) -> None:
    scales = np.float32([1, 1, 1, 1])
    scales[int(rng.integers(4))] = _size(rng)
    _before(model, rng, "Resize", "", _add(model, scales), mode="nearest")


def huge_pad(model: ModelProto, rng: Rng) -> None:
    pads = np.zeros(8, np.int64)
    pads[int(rng.integers(8))] = _size(rng)
    _before(model, rng, "Pad", _add(model, pads))


def huge_gather(model: ModelProto, rng: Rng) -> None:
    """One element picked very often; the indices are small in the file as a fill."""
    shape = _add(model, np.int64([1, 1, min(_size(rng), 2**28)]))
    zero = numpy_helper.from_array(np.int64([0]))
    model.graph.node.insert(0, helper.make_node("ConstantOfShape", [shape], ["picks"], value=zero))
    _before(model, rng, "Gather", "picks", axis=1)


def huge_constants(model: ModelProto, rng: Rng) -> None:
    """A chain of constants, each a little larger: together too many."""
    names = [_add(model, np.ones((2, 512), np.float32))]
    for i in range(int(rng.integers(4, 24))):
        node = helper.make_node("Concat", [names[-1], names[-1]], [f"twice_{i}"], axis=0)
        model.graph.node.insert(i, node)
        names.append(f"twice_{i}")
    node = _victim(model, rng)
    if node is not None:
        node.input[len(node.input) - 1] = names[-1]


def huge_product(model: ModelProto, rng: Rng) -> None:
    """A product of two constants that takes long."""
    side = int((256, 2048, 6000)[rng.integers(3)])
    ones = [
        helper.make_node("ConstantOfShape", [_add(model, np.int64([side, side]))], [f"ones_{i}"])
        for i in range(2)
    ]
    product = helper.make_node("MatMul", ["ones_0", "ones_1"], ["product"])
    for node in (product, *ones):
        model.graph.node.insert(0, node)
    node = _victim(model, rng)
    if node is not None:
        node.input[len(node.input) - 1] = "product"


def huge_weights(model: ModelProto, rng: Rng) -> None:
    """A weight of which the file states the shape, not the data."""
    if model.graph.initializer:
        tensor = model.graph.initializer[int(rng.integers(len(model.graph.initializer)))]
        dims = [_size(rng), *tensor.dims[1:]]
        kinds = (TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING, TensorProto.INT4)
        kind = kinds[int(rng.integers(len(kinds)))]
        tensor.CopyFrom(TensorProto(name=tensor.name, data_type=kind, dims=dims))


def huge_image(model: ModelProto, rng: Rng) -> None:
    """An input of many pixels: each layer is far too large."""
    for item in model.graph.input:
        for dim in item.type.tensor_type.shape.dim[2:]:
            dim.dim_value = int((500, 4000, 2**15, 2**26)[rng.integers(4)])


def huge_einsum(model: ModelProto, rng: Rng) -> None:
    """An outer product of constants."""
    ones = _add(model, np.ones(2000, np.float32))
    names = [ones] * int(rng.integers(2, 5))
    letters = "abcde"[: len(names)]
    node = helper.make_node("Einsum", names, ["outer"], equation=f"{','.join(letters)}->{letters}")
    model.graph.node.insert(0, node)
    victim = _victim(model, rng)
    if victim is not None:
        victim.input[len(victim.input) - 1] = "outer"


def long_loop(model: ModelProto, rng: Rng) -> None:
    """A Loop over constants that would run for ever."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["again"])],
        "body",
        [helper.make_tensor_value_info(name, kind, []) for name, kind in (("i", 7), ("go", 9))],
        [helper.make_tensor_value_info("again", 9, [])],
    )
    count = _add(model, np.int64(_size(rng)))
    go = _add(model, np.bool_(True))
    model.graph.node.insert(0, helper.make_node("Loop", [count, go], ["looped"], body=body))
    node = _victim(model, rng)
    if node is not None:
        node.input.append("looped")


BOMBS: tuple[Callable[[ModelProto, Rng], None], ...] = (
    *(huge_fill, huge_range, huge_expand, huge_tile, huge_resize, huge_pad, huge_gather),
    *(huge_constants, huge_product, huge_weights, huge_image, huge_einsum, long_loop),
)

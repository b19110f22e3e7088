"""Collects the nodes and initializers of one ONNX graph in one style."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deployer.tools.zoo import weights
from deployer.tools.zoo.layers import Layer, Network, Shape
from deployer.tools.zoo.styles import Style

if TYPE_CHECKING:
    import numpy as np
    from onnx import ModelProto, NodeProto, ValueInfoProto

PRODUCER = "deployer-zoo"


class Writer:
    """``batch_norm``: batch norms behind convolutions stay nodes of their own."""

    def __init__(self, network: Network, style: Style, *, seed: int, batch_norm: bool):
        self.network = network
        self.style = style
        self.seed = seed
        self.batch_norm = batch_norm
        self.values = {"input": "input"}
        self._finals = {layer: output for output, layer in network.outputs.items()}
        self._index = {layer.name: i for i, layer in enumerate(network.layers)}
        self._model = _empty(network, style)
        self._graph = self._model.graph
        self._shared: dict[bytes, str] = {}
        self._shapes: dict[str, Shape] = {}
        self._used: dict[tuple[str, str], int] = {}

    def inputs(self, layer: Layer) -> list[str]:
        """ONNX names of what the layer reads."""
        return [self.values[name] for name in layer.inputs]

    def node(
        self,
        layer: Layer,
        op: str,
        inputs: list[str],
        *,
        shape: Shape | None = None,
        final: bool = True,
        **attrs: Any,
    ) -> str:
        """Add a node; the name of its value.

        ``final``: it gives the layer's own value, which takes the name of a graph output.
        ``shape``: of another value, without the batch, where known.
        """
        from onnx import helper

        fields = self._fields(layer, op)
        output = self.style.value.format(**fields)
        if final:
            output = self._finals.get(layer.name, output)
            self.values[layer.name] = output
            self._shapes[output] = layer.shape
        elif shape is not None:
            self._shapes[output] = shape
        node = helper.make_node(
            op, inputs, [output], name=self.style.node.format(**fields), **attrs
        )
        self._scope(node, layer, op)
        self._graph.node.append(node)
        return output

    def constant(self, layer: Layer, array: np.ndarray, hint: str) -> str:
        """A number, bound, axis list or shape: an initializer, or a Constant node."""
        from onnx import numpy_helper

        if not self.style.constant_nodes:
            return self.tensor(f"{layer.name}.{hint}", array)
        return self.node(layer, "Constant", [], final=False, value=numpy_helper.from_array(array))

    def tensor(self, name: str, array: np.ndarray) -> str:
        """An initializer, written in place: a large one is not copied again."""
        from onnx import helper

        tensor = self._graph.initializer.add(name=name, dims=array.shape)
        tensor.data_type = helper.np_dtype_to_tensor_dtype(array.dtype)
        tensor.raw_data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        return name

    def vector(self, name: str, array: np.ndarray) -> str:
        """An initializer, which the style may store once for all that are equal."""
        from onnx import helper

        if not self.style.shares:
            return self.tensor(name, array)
        known = self._shared.setdefault(array.tobytes(), name)
        if known == name:
            return self.tensor(name, array)
        label = f"Identity_{len(self._graph.node)}"
        self._graph.node.append(helper.make_node("Identity", [known], [name], name=label))
        return name

    def weight(self, layer: Layer) -> np.ndarray:
        return weights.weight(layer, self.seed, self._index[layer.name])

    def bias(self, layer: Layer) -> np.ndarray | None:
        return weights.bias(layer.shape[0], self.seed) if layer.bias else None

    def norm(self, layer: Layer) -> weights.Norm:
        return weights.norm(layer.shape[0], self.seed)

    def model(self) -> ModelProto:
        """The finished model, with a batch of 1; to be called once."""
        finals = [*self._finals.values()]
        self._graph.output.extend(_info(name, self._shapes[name]) for name in finals)
        if self.style.shapes:
            inner = (name for name in self._shapes if name not in finals)
            self._graph.value_info.extend(_info(name, self._shapes[name]) for name in inner)
        return self._model

    def _fields(self, layer: Layer, op: str) -> dict[str, str]:
        """What the style's names are made of; ``suffix`` tells nodes of one layer apart."""
        key = (layer.name, op if "{op}" in self.style.value else "")
        count = self._used.get(key, 0)
        self._used[key] = count + 1
        return {"layer": layer.name, "op": op, "suffix": f"_{count}" if count else ""}

    def _scope(self, node: NodeProto, layer: Layer, op: str) -> None:
        """The metadata from which error messages take the module path."""
        if self.style.scopes:
            scopes = ["", layer.name, op.lower()]
            node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=repr(scopes))


def _empty(network: Network, style: Style) -> ModelProto:
    """A model with the input and no nodes."""
    from onnx import helper

    graph = helper.make_graph([], network.name, [_info("input", network.input)], [])
    model: ModelProto = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", style.opset)],
        ir_version=style.ir_version,
        producer_name=PRODUCER,
    )
    return model


def _info(name: str, shape: Shape) -> ValueInfoProto:
    from onnx import TensorProto, helper

    return helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, *shape))

"""Integer definition of every operator: what each kernel must compute, bit for bit.

NHWC batches, int8 or int16 as the values of the graph say.
"""

from __future__ import annotations

import numpy as np

from deployer.ir import Graph, Node
from deployer.numerics.ops import DEFINITIONS
from deployer.numerics.ops.define import Arrays, finish, input_zero
from deployer.numerics.ops.linear import conv_sums, exact_matmul
from deployer.numerics.ops.moves import pad_value
from deployer.numerics.ops.softmax import softmax_table

__all__ = [
    "conv_sums",
    "evaluate",
    "exact_matmul",
    "finish",
    "input_zero",
    "pad_value",
    "softmax_table",
]


def evaluate(graph: Graph, node: Node, inputs: Arrays) -> np.ndarray:
    """The output of ``node`` for ``inputs``: activations with any batch, then constants."""
    return DEFINITIONS[node.op].integer(graph, node, inputs)

"""Float definition of every operator: NHWC batches in, NHWC batches out."""

from __future__ import annotations

import numpy as np

from deployer.ir import Node
from deployer.numerics.ops import DEFINITIONS
from deployer.numerics.ops.define import Arrays


def evaluate(node: Node, inputs: Arrays) -> np.ndarray:
    """The float32 output of ``node`` for ``inputs``: activations with any batch, then constants."""
    return DEFINITIONS[node.op].real(node, inputs)

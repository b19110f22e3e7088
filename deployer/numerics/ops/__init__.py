"""The definition of every operator, of reals and of integers side by side, a file a family."""

from __future__ import annotations

from collections.abc import Mapping

from deployer.ir import operator_table
from deployer.numerics.ops import attention, linear, moves, pointwise, pools, resample, softmax
from deployer.numerics.ops.define import Definition

DEFINITIONS: Mapping[str, Definition] = operator_table(
    "float and integer references (numerics.ops)",
    {
        **linear.DEFINITIONS,
        **attention.DEFINITIONS,
        **pointwise.DEFINITIONS,
        **moves.DEFINITIONS,
        **resample.DEFINITIONS,
        **pools.DEFINITIONS,
        **softmax.DEFINITIONS,
    },
)

__all__ = ["DEFINITIONS", "Definition"]

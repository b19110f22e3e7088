"""The table of all operators, family by family."""

from __future__ import annotations

from itertools import chain

from deployer.ir.ops import attention, linear, moves, pointwise, pools, softmax
from deployer.ir.ops.spec import OpSpec

_FAMILIES = (
    linear.SPECS,
    attention.SPECS,
    pointwise.SPECS,
    moves.SPECS,
    pools.SPECS,
    softmax.SPECS,
)
OPS: dict[str, OpSpec] = dict(chain.from_iterable(specs.items() for specs in _FAMILIES))

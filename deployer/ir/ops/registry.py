"""The table of all operators, family by family."""

from __future__ import annotations

from itertools import chain

from deployer.ir.ops import linear, moves, norms, pointwise, pools, products, resample, softmax
from deployer.ir.ops.spec import OpSpec

_FAMILIES = (
    linear.SPECS,
    products.SPECS,
    pointwise.SPECS,
    norms.SPECS,
    moves.SPECS,
    resample.SPECS,
    pools.SPECS,
    softmax.SPECS,
)
OPS: dict[str, OpSpec] = dict(chain.from_iterable(specs.items() for specs in _FAMILIES))

"""Softmax over the last axis, by a table of powers."""

from __future__ import annotations

from collections.abc import Mapping

from deployer.ir.attrs import SoftmaxAttrs
from deployer.ir.ops import access
from deployer.ir.ops.shapes import same_shape
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization
from deployer.ir.types import DType

SPECS: Mapping[str, OpSpec] = {
    "Softmax": OpSpec(
        attrs=SoftmaxAttrs,
        shape=same_shape,
        family=Family.ACTIVATION,
        quantization=Quantization.UNIT,
        entries=Entries.NONE,
        arguments="softmax",
        access=access.same,
        constants=1,
        lookup={DType.S8: ((256,), DType.S32)},
        trains=True,
    ),
}

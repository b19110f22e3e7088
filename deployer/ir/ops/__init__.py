"""The operators of the IR, each with what the compiler may rely on: ``OpSpec`` says what."""

from __future__ import annotations

from deployer.ir.ops.registry import OPS
from deployer.ir.ops.shapes import same_shape, window_output
from deployer.ir.ops.spec import Entries, Family, OpSpec, Quantization
from deployer.ir.ops.tables import IncompleteTable, missing, operator_table

__all__ = [
    "OPS",
    "Entries",
    "Family",
    "IncompleteTable",
    "OpSpec",
    "Quantization",
    "missing",
    "operator_table",
    "same_shape",
    "window_output",
]

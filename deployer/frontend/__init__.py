"""ONNX models as graphs of the IR."""

from deployer.frontend import supported
from deployer.frontend.onnx_import import import_model
from deployer.frontend.operators import OPERATORS, Support, describe
from deployer.frontend.passes.idle_taps import WEIGHT_ROWS, imported_window
from deployer.frontend.supported import Constraint
from deployer.frontend.windows import unit_stride_window

__all__ = [
    "OPERATORS",
    "WEIGHT_ROWS",
    "Constraint",
    "Support",
    "describe",
    "import_model",
    "imported_window",
    "supported",
    "unit_stride_window",
]

"""What to do about an operator that deployer does not have."""

from __future__ import annotations

from deployer.frontend.net import Op

_DYNAMIC = (
    *("ConvInteger", "DynamicQuantizeLinear", "DynamicQuantizeMatMul", "MatMulInteger"),
    "MatMulIntegerToFloat",
)
_CONTROL = ("If",)
_LOOPS = ("Loop", "Scan")
HEADS = (
    *("ArgMax", "ArgMin", "Gather", "GatherElements", "GatherND", "Hardmax", "LogSoftmax"),
    *("NonMaxSuppression", "NonZero", "RoiAlign", "ScatterND", "TopK"),
)
_FUSED = ("Attention",)

_ADVICE = (
    (
        _DYNAMIC,
        "quantize statically, with calibration data: scales found at run time cannot be planned",
    ),
    (_CONTROL, "export with fixed shapes, so that the exporter resolves the control flow"),
    (
        _LOOPS,
        "export with fixed shapes and without loops: recurrent layers of Keras with unroll=True",
    ),
    (HEADS, "end the network before it (--cut NAME) and do this step on the host"),
    (_FUSED, "export with opset 22 or older, which writes its products out"),
)
_FORMAT = "quantize in the QDQ format (QuantFormat.QDQ), channels second"
_ANY = "rewrite the model without it, or end the network before it (--cut NAME)"


def advice(op: Op) -> str:
    """A workaround for the operator of ``op``, which begins with its name."""
    kind = f"{op.domain}.{op.type}" if op.domain else op.type
    if op.domain.startswith("com.microsoft") and op.type.startswith(("QLinear", "QGemm")):
        return f"{kind}: {_FORMAT}"
    known = not op.domain or op.type in _DYNAMIC
    found = next((text for types, text in _ADVICE if known and op.type in types), _ANY)
    return f"{kind}: {found}"

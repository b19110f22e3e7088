"""What to do about an operator that deployer does not have."""

from __future__ import annotations

from deployer.frontend.net import Op

QUANTIZED = ("DequantizeLinear", "DynamicQuantizeLinear", "QuantizeLinear")
_ACTIVATIONS = ("Celu", "Selu", "Softsign", "ThresholdedRelu")
_CONTROL = ("If", "Loop", "Scan")
HEADS = (
    *(
        "ArgMax",
        "ArgMin",
        "Exp",
        "Gather",
        "GatherElements",
        "GatherND",
        "Log",
        "NonMaxSuppression",
    ),
    *("NonZero", "Pow", "RoiAlign", "ScatterND", "TopK", "Where"),
)
_RECURRENT = ("Attention", "GRU", "LSTM", "LayerNormalization", "RNN")

_ADVICE = (
    (QUANTIZED, "quantized ONNX comes later: give the float model, deployer quantizes it itself"),
    (_ACTIVATIONS, "use ReLU or ReLU6 and train a few epochs more"),
    (_CONTROL, "export with fixed shapes, so that the exporter resolves the control flow"),
    (HEADS, "end the network before it (--cut NAME) and do this step on the host"),
    (_RECURRENT, "recurrent and attention networks are out of scope"),
)
_ANY = "rewrite the model without it, or end the network before it (--cut NAME)"


def advice(op: Op) -> str:
    """A workaround for the operator of ``op``, which begins with its name."""
    if op.domain:
        return f"{op.domain}.{op.type}: {_ANY}"
    found = next((text for types, text in _ADVICE if op.type in types), _ANY)
    return f"{op.type}: {found}"

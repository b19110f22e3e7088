"""What to do about an operator that deployer does not have."""

from __future__ import annotations

from deployer.frontend.net import Op

QUANTIZED = ("DequantizeLinear", "DynamicQuantizeLinear", "QuantizeLinear")
_ACTIVATIONS = (
    *("Celu", "Elu", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu"),
    *("Mish", "PRelu", "Selu", "Sigmoid", "Tanh"),
)
_CONTROL = ("If", "Loop", "Scan")
_HEADS = ("ArgMax", "ArgMin", "Exp", "Gather", "NonMaxSuppression", "TopK")
_RECURRENT = ("Attention", "GRU", "LSTM", "LayerNormalization", "RNN")

_ADVICE = (
    (QUANTIZED, "quantized ONNX comes later: give the float model, deployer quantizes it itself"),
    (_ACTIVATIONS, "use ReLU or ReLU6 and train a few epochs more"),
    (_CONTROL, "export with fixed shapes, so that the exporter resolves the control flow"),
    (_HEADS, "cut the graph before it (onnx.utils.extract_model) and do this step on the host"),
    (_RECURRENT, "recurrent and attention networks are out of scope"),
)
_ANY = "rewrite the model without it, or cut the graph there (onnx.utils.extract_model)"


def advice(op: Op) -> str:
    """A workaround for the operator of ``op``, which begins with its name."""
    if op.domain:
        return f"{op.domain}.{op.type}: {_ANY}"
    found = next((text for types, text in _ADVICE if op.type in types), _ANY)
    return f"{op.type}: {found}"

"""What a constant node would cost, from the shapes alone: it is computed only if that is little."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deployer.frontend.limits import MAX_ELEMENTS, MAX_FOLDED_BYTES, MAX_LOOPED, MAX_PRODUCTS
from deployer.frontend.net import Shape

# Their results may be far larger than what they read.
_GROWING = frozenset(
    {
        *("CenterCropPad", "ConstantOfShape", "Expand", "EyeLike", "OneHot", "Pad", "Range"),
        *("Resize", "Tile", "Upsample", "BlackmanWindow", "HammingWindow", "HannWindow"),
        *("MelWeightMatrix", "Col2Im", "MaxUnpool", "AffineGrid", "SequenceInsert"),
        *("SequenceConstruct", "ConcatFromSequence"),
    }
)
_PRODUCTS = frozenset({"Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"})
# The reference implementation computes them element by element, or in no time that is known.
_LOOPED = frozenset(
    {
        *("AveragePool", "Col2Im", "Conv", "ConvInteger", "ConvTranspose", "DFT", "DeformConv"),
        *("Det", "Einsum", "GRU", "GatherElements", "GatherND", "GridSample", "LRN", "LSTM"),
        *("LpPool", "MaxPool", "MaxRoiPool", "MaxUnpool", "NonMaxSuppression", "QLinearConv"),
        *("RNN", "Resize", "RoiAlign", "STFT", "ScatterElements", "ScatterND", "Scatter"),
        *("StringNormalizer", "StringSplit", "TfIdfVectorizer", "TopK", "Unique", "Upsample"),
        *("MelWeightMatrix", "Compress", "CumProd", "CumSum", "Attention", "AffineGrid"),
    }
)


def excess(kind: str, inputs: Sequence[Shape], outputs: Sequence[Shape | None], taken: int) -> str:
    """Why a node of ``kind`` is not computed; empty when it is.

    ``outputs``: None for a shape that inference cannot tell; ``taken``: bytes of all constants that
    were computed before.
    """
    if kind in _GROWING and None in outputs:
        return "its size is not known"
    sizes = [math.prod(shape) for shape in outputs if shape is not None]
    if max(sizes, default=0) > MAX_ELEMENTS:
        return f"{max(sizes):,} elements; at most {MAX_ELEMENTS:,} are computed"
    if taken + 4 * sum(sizes) > MAX_FOLDED_BYTES:
        return f"all constants that are computed take more than {MAX_FOLDED_BYTES:,} bytes"
    read = [math.prod(shape) for shape in inputs]
    if kind in _PRODUCTS and sum(sizes) * max(inputs[0][-2:], default=1) > MAX_PRODUCTS:
        return f"more than {MAX_PRODUCTS:,} products"
    if kind in _LOOPED and math.prod(max(size, 1) for size in read) > MAX_LOOPED:
        return f"computing {kind} of constants of that size takes too long"
    return ""

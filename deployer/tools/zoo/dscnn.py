"""DS-CNN, the keyword spotter."""

from __future__ import annotations

from deployer.tools.zoo.sketch import Sketch
from deployer.tools.zoo.windows import same


def ds_cnn(s: Sketch, x: str) -> str:
    """MLPerf Tiny's small variant: convolutions with bias, four separable layers."""
    _, height, width = s.shape(x)
    pads = same((height, width), (10, 4), 2)
    x = s.conv(x, s.scaled(64), (10, 4), stride=2, pads=pads, bias=True)
    for _ in range(4):
        x = s.conv(s.depthwise(x, bias=True), s.scaled(64), 1, bias=True)
    return s.dense(s.pooled(x), s.classes)

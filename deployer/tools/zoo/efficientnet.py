"""EfficientNet-Lite0: EfficientNet-B0 without squeeze-and-excite, ReLU6 throughout."""

from __future__ import annotations

from deployer.tools.zoo.mobilenet import inverted_residual
from deployer.tools.zoo.sketch import Sketch

# kernel, expansion, channels, repeats, stride of EfficientNet's table 1
_STAGES = (
    (3, 1, 16, 1, 1),
    (3, 6, 24, 2, 2),
    (5, 6, 40, 2, 2),
    (3, 6, 80, 3, 2),
    (5, 6, 112, 3, 1),
    (5, 6, 192, 4, 2),
    (3, 6, 320, 1, 1),
)


def efficientnet_lite0(s: Sketch, x: str) -> str:
    """The lite models scale neither the stem nor the head with the width."""
    x = s.conv(x, 32, stride=2)
    for kernel, expansion, channels, repeats, first in _STAGES:
        for stride in (first, *(1,) * (repeats - 1)):
            x = inverted_residual(
                s, x, s.scaled(channels), expansion=expansion, stride=stride, kernel=kernel
            )
    return s.dense(s.pooled(s.conv(x, 1280, 1)), s.classes)

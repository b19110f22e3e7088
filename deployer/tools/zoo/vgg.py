"""VGG-16."""

from __future__ import annotations

from deployer.tools.zoo.sketch import Sketch

_STAGES = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))  # channels, convolutions


def vgg16(s: Sketch, x: str) -> str:
    """Configuration D of table 1, with dense layers over whatever image is left."""
    for channels, repeats in _STAGES:
        for _ in range(repeats):
            x = s.conv(x, s.scaled(channels))
        x = s.max_pool(x, 2, stride=2)
    x = s.dense(s.flatten(x), s.scaled(4096), act="relu")
    x = s.dense(x, s.scaled(4096), act="relu")
    return s.dense(x, s.classes)

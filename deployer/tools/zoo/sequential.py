"""Networks in which every layer reads the one before: VGG-16 and two for microcontrollers."""

from __future__ import annotations

from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.windows import same

_VGG = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))  # channels, convolutions


def vgg16(s: NetworkBuilder, x: str) -> str:
    """Configuration D of table 1, with dense layers over whatever image is left."""
    for channels, repeats in _VGG:
        for _ in range(repeats):
            x = s.conv(x, s.scaled(channels))
        x = s.max_pool(x, 2, stride=2)
    x = s.dense(s.flatten(x), s.scaled(4096), act="relu")
    x = s.dense(x, s.scaled(4096), act="relu")
    return s.dense(x, s.classes)


def cifar10_cnn(s: NetworkBuilder, x: str) -> str:
    """Of Caffe's examples, in the channels Arm chose for microcontrollers: three 5x5 convolutions,
    each behind it a pool that halves (paper 003, section 5 (e), footnote 7). Pools round up; the
    first comes before its ReLU."""
    x = s.act(s.max_pool(s.conv(x, s.scaled(32), 5, act=""), 3, stride=2, ceil=True), "relu")
    for channels in (16, 32):
        x = s.avg_pool(s.conv(x, s.scaled(channels), 5), 3, stride=2, ceil=True)
    return s.dense(s.flatten(x), s.classes)


def ds_cnn(s: NetworkBuilder, x: str) -> str:
    """The keyword spotter, MLPerf Tiny's small variant: convolutions with bias, four separable
    layers."""
    _, height, width = s.shape(x)
    pads = same((height, width), (10, 4), 2)
    x = s.conv(x, s.scaled(64), (10, 4), stride=2, pads=pads, bias=True)
    for _ in range(4):
        x = s.conv(s.depthwise(x, bias=True), s.scaled(64), 1, bias=True)
    return s.dense(s.pooled(x), s.classes)

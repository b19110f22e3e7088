"""The CIFAR-10 network of Caffe's examples, in the channels Arm chose for microcontrollers."""

from __future__ import annotations

from deployer.tools.zoo.sketch import Sketch


def cifar10_cnn(s: Sketch, x: str) -> str:
    """Three 5x5 convolutions, each behind it a pool that halves: paper 003, section 5 (e), footnote
    7. Pools round up; the first comes before its ReLU."""
    x = s.act(s.max_pool(s.conv(x, s.scaled(32), 5, act=""), 3, stride=2, ceil=True), "relu")
    for channels in (16, 32):
        x = s.avg_pool(s.conv(x, s.scaled(channels), 5), 3, stride=2, ceil=True)
    return s.dense(s.flatten(x), s.classes)

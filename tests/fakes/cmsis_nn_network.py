"""Layers of every operator that CMSIS-NN is called for, and some that it is not."""

from __future__ import annotations

from deployer.tools.zoo.builder import NetworkBuilder


def called_layers(s: NetworkBuilder) -> str:
    """All that it computes but a dense layer and a mean, some twice; a Concat and a leaky ReLU."""
    x = s.conv(s.input(3, 18, 14), 8, 3, stride=2)
    x = s.depthwise(x, 5)
    y = s.conv(x, 8, 1, act="")
    x = s.add(x, y)
    x = s.max_pool(x, 2, stride=2)
    x = s.concat(x, s.conv(x, 4, 3, act="leaky"))
    x = s.up(s.avg_pool(x, 2, stride=2), 6)
    return s.gate(x, s.conv(x, 6, 1))

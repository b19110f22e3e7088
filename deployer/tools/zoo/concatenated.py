"""Networks whose layers read concatenations: SqueezeNet 1.1 and DenseNet-121."""

from __future__ import annotations

import math

from deployer.tools.zoo.builder import NetworkBuilder

# squeezed and expanded channels; None for a pool
_FIRES = ((16, 64), (16, 64), None, (32, 128), (32, 128), None, (48, 192), (48, 192), (64, 256))


def squeezenet(s: NetworkBuilder, x: str) -> str:
    x = s.conv(x, s.scaled(64), stride=2, pads=0)
    x = s.max_pool(x, 3, stride=2, ceil=True)
    for row in (*_FIRES, (64, 256)):
        x = _fire(s, x, *row) if row else s.max_pool(x, 3, stride=2, ceil=True)
    return s.pooled(s.conv(x, s.classes, 1))


def _fire(s: NetworkBuilder, x: str, squeezed: int, expanded: int) -> str:
    x = s.conv(x, s.scaled(squeezed), 1)
    wide = s.scaled(expanded)
    return s.concat(s.conv(x, wide, 1), s.conv(x, wide))


_BLOCKS = (6, 12, 24, 16)
_GROWTH = 32


def densenet121(s: NetworkBuilder, x: str) -> str:
    """Table 1, DenseNet-BC with compression 0.5. Batch norm and ReLU come before a convolution, so
    half of the norms stay."""
    x = s.max_pool(s.conv(x, s.scaled(64), 7, stride=2), 3, stride=2, pad=1)
    for number, layers in enumerate(_BLOCKS):
        if number:
            x = s.avg_pool(_bare(s, _preactivated(s, x), s.shape(x)[0] // 2, 1), 2, stride=2)
        x = _dense_block(s, x, layers)
    return s.dense(s.pooled(_preactivated(s, x)), s.classes)


def _dense_block(s: NetworkBuilder, x: str, layers: int) -> str:
    """Every layer reads all features before it."""
    features = [x]
    for _ in range(layers):
        seen = s.concat(*features) if len(features) > 1 else x
        y = s.conv(_preactivated(s, seen), s.scaled(4 * _GROWTH), 1)
        features.append(_bare(s, y, s.scaled(_GROWTH), 3))
    return s.concat(*features)


def _preactivated(s: NetworkBuilder, x: str) -> str:
    return s.act(s.norm(x), "relu")


def _bare(s: NetworkBuilder, x: str, channels: int, kernel: int) -> str:
    """A convolution alone; its gain makes up for the ReLU before it."""
    return s.conv(x, channels, kernel, norm=False, bias=False, act="", gain=math.sqrt(2))

"""SqueezeNet 1.1."""

from __future__ import annotations

from deployer.tools.zoo.sketch import Sketch

# squeezed and expanded channels; None for a pool
_FIRES = ((16, 64), (16, 64), None, (32, 128), (32, 128), None, (48, 192), (48, 192), (64, 256))


def squeezenet(s: Sketch, x: str) -> str:
    x = s.conv(x, s.scaled(64), stride=2, pads=0)
    x = s.max_pool(x, 3, stride=2, ceil=True)
    for row in (*_FIRES, (64, 256)):
        x = _fire(s, x, *row) if row else s.max_pool(x, 3, stride=2, ceil=True)
    return s.pooled(s.conv(x, s.classes, 1))


def _fire(s: Sketch, x: str, squeezed: int, expanded: int) -> str:
    x = s.conv(x, s.scaled(squeezed), 1)
    wide = s.scaled(expanded)
    return s.concat(s.conv(x, wide, 1), s.conv(x, wide))

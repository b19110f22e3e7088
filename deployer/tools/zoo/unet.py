"""U-Net with size-preserving convolutions."""

from __future__ import annotations

from deployer.tools.zoo.sketch import Sketch

_LEVELS = (16, 32, 64, 128, 256)  # a quarter of the paper's 64 ... 1024: --width 4 is the paper's


def unet(s: Sketch, x: str) -> str:
    """Figure 1: two convolutions a level, skips joined behind 2x2 transposed convolutions."""
    skips = []
    for channels in _LEVELS[:-1]:
        skips.append(_pair(s, x, channels))
        x = s.max_pool(skips[-1], 2, stride=2)
    x = _pair(s, x, _LEVELS[-1])
    for channels, skip in zip(reversed(_LEVELS[:-1]), reversed(skips), strict=True):
        x = _pair(s, s.concat(skip, s.up(x, s.scaled(channels))), channels)
    return s.conv(x, s.classes, 1, norm=False, act="")


def _pair(s: Sketch, x: str, channels: int) -> str:
    return s.conv(s.conv(x, s.scaled(channels)), s.scaled(channels))

"""Networks that give an image: PyD-Net and µPyD-Net (paper 001), and U-Net with size-preserving
convolutions. All decode a pyramid of features from coarse to fine.

What the paper leaves open is read so that its figures come out. PyD-Net (section 3.3.2): 1.02 M
parameters and 0.44 G MACs of the encoder at 256x512, 1.9 M parameters in all. Eight channels pass
from branch to branch, without activation before the 2x2 transposed convolution and leaky ReLU
behind it; the sigmoid takes the first two, the disparities of the left and the right image.
µPyD-Net (section 3.4.2): 107,625 parameters; 35.4 M and 79.8 M MACs at 32x32 and 48x48. Its first
level has the input's resolution, every branch ends in 32 features, which a transposed convolution
takes up as 32, and the topmost branch ends in one channel of disparity, without activation.
"""

from __future__ import annotations

from deployer.tools.zoo.builder import NetworkBuilder

_PYRAMID = (16, 32, 64, 96, 128, 192)
_BRANCH = (96, 64, 32)
_FEATURES = 8
_SMALL_PYRAMID = (8, 16, 32)
_SMALL_FEATURES = 32


def pydnet(s: NetworkBuilder, x: str) -> dict[str, str]:
    """Disparities at half, quarter and eighth of the resolution, by output name."""
    levels = _pyramid(s, x, _PYRAMID, first=2)
    decoded = {}
    below = ""
    for number, level in reversed(list(enumerate(levels))):
        x = s.concat(level, s.up(below, s.scaled(_FEATURES), act="leaky")) if below else level
        for channels in _BRANCH:
            x = s.conv(x, s.scaled(channels))
        below = decoded[number] = s.conv(x, s.scaled(_FEATURES), act="")
    scales = ("half", "quarter", "eighth")
    return {name: _disparity(s, decoded[number]) for number, name in enumerate(scales)}


def _disparity(s: NetworkBuilder, x: str) -> str:
    return s.act(s.channels(x, 0, 2), "sigmoid")


def upydnet(s: NetworkBuilder, x: str) -> str:
    below = ""
    features = s.scaled(_SMALL_FEATURES)
    levels = _pyramid(s, x, _SMALL_PYRAMID, first=1)
    for number, level in reversed(list(enumerate(levels))):
        x = s.concat(level, s.up(below, features, act="leaky")) if below else level
        x = s.conv(s.conv(x, features), features)
        below = s.conv(x, features if number else 1, act="")
    return below


def _pyramid(s: NetworkBuilder, x: str, channels: tuple[int, ...], *, first: int) -> list[str]:
    """Two convolutions a level, the first of them with stride; ``first``: that of level 0."""
    levels = []
    for number, count in enumerate(channels):
        x = s.conv(x, s.scaled(count), stride=2 if number else first)
        levels.append(x := s.conv(x, s.scaled(count)))
    return levels


_UNET = (16, 32, 64, 128, 256)  # a quarter of the paper's 64 ... 1024: --width 4 is the paper's


def unet(s: NetworkBuilder, x: str) -> str:
    """Figure 1: two convolutions a level, skips joined behind 2x2 transposed convolutions."""
    skips = []
    for channels in _UNET[:-1]:
        skips.append(_two_convolutions(s, x, channels))
        x = s.max_pool(skips[-1], 2, stride=2)
    x = _two_convolutions(s, x, _UNET[-1])
    for channels, skip in zip(reversed(_UNET[:-1]), reversed(skips), strict=True):
        x = _two_convolutions(s, s.concat(skip, s.up(x, s.scaled(channels))), channels)
    return s.conv(x, s.classes, 1, norm=False, act="")


def _two_convolutions(s: NetworkBuilder, x: str, channels: int) -> str:
    return s.conv(s.conv(x, s.scaled(channels)), s.scaled(channels))

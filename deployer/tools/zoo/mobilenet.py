"""MobileNetV1, V2 and V3-small."""

from __future__ import annotations

from deployer.tools.zoo.builder import NetworkBuilder, divisible

_RESIDUAL = 0.5  # spread of a branch that is added to its input
_GATED = 2.0  # makes up for gates of about a half

# (channels, stride) of the depthwise separable layers, table 1
_V1 = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1),) * 5,
    *((1024, 2), (1024, 1)),
)

# t, c, n, s of table 2
_V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)

# kernel, expanded channels, channels, squeeze-and-excite, activation, stride of table 2
_V3_SMALL = (
    (3, 16, 16, True, "relu", 2),
    (3, 72, 24, False, "relu", 2),
    (3, 88, 24, False, "relu", 1),
    (5, 96, 40, True, "hardswish", 2),
    (5, 240, 40, True, "hardswish", 1),
    (5, 240, 40, True, "hardswish", 1),
    (5, 120, 48, True, "hardswish", 1),
    (5, 144, 48, True, "hardswish", 1),
    (5, 288, 96, True, "hardswish", 2),
    (5, 576, 96, True, "hardswish", 1),
    (5, 576, 96, True, "hardswish", 1),
)


def mobilenet_v1(s: NetworkBuilder, x: str) -> str:
    x = s.conv(x, s.scaled(32), stride=2)
    for channels, stride in _V1:
        x = s.conv(s.depthwise(x, stride=stride), s.scaled(channels), 1)
    return s.dense(s.pooled(x), s.classes)


def mobilenet_v2(s: NetworkBuilder, x: str) -> str:
    x = s.conv(x, s.scaled(32), stride=2)
    for expansion, channels, repeats, first in _V2:
        for stride in (first, *(1,) * (repeats - 1)):
            x = inverted_residual(s, x, s.scaled(channels), expansion=expansion, stride=stride)
    x = s.conv(x, divisible(1280 * max(1.0, s.width)), 1)
    return s.dense(s.pooled(x), s.classes)


def inverted_residual(
    s: NetworkBuilder, x: str, channels: int, *, expansion: int, stride: int, kernel: int = 3
) -> str:
    """Figure 4 of MobileNetV2: expand, depthwise, linear projection, shortcut where it fits."""
    inputs = s.shape(x)[0]
    y = s.conv(x, inputs * expansion, 1) if expansion > 1 else x
    y = s.depthwise(y, kernel, stride=stride)
    return _project(s, x, y, channels, stride)


def mobilenet_v3_small(s: NetworkBuilder, x: str) -> str:
    x = s.conv(x, s.scaled(16), stride=2, act="hardswish")
    for row in _V3_SMALL:
        x = _bottleneck_v3(s, x, row)
    x = s.conv(x, 6 * s.shape(x)[0], 1, act="hardswish")
    x = s.dense(s.pooled(x), s.scaled(1024), act="hardswish")
    return s.dense(x, s.classes)


def _bottleneck_v3(s: NetworkBuilder, x: str, row: tuple[int, int, int, bool, str, int]) -> str:
    kernel, expanded, channels, excite, act, stride = row
    wide = s.scaled(expanded)
    y = s.conv(x, wide, 1, act=act) if wide != s.shape(x)[0] else x
    y = s.depthwise(y, kernel, stride=stride, act=act)
    y = _squeeze_excite(s, y) if excite else y
    return _project(s, x, y, s.scaled(channels), stride, gain=_GATED if excite else 1.0)


def _squeeze_excite(s: NetworkBuilder, x: str) -> str:
    """Two 1x1 convolutions with bias on the pooled tensor, a quarter of the channels between."""
    channels = s.shape(x)[0]
    y = s.conv(s.global_pool(x), divisible(channels / 4), 1, norm=False, act="relu")
    return s.gate(x, s.conv(y, channels, 1, norm=False, act="hardsigmoid"))


def _project(
    s: NetworkBuilder, x: str, y: str, channels: int, stride: int, *, gain: float = 1.0
) -> str:
    if stride > 1 or s.shape(x)[0] != channels:
        return s.conv(y, channels, 1, act="", gain=gain)
    return s.add(x, s.conv(y, channels, 1, act="", gain=gain * _RESIDUAL))


# kernel, expansion, channels, repeats, stride of EfficientNet's table 1
_EFFICIENTNET = (
    (3, 1, 16, 1, 1),
    (3, 6, 24, 2, 2),
    (5, 6, 40, 2, 2),
    (3, 6, 80, 3, 2),
    (5, 6, 112, 3, 1),
    (5, 6, 192, 4, 2),
    (3, 6, 320, 1, 1),
)


def efficientnet_lite0(s: NetworkBuilder, x: str) -> str:
    """The lite models scale neither the stem nor the head with the width."""
    x = s.conv(x, 32, stride=2)
    for kernel, expansion, channels, repeats, first in _EFFICIENTNET:
        for stride in (first, *(1,) * (repeats - 1)):
            x = inverted_residual(
                s, x, s.scaled(channels), expansion=expansion, stride=stride, kernel=kernel
            )
    return s.dense(s.pooled(s.conv(x, 1280, 1)), s.classes)

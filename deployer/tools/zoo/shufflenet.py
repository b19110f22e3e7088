"""ShuffleNet V1 with three groups, and V2: 1x1 convolutions of groups or halves, then a shuffle."""

from __future__ import annotations

from deployer.tools.zoo.builder import NetworkBuilder, divisible

_REPEATS = (4, 8, 4)  # of the stages, table 1 of V1, table 5 of V2
_GROUPS = 3
_UNIT = 4 * _GROUPS  # a quarter of a unit's channels is computed in groups
_V1 = (240, 480, 960)
_V2 = {
    0.5: (48, 96, 192, 1024),
    1.0: (116, 232, 464, 1024),
    1.5: (176, 352, 704, 1024),
    2.0: (244, 488, 976, 2048),
}


def shufflenet_v1(s: NetworkBuilder, x: str) -> str:
    x = s.max_pool(s.conv(x, _in_groups(s, 24), stride=2), 3, stride=2, pad=1)
    for number, (channels, repeats) in enumerate(zip(_V1, _REPEATS, strict=True)):
        more = s.shape(x)[0] // _UNIT * _UNIT + _UNIT  # a stage adds channels
        wide = max(_in_groups(s, channels), more)
        for i in range(repeats):
            dense = number == i == 0  # few channels: its first convolution has no groups
            x = _unit_v1(s, x, wide, 1 if dense else _GROUPS, halves=i == 0)
    return s.dense(s.pooled(x), s.classes)


def _in_groups(s: NetworkBuilder, channels: int) -> int:
    """Scaled to a multiple of four times the groups, or of twice the groups for the first 24."""
    step = 2 * _GROUPS if channels == 24 else _UNIT
    return divisible(channels * s.width, step)


def _unit_v1(s: NetworkBuilder, x: str, channels: int, groups: int, *, halves: bool) -> str:
    """Figure 2 (b), or (c) where the plane halves and the shortcut is concatenated."""
    stride, taken = (2, s.shape(x)[0]) if halves else (1, 0)
    y = s.shuffled(s.conv(x, channels // 4, 1, groups=groups), _GROUPS)
    y = s.depthwise(y, stride=stride, act="")
    y = s.conv(y, channels - taken, 1, groups=_GROUPS, act="")
    if halves:
        return s.act(s.concat(s.avg_pool(x, 3, stride=2, pad=1), y), "relu")
    return s.act(s.add(x, y), "relu")


def shufflenet_v2(s: NetworkBuilder, x: str) -> str:
    """Widths of the paper's table 5; others round the channels of width 1 to multiples of 8."""
    *stages, last = _V2.get(s.width) or [divisible(n * s.width) for n in _V2[1.0]]
    x = s.max_pool(s.conv(x, 24, stride=2), 3, stride=2, pad=1)
    for channels, repeats in zip(stages, _REPEATS, strict=True):
        x = _halving_v2(s, x, channels // 2)
        for _ in range(repeats - 1):
            x = _unit_v2(s, x, channels // 2)
    return s.dense(s.pooled(s.conv(x, last, 1)), s.classes)


def _unit_v2(s: NetworkBuilder, x: str, half: int) -> str:
    """Figure 3 (c): the first half of the channels stays."""
    return s.shuffled(s.concat(s.channels(x, 0, half), _branch(s, s.channels(x, half, half))), 2)


def _halving_v2(s: NetworkBuilder, x: str, half: int) -> str:
    """Figure 3 (d)."""
    short = s.conv(s.depthwise(x, stride=2, act=""), half, 1)
    y = s.depthwise(s.conv(x, half, 1), stride=2, act="")
    return s.shuffled(s.concat(short, s.conv(y, half, 1)), 2)


def _branch(s: NetworkBuilder, x: str) -> str:
    half = s.shape(x)[0]
    return s.conv(s.depthwise(s.conv(x, half, 1), act=""), half, 1)

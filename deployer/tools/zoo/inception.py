"""GoogLeNet and Inception-v3, without auxiliary classifiers."""

from __future__ import annotations

from deployer.tools.zoo.builder import NetworkBuilder

# 1x1, 3x3 reduce, 3x3, 5x5 reduce, 5x5, pool projection of table 1; or a pool's size
_GOOGLENET: tuple[int | tuple[int, ...], ...] = (
    (64, 96, 128, 16, 32, 32),
    (128, 128, 192, 32, 96, 64),
    3,
    (192, 96, 208, 16, 48, 64),
    (160, 112, 224, 24, 64, 64),
    (128, 128, 256, 24, 64, 64),
    (112, 144, 288, 32, 64, 64),
    (256, 160, 320, 32, 128, 128),
    2,
    (256, 160, 320, 32, 128, 128),
    (384, 192, 384, 48, 128, 128),
)


def googlenet(s: NetworkBuilder, x: str) -> str:
    """With batch norm for local response norm, and 3x3 for 5x5, as torchvision has it."""
    x = s.max_pool(s.conv(x, s.scaled(64), 7, stride=2), 3, stride=2, ceil=True)
    x = s.conv(s.conv(x, s.scaled(64), 1), s.scaled(192))
    x = s.max_pool(x, 3, stride=2, ceil=True)
    for row in _GOOGLENET:
        x = s.max_pool(x, row, stride=2, ceil=True) if isinstance(row, int) else _module(s, x, row)
    return s.dense(s.pooled(x), s.classes)


def _module(s: NetworkBuilder, x: str, row: tuple[int, ...]) -> str:
    direct, reduce3, wide3, reduce5, wide5, pooled = (s.scaled(channels) for channels in row)
    return s.concat(
        s.conv(x, direct, 1),
        s.conv(s.conv(x, reduce3, 1), wide3),
        s.conv(s.conv(x, reduce5, 1), wide5),
        s.conv(s.max_pool(x, 3, stride=1, pad=1, ceil=True), pooled, 1),
    )


def inception_v3(s: NetworkBuilder, x: str) -> str:
    """Section 6 and table 1, with the module widths of torchvision."""
    x = s.conv(x, s.scaled(32), stride=2, pads=0)
    x = s.conv(s.conv(x, s.scaled(32), pads=0), s.scaled(64))
    x = s.max_pool(x, 3, stride=2)
    x = s.conv(s.conv(x, s.scaled(80), 1), s.scaled(192), pads=0)
    x = s.max_pool(x, 3, stride=2)
    for pooled in (32, 64, 64):
        x = _module_a(s, x, pooled)
    x = _reduction_b(s, x)
    for inner in (128, 160, 160, 192):
        x = _module_c(s, x, inner)
    x = _reduction_d(s, x)
    x = _module_e(s, _module_e(s, x))
    return s.dense(s.pooled(x), s.classes)


def _module_a(s: NetworkBuilder, x: str, pooled: int) -> str:
    """Figure 5: 5x5 and a pair of 3x3."""
    return s.concat(
        s.conv(x, s.scaled(64), 1),
        s.conv(s.conv(x, s.scaled(48), 1), s.scaled(64), 5),
        s.conv(_chain(s, x, (64, 1), (96, 3)), s.scaled(96)),
        _projected_pool(s, x, pooled),
    )


def _reduction_b(s: NetworkBuilder, x: str) -> str:
    """Figure 10."""
    deep = _chain(s, x, (64, 1), (96, 3))
    return s.concat(
        s.conv(x, s.scaled(384), stride=2, pads=0),
        s.conv(deep, s.scaled(96), stride=2, pads=0),
        s.max_pool(x, 3, stride=2),
    )


def _module_c(s: NetworkBuilder, x: str, inner: int) -> str:
    """Figure 6 with n = 7."""
    row, column = (1, 7), (7, 1)
    return s.concat(
        s.conv(x, s.scaled(192), 1),
        _chain(s, x, (inner, 1), (inner, row), (192, column)),
        _chain(s, x, (inner, 1), (inner, column), (inner, row), (inner, column), (192, row)),
        _projected_pool(s, x, 192),
    )


def _reduction_d(s: NetworkBuilder, x: str) -> str:
    """As figure 10, behind 1x7 and 7x1."""
    deep = _chain(s, x, (192, 1), (192, (1, 7)), (192, (7, 1)))
    return s.concat(
        s.conv(s.conv(x, s.scaled(192), 1), s.scaled(320), stride=2, pads=0),
        s.conv(deep, s.scaled(192), stride=2, pads=0),
        s.max_pool(x, 3, stride=2),
    )


def _module_e(s: NetworkBuilder, x: str) -> str:
    """Figure 7: expanded filter banks."""
    return s.concat(
        s.conv(x, s.scaled(320), 1),
        _fork(s, s.conv(x, s.scaled(384), 1)),
        _fork(s, _chain(s, x, (448, 1), (384, 3))),
        _projected_pool(s, x, 192),
    )


def _fork(s: NetworkBuilder, x: str) -> str:
    return s.concat(s.conv(x, s.scaled(384), (1, 3)), s.conv(x, s.scaled(384), (3, 1)))


def _projected_pool(s: NetworkBuilder, x: str, channels: int) -> str:
    return s.conv(s.avg_pool(x, 3, stride=1, pad=1), s.scaled(channels), 1)


def _chain(s: NetworkBuilder, x: str, *rows: tuple[int, int | tuple[int, int]]) -> str:
    for channels, kernel in rows:
        x = s.conv(x, s.scaled(channels), kernel)
    return x

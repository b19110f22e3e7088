"""Residual networks of basic blocks."""

from __future__ import annotations

from deployer.tools.zoo.builder import NetworkBuilder

_RESIDUAL = 0.5  # spread of a branch that is added to its input


def resnet8(s: NetworkBuilder, x: str) -> str:
    """MLPerf Tiny: one block a stage, convolutions with bias, shortcuts without batch norm."""
    x = s.conv(x, s.scaled(16), bias=True)
    x = _block(s, x, s.scaled(16), bias=True)
    for channels in (32, 64):
        shortcut = s.conv(x, s.scaled(channels), 1, stride=2, norm=False, act="")
        x = _block(s, x, s.scaled(channels), stride=2, bias=True, shortcut=shortcut)
    return s.dense(s.pooled(x), s.classes)


def resnet9(s: NetworkBuilder, x: str) -> str:
    """Page: pooled convolutions, two residual pairs, the largest of what is left per channel."""
    x = s.conv(x, s.scaled(64))
    x = _pooled_pair(s, s.max_pool(s.conv(x, s.scaled(128)), 2, stride=2))
    x = s.max_pool(s.conv(x, s.scaled(256)), 2, stride=2)
    x = _pooled_pair(s, s.max_pool(s.conv(x, s.scaled(512)), 2, stride=2))
    x = s.max_pool(x, min(s.shape(x)[1:]), stride=min(s.shape(x)[1:]))
    return s.dense(s.flatten(x), s.classes)


def resnet18(s: NetworkBuilder, x: str) -> str:
    """Table 1, with projection shortcuts (option B) where the size changes."""
    x = s.max_pool(s.conv(x, s.scaled(64), 7, stride=2), 3, stride=2, pad=1)
    x = _block(s, _block(s, x, s.scaled(64)), s.scaled(64))
    for channels in (128, 256, 512):
        shortcut = s.conv(x, s.scaled(channels), 1, stride=2, act="")
        x = _block(s, x, s.scaled(channels), stride=2, shortcut=shortcut)
        x = _block(s, x, s.scaled(channels))
    return s.dense(s.pooled(x), s.classes)


def _block(
    s: NetworkBuilder,
    x: str,
    channels: int,
    *,
    stride: int = 1,
    bias: bool = False,
    shortcut: str = "",
) -> str:
    y = s.conv(x, channels, stride=stride, bias=bias)
    y = s.conv(y, channels, bias=bias, act="", gain=_RESIDUAL)
    return s.act(s.add(y, shortcut or x), "relu")


def _pooled_pair(s: NetworkBuilder, x: str) -> str:
    """Two convolutions added behind their ReLU."""
    channels = s.shape(x)[0]
    return s.add(x, s.conv(s.conv(x, channels), channels, gain=_RESIDUAL))

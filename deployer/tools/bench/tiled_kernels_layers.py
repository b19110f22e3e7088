"""The layers by which kernels that work on tiles are judged: of each kind one that 64 KiB of inner
memory hold whole, and a larger one that takes several tiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deployer.errors import UsageError, near_hints
from deployer.tools.zoo import Network, NetworkBuilder

MAC, OUTPUT, INPUT = "MAC", "output", "input"  # what a rate counts


@dataclass(frozen=True)
class KernelLayer:
    """Networks of one layer. ``blocked``: whether the blocks of its input are transposed, as a
    convolution before it would write them. ``counts``: what rates tell of."""

    inner: Network
    tiled: Network
    blocked: bool = False
    counts: str = MAC


def _network(shape: tuple[int, int, int], layer: Callable[[NetworkBuilder, str], str]) -> Network:
    """Of one ``layer``, on an input of height, width and channels."""
    height, width, channels = shape
    builder = NetworkBuilder("kernel", norm=False)
    return builder.network(output=layer(builder, builder.input(channels, height, width)))


def _conv(shape: tuple[int, int, int], channels: int, kernel: int = 3, stride: int = 1) -> Network:
    return _network(shape, lambda builder, x: builder.conv(x, channels, kernel, stride=stride))


def _depthwise(shape: tuple[int, int, int], stride: int = 1, kernel: int = 3) -> Network:
    return _network(shape, lambda builder, x: builder.depthwise(x, kernel, stride=stride))


def _dense(inputs: int, outputs: int) -> Network:
    return _network((1, 1, inputs), lambda builder, x: builder.dense(builder.flatten(x), outputs))


def _max_pool(shape: tuple[int, int, int], kernel: int = 2, pad: int = 0) -> Network:
    return _network(shape, lambda builder, x: builder.max_pool(x, kernel, stride=2, pad=pad))


def _average_pool(shape: tuple[int, int, int]) -> Network:
    return _network(shape, lambda builder, x: builder.avg_pool(x, 3, stride=2, pad=1))


def _global_pool(shape: tuple[int, int, int]) -> Network:
    return _network(shape, lambda builder, x: builder.global_pool(x))


def _add(shape: tuple[int, int, int]) -> Network:
    return _network(shape, lambda builder, x: builder.add(x, x))


LAYERS: Mapping[str, KernelLayer] = MappingProxyType(
    {
        "conv3x3": KernelLayer(_conv((16, 16, 32), 64), _conv((32, 32, 32), 64)),
        "conv3x3-by-2": KernelLayer(
            _conv((16, 16, 32), 48, stride=2), _conv((32, 32, 32), 64, stride=2)
        ),
        "conv3x3-few": KernelLayer(_conv((16, 16, 8), 16), _conv((64, 64, 8), 16)),
        "conv1x1": KernelLayer(_conv((16, 16, 64), 64, 1), _conv((32, 32, 64), 64, 1)),
        "conv1x1-deep": KernelLayer(_conv((9, 8, 256), 64, 1), _conv((24, 24, 256), 64, 1)),
        "depthwise": KernelLayer(_depthwise((16, 16, 64)), _depthwise((32, 32, 64))),
        "depthwise-by-2": KernelLayer(_depthwise((16, 16, 64), 2), _depthwise((32, 32, 64), 2)),
        "depthwise5x5": KernelLayer(
            _depthwise((16, 16, 64), kernel=5), _depthwise((32, 32, 64), kernel=5)
        ),
        "blocked": KernelLayer(_depthwise((16, 16, 64)), _depthwise((32, 32, 64)), blocked=True),
        "blocked-by-2": KernelLayer(
            _depthwise((16, 16, 64), 2), _depthwise((32, 32, 64), 2), blocked=True
        ),
        "first": KernelLayer(_conv((8, 64, 3), 32), _conv((64, 64, 3), 32)),
        "first-by-2": KernelLayer(
            _conv((16, 96, 3), 16, stride=2), _conv((96, 96, 3), 16, stride=2)
        ),
        "dense": KernelLayer(_dense(512, 64), _dense(512, 128)),
        "max-pool": KernelLayer(_max_pool((16, 16, 64)), _max_pool((32, 32, 64)), counts=OUTPUT),
        "max-pool3x3": KernelLayer(
            _max_pool((16, 16, 64), 3, 1), _max_pool((32, 32, 64), 3, 1), counts=OUTPUT
        ),
        "average-pool": KernelLayer(
            _average_pool((16, 16, 64)), _average_pool((32, 32, 64)), counts=OUTPUT
        ),
        "global-pool": KernelLayer(
            _global_pool((16, 16, 64)), _global_pool((32, 32, 64)), counts=INPUT
        ),
        "add": KernelLayer(_add((16, 16, 32)), _add((32, 32, 32)), counts=OUTPUT),
    }
)


def layers_named(names: tuple[str, ...]) -> dict[str, KernelLayer]:
    """Those named, or all. Raises UsageError for an unknown name."""
    for name in names:
        if name not in LAYERS:
            raise UsageError(f"unknown layer {name!r}", hints=near_hints(name, LAYERS))
    return {name: layer for name, layer in LAYERS.items() if name in names or not names}

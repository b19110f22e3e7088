"""Small detectors in the words of their exporters: YOLOv5 with anchors, YOLOv8 without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import ModelProto

from exporters import Style

SIDE = 32
_LEVELS = (4, 2, 1)  # edges of the three maps of features
_CLASSES = 3
_BINS = 4  # of a distance, of which YOLOv8 takes the mean
_ANCHORS = 3  # boxes that YOLOv5 has at each place


@dataclass(frozen=True)
class _Net:
    s: Style

    def silu(self, x: str) -> str:
        return self.s.node("Mul", x, self.s.node("Sigmoid", x))

    def conv(self, x: str, inputs: int, outputs: int, edge: int = 1, stride: int = 1) -> str:
        shape, pads = (outputs, inputs, edge, edge), [edge // 2] * 4
        return self.silu(self.s.conv(x, shape, strides=[stride] * 2, pads=pads))

    def half(self, x: str, channels: int) -> tuple[str, str]:
        names = f"{x}.first", f"{x}.second"
        sizes = self.s.ints(channels // 2, channels // 2)
        self.s.node_of("Split", [x, sizes], list(names), axis=1)
        return names

    def c2f(self, x: str, inputs: int, outputs: int) -> str:
        """YOLOv8's block: two halves, one of them twice more, all joined."""
        first, second = self.half(self.conv(x, inputs, outputs), outputs)
        width = outputs // 2
        third = self.conv(self.conv(second, width, width, 3), width, width, 3)
        third = self.s.node("Add", second, third)
        return self.conv(self.s.node("Concat", first, second, third, axis=1), 3 * width, outputs)

    def c3(self, x: str, inputs: int, outputs: int) -> str:
        """YOLOv5's: a residual branch beside a dense one."""
        width = outputs // 2
        left, right = (self.conv(x, inputs, width) for _ in range(2))
        left = self.s.node("Add", left, self.conv(self.conv(left, width, width), width, width, 3))
        return self.conv(self.s.node("Concat", left, right, axis=1), outputs, outputs)

    def pooled(self, x: str, channels: int) -> str:
        """SPPF: the same pool three times."""
        found = [self.conv(x, channels, channels // 2)]
        for _ in range(3):
            pool = {"kernel_shape": [5, 5], "pads": [2] * 4}
            found.append(self.s.node("MaxPool", found[-1], **pool))
        return self.conv(self.s.node("Concat", *found, axis=1), 2 * channels, channels)

    def up(self, x: str) -> str:
        scales = self.s.constant(np.float32([1, 1, 2, 2]))
        how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric"}
        return self.s.node("Resize", x, "", scales, nearest_mode="floor", **how)

    def features(self, block: str, stem: int) -> list[tuple[str, int]]:
        """The three maps and their channels: down, and up again."""
        c = getattr(self, block)
        x = self.conv(self.s.input(1, 3, SIDE, SIDE), 3, 8, stem, 2)
        x = c(self.conv(x, 8, 8, 3, 2), 8, 8)
        fine = c(self.conv(x, 8, 16, 3, 2), 16, 16)
        middle = c(self.conv(fine, 16, 24, 3, 2), 24, 24)
        coarse = self.pooled(c(self.conv(middle, 24, 32, 3, 2), 32, 32), 32)
        middle = c(self.s.node("Concat", self.up(coarse), middle, axis=1), 56, 24)
        fine = c(self.s.node("Concat", self.up(middle), fine, axis=1), 40, 16)
        down = self.s.node("Concat", self.conv(fine, 16, 16, 3, 2), middle, axis=1)
        return [(fine, 16), (c(down, 40, 24), 24), (coarse, 32)]


def yolov8() -> ModelProto:
    """Distances as means over bins, boxes by places and strides; torch, opset 17."""
    net = _Net(Style(11, opset=17))
    s, maps = net.s, []
    for x, channels in net.features("c2f", 3):
        boxes = s.conv(net.conv(x, channels, 8, 3), (4 * _BINS, 8, 1, 1))
        scores = s.conv(net.conv(x, channels, 8, 3), (_CLASSES, 8, 1, 1))
        both = s.node("Concat", boxes, scores, axis=1)
        maps.append(s.node("Reshape", both, s.ints(1, 4 * _BINS + _CLASSES, -1)))
    s.node_of(
        "Split",
        [s.node("Concat", *maps, axis=2), s.ints(4 * _BINS, _CLASSES)],
        ["distances", "scores"],
        axis=1,
    )
    return s.model(s.node("Concat", _boxes(s), s.node("Sigmoid", "scores"), axis=1))


def _boxes(s: Style) -> str:
    """Centres and sizes."""
    places = sum(edge * edge for edge in _LEVELS)
    x = s.node("Reshape", "distances", s.ints(1, 4, _BINS, places))
    x = s.node("Softmax", s.node("Transpose", x, perm=[0, 2, 1, 3]), axis=1)
    bins = s.constant(np.arange(_BINS, dtype=np.float32).reshape(1, _BINS, 1, 1))
    x = s.node("Reshape", s.node("Conv", x, bins), s.ints(1, 4, places))
    low = s.node("Slice", x, s.ints(0), s.ints(2), s.ints(1))
    high = s.node("Slice", x, s.ints(2), s.ints(4), s.ints(1))
    low, high = s.node("Sub", _centres(s), low), s.node("Add", high, _centres(s))
    middle = s.node("Div", s.node("Add", low, high), s.constant(np.float32(2)))
    both = s.node("Concat", middle, s.node("Sub", high, low), axis=1)
    strides = np.concatenate([np.full(edge * edge, SIDE / edge) for edge in _LEVELS])
    return s.node("Mul", both, s.constant(np.float32(strides).reshape(1, 1, -1)))


def _centres(s: Style) -> str:
    grids = [np.stack(np.meshgrid(*[np.arange(n) + 0.5] * 2)).reshape(2, -1) for n in _LEVELS]
    return s.constant(np.concatenate(grids, axis=1, dtype=np.float32)[None])


def yolov5() -> ModelProto:
    """Five axes, boxes by powers of sigmoids and anchors; torch, opset 12."""
    net = _Net(Style(12, opset=13))
    s, found, size = net.s, [], 5 + _CLASSES
    for (x, channels), edge in zip(net.features("c3", 5), _LEVELS, strict=True):
        x = s.conv(x, (_ANCHORS * size, channels, 1, 1))
        x = s.node("Reshape", x, s.ints(1, _ANCHORS, size, edge, edge))
        x = s.node("Sigmoid", s.node("Transpose", x, perm=[0, 1, 3, 4, 2]))
        parts = [f"{x}.{part}" for part in ("xy", "wh", "rest")]
        s.node_of("Split", [x, s.ints(2, 2, 1 + _CLASSES)], parts, axis=4)
        x = s.node("Concat", *_decoded(s, parts, edge), parts[2], axis=4)
        found.append(s.node("Reshape", x, s.ints(1, _ANCHORS * edge * edge, size)))
    return s.model(s.node("Concat", *found, axis=1))


def _decoded(s: Style, parts: list[str], edge: int) -> tuple[str, str]:
    """Centres and sizes of the boxes at ``edge`` by ``edge`` places."""
    stride, two = SIDE / edge, s.constant(np.float32(2))
    grid = np.stack(np.meshgrid(*[np.arange(edge) - 0.5] * 2), -1)
    grid = np.broadcast_to(grid, (1, _ANCHORS, edge, edge, 2))
    sizes = np.float32([1, 2, 3]).reshape(1, _ANCHORS, 1, 1, 1) * np.float32([stride, stride])
    sizes = np.broadcast_to(sizes, grid.shape)
    xy = s.node("Add", s.node("Mul", parts[0], two), s.constant(np.float32(grid)))
    wh = s.node("Pow", s.node("Mul", parts[1], two), two)
    xy = s.node("Mul", xy, s.constant(np.float32(stride)))
    return xy, s.node("Mul", wh, s.constant(np.float32(sizes)))

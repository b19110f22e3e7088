"""A drawn layer of the sweep: shapes and attributes, no weights yet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from deployer.ir import OPS, Layout, PoolAttrs, Window

FEWEST_PRODUCTS = 9  # or taps, an output: below, what follows them takes as long as they do
MAC, TAP, ELEMENT = "MAC", "tap", "element"  # what a layer is judged by
OUTPUT = "output"  # an element that a convolution of fewer products writes
FEWEST_MACS, FEWEST_ELEMENTS = 20_000, 512

FLOAT_BITS = 32  # of activations: those of a float network
Shape = tuple[int, ...]
Values = Mapping[str, Any]  # an axis's name to its value


@dataclass(frozen=True)
class Part:
    """A node. It reads what the part before made, the first the layer's inputs. ``weights``: shape
    of its first constant, () without one; those with a ``layout`` other than VECTOR have a bias."""

    op: str
    attrs: Any
    weights: Shape = ()
    layout: Layout = Layout.VECTOR

    def output(self, inputs: tuple[Shape, ...]) -> Shape:
        return OPS[self.op].shape(self.attrs, self._read(inputs))

    def macs(self, inputs: tuple[Shape, ...]) -> int:
        return OPS[self.op].macs(self.attrs, self._read(inputs))

    def _read(self, inputs: tuple[Shape, ...]) -> list[Shape]:
        return [*inputs, self.weights] if self.weights else [*inputs]


@dataclass(frozen=True, eq=False)
class SweepLayer:
    """``operator``: its row in the tables. ``values``: what was drawn. ``bits`` of activations;
    ``inputs``: shapes, batch first. ``parts`` one after the other."""

    operator: str
    values: Values
    inputs: tuple[Shape, ...]
    parts: tuple[Part, ...]

    @property
    def bits(self) -> int:
        return int(self.values["bits"])

    @cached_property
    def shapes(self) -> tuple[tuple[Shape, ...], ...]:
        """What each part reads, and at last what the layer writes."""
        found = [self.inputs]
        for part in self.parts:
            found.append((part.output(found[-1]),))
        return tuple(found)

    @property
    def output(self) -> Shape:
        return self.shapes[-1][0]

    @cached_property
    def macs(self) -> int:
        pairs = zip(self.parts, self.shapes, strict=False)
        return sum(part.macs(inputs) for part, inputs in pairs)

    @property
    def elements(self) -> int:
        """Written."""
        return math.prod(self.output)

    @property
    def taps(self) -> int:
        """Of a pool, the elements of all its windows; else 0."""
        attrs = self.parts[0].attrs
        pools = isinstance(attrs, PoolAttrs)
        return math.prod(attrs.window.kernel) * self.elements if pools else 0

    @property
    def per(self) -> str:
        """By products or taps where they are what takes time, else by elements written."""
        if self.macs >= FEWEST_PRODUCTS * self.elements:
            return MAC
        if self.taps >= FEWEST_PRODUCTS * self.elements:
            return TAP
        return ELEMENT if self._elementwise else OUTPUT

    @property
    def _elementwise(self) -> bool:
        """Whether no product meets another: those of a depthwise 1x1 are a scale."""
        scaled = all(part.op == "DepthwiseConv2d" for part in self.parts)
        return self.macs == 0 or (scaled and self.macs == self.elements)

    @property
    def work(self) -> int:
        return {MAC: self.macs, TAP: self.taps}.get(self.per, self.elements)

    @property
    def small(self) -> bool:
        """Whether what a call costs hides what its loops do."""
        if self.per == MAC:
            return self.macs < FEWEST_MACS
        whole = self.taps and self.parts[0].attrs.window.kernel == self.inputs[0][1:3]
        return (self.taps if whole else self.elements) < FEWEST_ELEMENTS

    @property
    def weight_bytes(self) -> int:
        """About: of the weights alone."""
        return sum(math.prod(part.weights) for part in self.parts if part.weights)

    @property
    def alone(self) -> tuple[SweepLayer, ...]:
        """Its parts that run code, each a layer by itself."""
        pairs = zip(self.parts, self.shapes, strict=False)
        return tuple(self._alone(part, read) for part, read in pairs if not OPS[part.op].alias)

    def _alone(self, part: Part, read: tuple[Shape, ...]) -> SweepLayer:
        grouped = {"groups": part.attrs.groups} if part.op == "Conv2d" else {}
        values = {"bits": self.bits, **grouped}
        return SweepLayer(f"{self.operator} {part.op}", values, read, (part,))

    @cached_property
    def largest(self) -> int:
        """Elements of the largest tensor."""
        return max(math.prod(shape) for shapes in self.shapes for shape in shapes)

    @property
    def live_bytes(self) -> int:
        """At most, of the tensors that a part reads and writes."""
        pairs = zip(self.shapes, self.shapes[1:], strict=False)
        most = max(sum(map(math.prod, (*inputs, *outputs))) for inputs, outputs in pairs)
        return most * self.bits // 8

    @property
    def text(self) -> str:
        """``16x16x32 -> 16x16x64, 3x3, stride 2, 4 groups``."""
        read = ", ".join(dict.fromkeys(map(_shape_text, self.inputs)))
        return ", ".join([f"{read} -> {_shape_text(self.output)}", *self._words()])

    def _words(self) -> list[str]:
        words = [_window_text(part.attrs.window) for part in self.parts[:1] if _windowed(part)]
        groups, multiplier = self.values.get("groups", 1), self.values.get("multiplier", 1)
        words += [f"{groups} groups"] if groups > 1 else []
        words += [f"multiplier {multiplier}"] if multiplier > 1 else []
        return words + [
            str(self.values[name]) for name in ("kind", "second") if name in self.values
        ]


def _windowed(part: Part) -> bool:
    return isinstance(getattr(part.attrs, "window", None), Window)


def _window_text(window: Window) -> str:
    text = _pair(window.kernel)
    for name in ("stride", "dilation"):
        if (extents := getattr(window, name)) != (1, 1):
            text += f", {name} {extents[0]}" if extents[0] == extents[1] else f", {_pair(extents)}"
    return text


def _pair(extents: tuple[int, int]) -> str:
    return f"{extents[0]}x{extents[1]}"


def _shape_text(shape: Shape) -> str:
    return "x".join(map(str, shape[1:]))

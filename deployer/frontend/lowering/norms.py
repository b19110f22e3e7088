"""Normalizations along one axis, over an image, or over groups of channels of it."""

from __future__ import annotations

import numpy as np

from deployer.frontend.attributes import normalized_axes
from deployer.frontend.builder import Builder
from deployer.frontend.net import Op
from deployer.ir import Layout, NormAttrs


def layer_norm(b: Builder, op: Op) -> None:
    """Of one axis: that of the channels then. Of all: one group of channels. Of those behind the
    channels: a group each."""
    shape, axes = b.net.shapes[op.first], normalized_axes(b.net, op)
    if len(axes) == 1:
        _norm(b, op, "LayerNorm", axes[0], 1)
        return
    _norm(b, op, "GroupNorm", 1, 1 if axes[0] == 1 else shape[1])


def instance_norm(b: Builder, op: Op) -> None:
    _norm(b, op, "GroupNorm", 1, b.net.shapes[op.first][1])


def group_norm(b: Builder, op: Op) -> None:
    _norm(b, op, "GroupNorm", 1, int(op.attrs["num_groups"]))


def _norm(b: Builder, op: Op, kind: str, axis: int, groups: int) -> None:
    channels = b.net.shapes[op.first][axis]
    names = [
        b.weight(op, name, _vector(b.net.constant(op, index), channels, default), Layout.VECTOR)
        for name, index, default in (("scale", 1, 1.0), ("offset", 2, 0.0))
    ]
    attrs = NormAttrs(float(op.attrs.get("epsilon", 1e-5)), groups)
    b.along(op, kind, [op.first, *names], attrs, axis=axis)


def _vector(given: np.ndarray | None, channels: int, default: float) -> np.ndarray:
    numbers = np.array([default]) if given is None else given.reshape(-1).astype(np.float64)
    return np.broadcast_to(numbers, (channels,))

"""Layers for the tiler, with kernels whose cycles and scratch are easy to follow."""

from __future__ import annotations

from math import prod

from deployer.board.model import Dma, TileControl
from deployer.ir.attrs import Pads
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.tile.layer import Layer
from deployer.tile.search import Room
from deployer.tile.transfer import Engine

INTO = Dma("l2", "l1", bytes_per_cycle=8, setup_cycles=20, line_cycles=0)
OUT = Dma("l1", "l2", bytes_per_cycle=7.75, setup_cycles=20, line_cycles=1)
CONTROL = TileControl(
    step=800, part=2000, tile=150, lead=800, axis=130, command=80, loop=700, early=500,
    kind="simulated", source="docs/gap8.md",
)  # fmt: skip
CORES = 8


def room(size: int, *, cores: int = CORES) -> Room:
    return Room("l1", size, Engine(INTO, OUT, CONTROL), cores)


def cycles(case: KernelCase) -> float:
    """Four multiplications a cycle; blocks of four channels, as real kernels have."""
    inputs = 1 if case.op == "DepthwiseConv2d" else case.in_channels
    groups = -(-case.out_channels // 4) * 4
    return 100 + prod(case.out_shape[1:-1]) * groups * inputs * prod(case.kernel) / 4


def conv(
    rows: int,
    columns: int,
    depth: int,
    channels: int,
    *,
    kernel: int = 3,
    stride: int = 1,
    scratch: int = 0,
) -> Layer:
    pad = kernel // 2
    case = KernelCase(
        op="Conv2d",
        act="s8",
        weights="s8",
        in_shapes=((1, rows, columns, depth),),
        out_shape=(1, -(-rows // stride), -(-columns // stride), channels),
        kernel=(kernel, kernel),
        stride=(stride, stride),
        pads=Pads(pad, pad, pad, pad),
        rule="i32",
    )
    kernel_entry = Kernel(
        "dpl_conv2d_s8__xpulpv2", op="Conv2d", cycles=cycles, scratch=lambda case: scratch
    )
    return Layer(kernel_entry, case, sliced=False, group_bytes=4 * (kernel**2 * depth + 12))


def add(rows: int, columns: int, channels: int) -> Layer:
    shape = (1, rows, columns, channels)
    case = KernelCase(op="Add", act="s8", weights="", in_shapes=(shape, shape), out_shape=shape)
    entry = Kernel("dpl_add_s8__xpulpv2", op="Add", cycles=lambda case: prod(case.out_shape) / 2)
    return Layer(entry, case, sliced=True, group_bytes=0)

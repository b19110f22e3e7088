"""One entry of the kernel catalogue, and what it may look at to say whether it applies."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from deployer.ir import (
    OPS,
    ConvAttrs,
    ConvTransposeAttrs,
    DType,
    Graph,
    Layout,
    Node,
    PadAttrs,
    Pads,
    PoolAttrs,
    ResizeAttrs,
    ResizeMode,
    SliceAttrs,
    Window,
)
from deployer.kernelset.arguments import arguments_of, header_of
from deployer.kernelset.families import family_of
from deployer.kernelset.layouts import WeightLayout
from deployer.kernelset.order import AccessOrder

Shape = tuple[int, ...]

_WEIGHT_LAYOUTS = {Layout.OHWI, Layout.HWC, Layout.OI}
_POINT = Window((1, 1))
_KEPT_LAYERS = 16  # fully connected ones, of which networks have few


@dataclass(frozen=True)
class KernelCase:
    """One node as kernels see it.

    ``act`` and ``weights`` are type names ("s8"; ``weights`` is "" when there are none).
    ``out_act`` is the output's where a Rescale changes the type, else "".
    ``in_shapes`` are the activations', batch first. Operators without a window have a 1x1 one.
    ``rule`` is "" for operators that do not requantize, ``mode`` for all but Resize. ``before``
    is how far into the output a Pad puts its input, or into its input a Slice or into its copies a
    nearest Resize begins, per axis.
    ``accumulator_bound``: of a fully connected layer of int8 the largest magnitude a channel's sum,
    bias and products, can have; ``lowest_pair``: the least ``a + 256b`` of its weights a and b of
    two channels next to each other, for kernels that hold both in a halfword. ``contiguous``:
    pixels of all activations follow one another in their rows, as in tiles;
    otherwise they may be those of a view. ``blocked_input``, ``blocked_output``: whether the first
    activation, or the output, has transposed blocks (``Layout.BLOCKED``).
    """

    op: str
    act: str
    weights: str
    in_shapes: tuple[Shape, ...]
    out_shape: Shape
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pads: Pads = field(default_factory=Pads)
    groups: int = 1
    rule: str = ""
    mode: str = ""
    out_act: str = ""
    before: Shape = ()
    accumulator_bound: int = 0
    lowest_pair: int = 0
    contiguous: bool = False
    blocked_input: bool = False
    blocked_output: bool = False

    def varied(self, **changes: object) -> KernelCase:
        """With other fields: ``dataclasses.replace``, for tilers, which vary thousands."""
        found = object.__new__(KernelCase)
        found.__dict__.update(self.__dict__, **changes)
        return found

    @property
    def pairs_fit(self) -> bool:
        """Whether a halfword holds each ``a + 256b``."""
        return self.lowest_pair >= -(1 << 15)

    @property
    def element_bytes(self) -> int:
        """Of an activation."""
        return int(self.act[1:]) // 8

    @property
    def in_channels(self) -> int:
        return self.in_shapes[0][-1]

    @property
    def out_channels(self) -> int:
        return self.out_shape[-1]

    @property
    def multiplier(self) -> int:
        """Output channels for each input channel; of use for depthwise convolutions."""
        return self.out_channels // self.in_channels

    @property
    def mixes(self) -> bool:
        """Whether an output channel needs several of the input."""
        spec = OPS[self.op]
        return spec.linear and not spec.channelwise

    @property
    def grouped(self) -> bool:
        """Whether it needs several, but not all."""
        return self.mixes and self.groups > 1

    @property
    def image(self) -> Shape:
        """The largest input."""
        return max(self.in_shapes, key=math.prod)

    @property
    def pixels(self) -> tuple[bool, ...]:
        """Whether an input is one pixel, which meets every one of the largest."""
        return tuple(s != self.image and s[1:-1] == (1, 1) for s in self.in_shapes)


def case_of(graph: Graph, node: Node) -> KernelCase:
    """What ``Kernel.when`` and ``Kernel.scratch`` see of ``node``."""
    attrs = node.attrs
    convolves = isinstance(attrs, ConvAttrs | ConvTransposeAttrs)
    window = attrs.window if convolves or isinstance(attrs, PoolAttrs) else _POINT
    weights = [v for v in map(graph.values.get, node.inputs) if v and v.layout in _WEIGHT_LAYOUTS]
    dense = node.op == "FullyConnected" and weights[0].dtype is DType.S8
    bound, lowest = 0, 0
    if dense:
        bound, lowest = _dense_bounds(*(_Kept(graph.constants[name]) for name in node.inputs[1:3]))
    act, out_act = (_type_name(graph.values[n].dtype) for n in (node.inputs[0], node.output))
    return KernelCase(
        op=node.op,
        act=act,
        weights=_type_name(weights[0].dtype) if weights else "",
        in_shapes=graph.shapes(graph.activations(node)),
        out_shape=graph.values[node.output].shape,
        kernel=window.kernel,
        stride=window.stride,
        dilation=window.dilation,
        pads=window.pads,
        groups=attrs.groups if convolves else 1,
        rule=node.requant.rule if node.requant else "",
        mode=attrs.mode if isinstance(attrs, ResizeAttrs) else "",
        out_act="" if out_act == act else out_act,
        before=_before(node),
        accumulator_bound=bound,
        lowest_pair=lowest,
        blocked_input=_is_blocked(graph, node, node.first),
        blocked_output=_is_blocked(graph, node, node.output),
    )


def _is_blocked(graph: Graph, node: Node, value: str) -> bool:
    """A Concat moves channels in fours, which keeps blocks as they are."""
    return graph.values[value].layout is Layout.BLOCKED and node.op != "Concat"


class _Kept:
    """An array that is the same as itself alone: it stays as it is while a graph has it."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __hash__(self) -> int:
        return id(self.array)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept) and other.array is self.array


@lru_cache(maxsize=_KEPT_LAYERS)
def _dense_bounds(weights: _Kept, bias: _Kept) -> tuple[int, int]:
    """The largest sum of OI weights, and the least pair. Planners ask for them again and again."""
    return _accumulator_bound(weights.array, bias.array), _lowest_pair(weights.array)


def _lowest_pair(weights: np.ndarray) -> int:
    """For OI weights; a missing last channel is zero. Below -32768 where -128 meets a negative."""
    upper = weights[1::2].astype(np.int32)
    return int((256 * upper + weights[: 2 * len(upper) : 2]).min(initial=0))


def _accumulator_bound(weights: np.ndarray, bias: np.ndarray) -> int:
    """For OI weights; the bound of the type where it is small anyway."""
    biases = np.abs(bias.astype(np.int64))
    bound: int = weights.shape[1] * 127 * 128 + int(biases.max())
    if bound < 1 << 23:
        return bound
    sums = np.abs(weights, dtype=np.int16).sum(axis=1, dtype=np.int64) * 128
    return int((sums + biases).max())


def _before(node: Node) -> Shape:
    if isinstance(node.attrs, PadAttrs):
        return node.attrs.before
    if isinstance(node.attrs, ResizeAttrs):
        return (0, *node.attrs.start, 0)
    return node.attrs.begin if isinstance(node.attrs, SliceAttrs) else ()


def always(case: KernelCase) -> bool:
    """The condition of a kernel that takes every case of its operator and types."""
    return True


def never(case: KernelCase) -> bool:
    """The condition of what a kernel does not take."""
    return False


def by_mode(mode: ResizeMode) -> Callable[[KernelCase], bool]:
    """The condition of a kernel of one mode of Resize."""
    return lambda case: case.mode == mode


def none(case: KernelCase) -> int:
    """The scratch of a kernel that needs none."""
    return 0


@dataclass(frozen=True)
class Kernel:
    """A function of the kernel library.

    ``symbol`` is ``dpl_<op>_<types>__<isa>[_<variant>]``. ``also`` names further operators that
    one function computes from the same argument struct. ``act`` is the activations' type, with
    ``out_act`` the output's where it differs. ``when`` holds the preconditions beyond operator and
    types; ``scratch`` is in bytes. ``weight_layout`` is the order the generator packs weights
    in. ``order`` says how far the output may lie over an
    input; without it they never share bytes. ``row_block``: output rows it computes at once, 1 or
    2. ``contiguous``: takes no windows, only whole tensors without gaps.
    ``opt_in``: computes only nodes that name it, since others do the same with less memory.
    ``yields``: where other kernels of its family that compute the case go before it.
    ``blocked_input``, ``blocked_output``: reads, or writes, transposed blocks and nothing else.
    ``in_tiles``: computes tiles with their border padding, and nothing else; the planner puts it in
    the place of one that computes all, for less code.
    ``pass_pixels``: output pixels for which it reads its weights once, 0 for those of a block of
    ``order``.
    ``assembly``: files beside its C file that it calls into, which others may share; ``shared``:
    the same in C.
    ``cycles``: estimated, of one call by all cores with everything in the innermost memory; with it
    its nodes are cut to tiles that fit there.
    ``border_padding``: whether its tiles' inputs are to have zero points between their rows where a
    side would cut windows (dpl/border_padding.h); it then sees them as columns without pads.
    ``weighed``: whether boards' cost tables tell of it; others are chosen by ``when`` and
    ``yields`` alone, which estimate more of them than the terms do.
    ``formula``: estimated cycles of a case, where a formula tells more of them than the terms do.
    ``formula_decides``: where it goes first formulas have compared it with all others, so that the
    cost table replaces it by none.
    ``terms``: what its time depends on (deployer/restructure/terms.py), () for those of portable
    kernels.
    """

    symbol: str
    op: str
    act: str = "s8"
    weights: str = "s8"
    when: Callable[[KernelCase], bool] = always
    scratch: Callable[[KernelCase], int] = none
    weight_layout: WeightLayout = WeightLayout.IR
    also: tuple[str, ...] = ()
    out_act: str = ""
    order: AccessOrder | Callable[[KernelCase], AccessOrder | None] | None = None
    row_block: int = 1
    contiguous: bool = False
    opt_in: bool = False
    yields: Callable[[KernelCase], bool] = never
    blocked_input: bool = False
    blocked_output: bool = False
    in_tiles: bool = False
    pass_pixels: int = 0
    assembly: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    cycles: Callable[[KernelCase], float] | None = None
    border_padding: Callable[[KernelCase], bool] = never
    weighed: bool = True
    formula: Callable[[KernelCase], float] | None = None
    formula_decides: bool = False
    terms: tuple[str, ...] = ()

    @property
    def ops(self) -> tuple[str, ...]:
        """Every operator it computes."""
        return (self.op, *self.also)

    def takes(self, case: KernelCase) -> bool:
        """Whether the kernel computes ``case``. A case without weights fits any weight type."""
        acts = (case.act, case.out_act) == (self.act, self.out_act)
        types = acts and case.weights in ("", self.weights)
        blocks = self.blocked_input, self.blocked_output
        lies = blocks == (case.blocked_input, case.blocked_output)
        return case.op in self.ops and types and lies and self.when(case)

    @property
    def family(self) -> str:
        """The folder under kernels/ and the name in a board's list."""
        return family_of(self.symbol).name

    @property
    def source(self) -> str:
        """The C file, relative to the data root."""
        return f"kernels/{self.family}/{self.symbol.removeprefix('dpl_')}.c"

    @property
    def sources(self) -> tuple[str, ...]:
        """All files that are compiled for it."""
        beside = (*self.assembly, *self.shared)
        return (self.source, *(f"kernels/{self.family}/{name}" for name in beside))

    @property
    def argument_struct(self) -> str:
        """The C name of what it is called with."""
        types = "_".join(filter(None, (self.act, self.out_act)))
        return arguments_of(self.op).struct(types)

    @property
    def header(self) -> str:
        """The header that declares it, as C includes it (relative to kernels/include)."""
        return f"dpl/{header_of(self.op).name}.h"


def _type_name(dtype: DType) -> str:
    return dtype.name.lower()

"""Operators that take elements one by one, and what attention consists of."""

from __future__ import annotations

from math import prod

from deployer.ir import AFFINE
from deployer.kernelset.blocking.pulp import CLUSTER_CORES as CORES
from deployer.kernelset.blocking.pulp import GROUP_CHANNELS as GROUP
from deployer.kernelset.kernel import Kernel, KernelCase
from deployer.kernelset.order import BY_ELEMENTS

CALL = 250.0  # entering and leaving a kernel, fields of its arguments
# Of a pixel of four channels, and how many of those it takes to begin four; of an element beside.
_PIXEL, _BEGIN, _REST = 20.5, 8, 14.0

_RATES = {"Add": 0.96, "Sub": 0.96, "Mul": 1.22, "Table": 0.45, "Rescale": 0.69, "PRelu": 2.0}


def by_elements(case: KernelCase) -> float:
    """Estimated cycles of one call on GAP8's eight cores, everything in L1; fitted to gap8_sim
    (docs/gap8-simulator.md)."""
    if case.op == "Mul" and any(case.pixels) and case.rule in AFFINE:
        return CALL + _by_channels(case)
    return CALL + _RATES[case.op] * prod(case.out_shape)


def _by_channels(case: KernelCase) -> float:
    """Of an image times a pixel: groups of four channels, or some pixels of each, on every core."""
    pixels, channels = prod(case.out_shape[1:3]), case.out_channels
    groups, rest = divmod(channels, GROUP)
    some = -(-pixels // CORES)
    shared = min(-(-groups // CORES) * (pixels + _BEGIN), groups * (some + _BEGIN))
    return _PIXEL * shared + _REST * some * rest


def _by_words(op: str, *assembly: str, also: tuple[str, ...] = ()) -> Kernel:
    return Kernel(
        f"dpl_{op.lower()}_s8__xpulpv2",
        op=op,
        also=also,
        order=BY_ELEMENTS,
        assembly=assembly,
        cycles=by_elements,
    )


KERNELS: tuple[Kernel, ...] = (
    _by_words("Add", "add_words.S", also=("Sub",)),
    Kernel(
        "dpl_add_s16__xpulpv2",
        op="Add",
        act="s16",
        also=("Sub",),
        order=BY_ELEMENTS,
        assembly=("add_halves.S",),
        cycles=by_elements,
    ),
    _by_words("Mul", "depthwise_points.S", "mul_words.S"),
    _by_words("Table", "table_words.S"),
    _by_words("Rescale", "affine_runs.S"),
    _by_words("PRelu", "prelu_runs.S"),
    Kernel("dpl_matmul_s8__xpulpv2", op="MatMul", assembly=("four_by_pixels.S",)),
    Kernel("dpl_layer_norm_s8__xpulpv2", op="LayerNorm"),
    Kernel("dpl_softmax_s8__xpulpv2", op="Softmax"),
)

"""Matrix products as convolutions and dense layers of a board, and by other libraries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType

from deployer.errors import MismatchError, UsageError
from deployer.tools.bench.gemm_peer import GemmBench, GemmPeer, Shape
from deployer.tools.bench.sweep_layers import FLOAT_BITS, SweepLayer, Values
from deployer.tools.bench.sweep_operators import OPERATORS
from deployer.tools.bench.sweep_row import SweepRow
from deployer.tools.bench.sweep_runs import SweepBench

GEMM_SHAPES: tuple[Shape, ...] = ((576, 288, 64), (36, 512, 512), (1, 512, 1000))
_ELEMENTS = MappingProxyType({8: "int8", 16: "int16", FLOAT_BITS: "fp32"})


@dataclass(frozen=True)
class GemmRow:
    """A product of ``shape`` whose operands are in no cache: ``instructions`` are counted,
    ``cycles`` estimated, ``core`` those that it would take without memory."""

    shape: Shape
    element: str
    kernel: str
    instructions: int
    core: float
    cycles: float

    @property
    def macs(self) -> int:
        rows, depth, columns = self.shape
        return rows * depth * columns


def gemm_shape_of(text: str) -> Shape:
    """``576x288x64``: rows, depth, columns. Raises UsageError for anything else."""
    parts = text.split("x")
    if len(parts) != 3 or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--shape {text}", hints=["ROWSxDEPTHxCOLUMNS, as in 576x288x64"])
    rows, depth, columns = map(int, parts)
    return rows, depth, columns


def own_gemm_rows(bench: SweepBench, shapes: tuple[Shape, ...]) -> Iterator[GemmRow]:
    """By the board's kernels: 1x1 convolutions, of one row dense layers. Raises MismatchError when
    a product is not golden, BenchError when tools fail, UsageError for a board without floats."""
    for bits, element in _ELEMENTS.items():
        layers = [_layer(shape, bits) for shape in shapes]
        of_layer = {id(layer): shape for layer, shape in zip(layers, shapes, strict=True)}
        for row in bench.rows(layers):
            yield _row(of_layer[id(row.layer)], element, row)


def _layer(shape: Shape, bits: int) -> SweepLayer:
    rows, depth, columns = shape
    values: Values = {"inputs": depth, "outputs": columns, "bits": bits}
    if rows == 1:
        return _made("FullyConnected", values)
    image = {"plane": (1, rows), "window": (1, 1), "stride": 1, "dilation": 1, "groups": 1}
    return _made("Conv2d", {**values, **image, "padding": "valid"})


def _made(operator: str, values: Values) -> SweepLayer:
    found = OPERATORS[operator].layer(operator, values)
    assert found is not None, values
    return found


def _row(shape: Shape, element: str, row: SweepRow) -> GemmRow:
    if not row.exact or row.cycles is None:
        raise MismatchError(row.said)
    (step,) = row.steps
    return GemmRow(
        shape, element, row.kernel, step.instructions or 0, step.core or 0.0, step.cycles or 0.0
    )


def peer_gemm_rows(
    bench: GemmBench, peer: GemmPeer, shapes: tuple[Shape, ...]
) -> Iterator[GemmRow]:
    """By each kernel of another library. Raises as ``GemmPeer`` and ``GemmBench.time`` do."""
    for kernel in peer.kernels():
        app = peer.program(kernel)
        for shape in shapes:
            time = bench.time(kernel, app, shape)
            yield GemmRow(
                shape, kernel.element, kernel.symbol, time.instructions, time.core, time.cycles
            )

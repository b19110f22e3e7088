"""What building a call's arguments needs: where tensors lie, what constants are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deployer.analysis import Hwc, RegionLayout, Slot, offsets
from deployer.codegen.layout import ArenaMap
from deployer.codegen.statement import Term, expression
from deployer.ir import Graph, Node, Step, hwc
from deployer.kernelset import by_symbol
from deployer.schedule import array_key

__all__ = ["Call", "CallContext", "Struct", "Tensor", "hwc", "offsets", "tensor", "window"]

Struct = dict[str, "Term | Struct"]


@dataclass(frozen=True)
class Call:
    """A kernel's argument struct, and for a Concat the elements of the array it points to, which
    are of type ``part``."""

    struct: str
    fields: Struct
    parts: tuple[Struct, ...] = ()
    part: str = ""


@dataclass(frozen=True, eq=False)
class CallContext:
    """What an argument builder may look at. ``symbol`` names the C array of a constant.

    Names of what belongs to the call begin with ``function``. In a region the ``layout`` says where
    tensors lie; their windows and pads are set for every piece.
    """

    graph: Graph
    arena: ArenaMap
    symbol: Callable[[str], str]
    step: Step
    function: str
    layout: RegionLayout | None = None

    @property
    def scratch(self) -> Term:
        return self.arena.address(f"{self.step.node}.scratch") if self.step.scratch else "0"

    def weights(self, node: Node) -> Term:
        """The node's weights, in the order its kernel wants: their array, or the buffer to which
        they are fetched."""
        if node.name in self.arena.prefetched:
            return self.arena.address(self.arena.prefetched[node.name].buffer)
        layout = by_symbol(self.step.kernel).weight_layout
        return self.symbol(array_key(node, node.inputs[1], layout))

    def zero(self, value: str) -> str:
        return str(self.graph.values[value].q.zero_point)

    def data(self, value: str, skipped: int = 0) -> Term:
        """A pointer ``skipped`` elements into the value. Arenas are bytes, which int16 is not."""
        element = self.graph.values[value].dtype.bytes
        address = self.arena.address(value, skipped * element)
        return address if element == 1 else expression("untyped", address)

    def pitches(self, value: str) -> tuple[int, int]:
        """Elements from a pixel to the one below, and to the one on its right."""
        return self.arena.pitches(value)

    def hwc(self, value: str) -> Hwc:
        return hwc(self.graph.values[value].shape)


class Tensor(dict[str, "Term | Struct"]):
    """The fields of a tensor's struct, and whose window it is."""

    def __init__(self, value: str, fields: Struct):
        super().__init__(fields)
        self.value = value


def tensor(call: CallContext, value: str) -> Struct:
    """A whole tensor; rank 2 is one pixel of channels."""
    return window(call, value, at=(0, 0, 0), size=call.hwc(value))


def window(call: CallContext, value: str, *, at: Hwc, size: Hwc) -> Struct:
    """The part of a tensor from ``at``, ``size`` large; it keeps the tensor's pitches. Rows and
    columns of a region's tensors are those of the piece."""
    if call.layout is not None:
        return _piece(call, call.layout, value, channel=at[2], channels=size[2])
    pitches = call.pitches(value)
    skipped = sum(first * pitch for first, pitch in zip(at, (*pitches, 1), strict=True))
    fields: Struct = {
        "data": call.data(value, skipped),
        "height": str(size[0]),
        "width": str(size[1]),
        "channels": str(size[2]),
        "row_pitch": str(pitches[0]),
        "pixel_pitch": str(pitches[1]),
    }
    return Tensor(value, fields)


def _piece(
    call: CallContext, layout: RegionLayout, value: str, *, channel: int, channels: int
) -> Struct:
    """Where the first pixel of the buffer lies, from ``channel`` of the value on."""
    slot = layout.slots.get(value, Slot(value))
    stored = layout.stored.get(slot.owner)
    if stored is None:
        rows, pixels = call.pitches(slot.owner)
    else:
        rows, pixels = stored.columns * stored.channels, stored.channels
    fields: Struct = {
        "data": call.data(slot.owner, slot.channel + channel),
        "channels": str(channels),
        "row_pitch": str(rows),
        "pixel_pitch": str(pixels),
    }
    return Tensor(value, fields)

"""Functions of a step in tiles: what dpl/tiles.h calls. What no tile changes is a constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from deployer.codegen.call import Call, CallContext, Struct
from deployer.codegen.fetches import fetch_number
from deployer.codegen.statement import Statement, Term
from deployer.codegen.tile_arguments import first, first_border_padding, setting
from deployer.codegen.tile_moves import Move, far, loads, stores
from deployer.codegen.tile_step import TileStep, axes_of
from deployer.ir import Axis, Node, Tiling
from deployer.kernelset import by_symbol, tiled_case

HEADER = "dpl/border_padding.h"  # with dpl/tiles.h
SOURCES = ("kernels/runtime/border_padding.c", "kernels/runtime/tiles.c")


@dataclass(frozen=True)
class TilesView:
    """``call``: of the first tile. ``far``: where its tensors lie as a whole, the ``inputs`` apart.
    ``setting``: statements that turn the arguments of any tile into those of another. ``next``:
    the tiling whose constants are ``prefetched`` at the end of this one, "" without, and which is
    ``chained`` where it is then ``complete``: its first tile needs no more. ``fetch``: the
    transfer that brings its weights, from 1 on, 0 without. ``padding``: the fields of the border
    padding of the first tile, {} without. ``names``: of the arguments and each function, "" where
    it has none; ``own``: those that are written with this step."""

    call: Call
    kernel: str
    notes: tuple[str, ...]
    count: int
    counts: tuple[tuple[str, int], ...]
    slots: Term
    inputs: tuple[Term, ...]
    far: tuple[tuple[str, Term], ...]
    sliced: int
    channels_inner: int
    early: int
    serial: int
    late: int
    axes: tuple[str, ...]
    loads: tuple[Move, ...]
    stores: tuple[Move, ...]
    setting: tuple[Statement, ...]
    prefetched: bool
    distance: int
    fetch: int
    complete: bool = False
    next: str = ""
    chained: int = 0
    padding: Struct = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()

    @property
    def parts(self) -> dict[str, object]:
        """What it is made of: arguments and functions, which steps of the same have together."""
        found: dict[str, object] = {
            "args": (self.call, self.padding),
            "load": (self.loads, self.loads_differ),
            "store": (self.stores, self.stores_differ),
            "compute": (self.call.struct, self.kernel, bool(self.padding)),
        }
        if self.count > 1:
            found |= {"axes": self.axes, "set": (self.call.struct, self.setting)}
        return found

    @property
    def loads_differ(self) -> bool:
        """Whether what is loaded depends on the tile."""
        return any(move.when or move.call.differs for move in self.loads)

    @property
    def loads_far(self) -> bool:
        """Whether the tiling says where what is loaded lies."""
        return any(move.call.is_far for move in self.loads)

    @property
    def stores_differ(self) -> bool:
        """Whether where a tile goes depends on the tile."""
        return any(move.call.differs for move in self.stores)


def tiles_view(call: CallContext, node: Node, tiling: Tiling, array: str) -> TilesView:
    """``node`` in the tiles of ``tiling``, which lie in the C array ``array``."""
    case = tiled_case(call.graph, node, by_symbol(call.step.kernel))
    step = TileStep(call, node, tiling, array, case)
    return TilesView(
        call=first(step),
        kernel=call.step.kernel,
        notes=_notes(tiling),
        count=tiling.count,
        counts=tuple((name, axis.count) for name, axis in axes_of(tiling)),
        slots=step.at("turns"),
        inputs=tuple(map(call.data, step.activations)),
        far=tuple(far(step)),
        sliced=int(tiling.sliced),
        channels_inner=int(tiling.channels_inner),
        early=int(tiling.costs.early),
        serial=int(tiling.serial),
        late=int(tiling.late),
        axes=tuple(_axis(axis) for _, axis in axes_of(tiling)),
        loads=tuple(loads(step)),
        stores=tuple(stores(step)),
        setting=tuple(setting(step)),
        prefetched=tiling.prefetched,
        distance=tiling.distance,
        fetch=fetch_number(call.arena, node.name),
        complete=_is_complete(call, node, tiling),
        padding=first_border_padding(step) if step.border_padding else {},
    )


def _is_complete(call: CallContext, node: Node, tiling: Tiling) -> bool:
    """Whether its first tile needs what is kept and what is prefetched, and nothing else."""
    alone = len(call.graph.activations(node)) == 1
    return alone and bool(tiling.kept) and tiling.prefetched and not tiling.serial


def _notes(tiling: Tiling) -> tuple[str, ...]:
    """``4 tiles of 8x32x16, channels before places``, what lies in the inner memory, and what of it
    is there when the step begins."""
    size = "x".join(str(axis.tile) for _, axis in axes_of(tiling))
    order = "all channels of a place first" if tiling.channels_inner else "all places first"
    arrays = (f"{b.id} {f'{b.sides} x ' if b.sides > 1 else ''}{b.size:,}" for b in tiling.buffers)
    costs = tiling.costs
    beside = "the step before" if tiling.distance == 1 else "the two steps before"
    return (
        f"{tiling.count} tile{'s' if tiling.count > 1 else ''} of {size}, {order}",
        f"{tiling.memory} {tiling.bytes:,} bytes: {', '.join(arrays)}",
        f"estimated {costs.cycles:,} cycles, {costs.compute:,} in the kernel, "
        f"{costs.waiting:,} waiting for transfers",
        *([f"arguments and first weights are fetched beside {beside}"] * tiling.prefetched),
        *(["the output is written back beside the next step"] * tiling.late),
        *(
            [f"{tiling.kept} is the output of the step before, where it lies"]
            if tiling.kept
            else []
        ),
    )


def _axis(axis: Axis) -> str:
    """What it is made of in C; nothing where it is not cut."""
    if axis.count == 1:
        return "{0}"
    numbers = axis.tile, axis.outputs, axis.inputs, axis.stride, axis.taps, axis.pad, int(axis.up)
    return "{" + ", ".join(map(str, numbers)) + "}"

"""Generate the C of a library: networks that another program calls, in an arena of its choice."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from deployer.choices import ArenaOwner
from deployer.codegen.layout import Arena, ArenaMap
from deployer.codegen.library_views import (
    ALIGN_BYTES,
    LibraryArena,
    LibraryIo,
    LibraryView,
    shared_arenas,
    suffix_of,
)
from deployer.codegen.literals import float_literal
from deployer.codegen.names import c_name
from deployer.codegen.network import network_view
from deployer.codegen.templates import rendered
from deployer.codegen.views import IoView
from deployer.errors import UsageError
from deployer.ir import Graph, MemoryPlan, Schedule

_RESERVED = ("dpl",)  # what kernels begin with


@dataclass(frozen=True)
class Planned:
    """One network to generate. ``name``: the C name everything of it begins with; ``prefix``: of
    its files; ``stack_bytes``: those its board gives the steps; ``threads`` that share
    them."""

    name: str
    prefix: str
    schedule: Schedule
    plan: MemoryPlan
    options: tuple[str, ...]
    board: str
    stack_bytes: int
    threads: int = 1


def library_names(stems: Sequence[str]) -> tuple[str, ...]:
    """C names of models whose files are called ``stems``: different ones, in order; of equal ones
    the second ends with _2."""
    names: list[str] = []
    for stem in stems:
        base = c_name(stem)
        base = f"n_{base}" if base.split("_")[0] in _RESERVED else base
        count, name = 2, base
        while name in names:
            name, count = f"{base}_{count}", count + 1
        names.append(name)
    return tuple(names)


def library_view(planned: Planned, mode: ArenaOwner, *, version: str) -> LibraryView:
    """What is generated of one network."""
    graph = planned.schedule.graph
    net = network_view(
        planned.schedule,
        planned.plan,
        version=version,
        options=planned.options,
        cname=planned.name,
        threads=planned.threads,
    )
    arena = ArenaMap(graph, planned.plan, planned.name)
    return LibraryView(
        net=replace(net, prefix=planned.prefix, build="0"),
        mode=mode,
        arenas=tuple(_arenas(arena.arenas, planned.name, mode)),
        inputs=tuple(_ios(graph, net.inputs, graph.inputs, "input", arena)),
        outputs=tuple(_ios(graph, net.outputs, graph.outputs, "output", arena)),
        board=planned.board,
        stack_bytes=planned.stack_bytes,
        weight_bytes=sum(array.bytes for step in net.steps for array in step.arrays),
    )


def library_sources(
    libs: Sequence[LibraryView], *, version: str
) -> tuple[dict[str, str], tuple[LibraryView, ...]]:
    """File name to text, and the views with the numbers of their builds. Raises UsageError for
    networks whose symbols clash."""
    built = tuple(_with_build(lib) for lib in libs)
    files: dict[str, str] = {}
    symbols: dict[str, str] = {}
    for lib in built:
        own = _files(lib)
        _require_own_symbols(symbols, lib, own)
        files |= own
    if len(built) > 1:
        files["network.h"] = rendered("library/networks.h.j2", libs=built, version=version)
    if built[0].mode == ArenaOwner.SHARED:
        names = {"shared": shared_arenas(built), "align": ALIGN_BYTES, "version": version}
        for name in ("dpl_shared_arena.h", "dpl_shared_arena.c"):
            files[name] = rendered(f"library/{name}.j2", **names)
    return files, built


def _files(lib: LibraryView) -> dict[str, str]:
    prefix = lib.net.prefix
    return {
        **{f"{prefix}{n}": rendered(f"library/{n}.j2", lib=lib, net=lib.net) for n in _NETWORK},
        **{f"{prefix}{n}": rendered(f"{n}.j2", net=lib.net) for n in _WEIGHTS},
    }


_NETWORK = ("network.h", "network.c")
_WEIGHTS = ("weights.h", "weights.c")


def _with_build(lib: LibraryView) -> LibraryView:
    """With a number that follows from its files: those of two builds do not compile together."""
    text = "".join(_files(lib).values())
    number = hashlib.sha256(text.encode()).hexdigest()[:8]
    return replace(lib, net=replace(lib.net, build=f"0x{number}u"))


def _require_own_symbols(symbols: dict[str, str], lib: LibraryView, files: dict[str, str]) -> None:
    """Network ``a`` with a layer ``b_c`` and network ``a_b`` with a layer ``c`` are too alike."""
    name, macro = lib.net.cname, lib.net.macro
    code = re.sub(r"/\*.*?\*/", "", "".join(files.values()), flags=re.DOTALL)
    for found in re.findall(rf"\b(?:{name}|{macro})_\w+", code):
        if symbols.setdefault(found, name) != name:
            raise UsageError(
                f"networks {symbols[found]} and {name} would both have the C symbol {found}",
                why=["the C names of networks are those of their files"],
                hints=["rename one of the model files"],
            )


def _arenas(arenas: Iterable[Arena], name: str, mode: ArenaOwner) -> Iterable[LibraryArena]:
    every = tuple(arenas)
    static = "dpl_shared" if mode == ArenaOwner.SHARED else f"{name}_static"
    for arena in every:
        yield LibraryArena(
            memory=arena.memory,
            array=arena.array,
            static=f"{static}_{arena.memory}",
            parameter="arena" if len(every) == 1 else f"arena_{arena.memory}",
            bytes=arena.bytes,
        )


def _ios(
    graph: Graph, views: tuple[IoView, ...], names: Sequence[str], kind: str, arena: ArenaMap
) -> Iterable[LibraryIo]:
    for name, view in zip(names, views, strict=True):
        quant, suffix = graph.values[name].q, suffix_of(views, view)
        yield LibraryIo(
            name=view.name,
            macro=view.macro,
            suffix=suffix,
            parameter=f"{kind}{suffix}",
            c_type="int8_t" if view.element_bytes == 1 else "int16_t",
            bytes=view.bytes,
            elements=graph.values[name].elements,
            scale=float_literal(quant.tensor_scale),
            zero_point=quant.zero_point,
            low=quant.low,
            high=quant.high,
            shape=view.shape,
            address=view.address,
            array=arena.arenas[0].array,
            resident=name not in graph.by_rows,
        )

"""Library mode: the C of one network or several, ready to drop into another project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from deployer import __version__
from deployer.board import Board
from deployer.choices import ArenaOwner, SchemeName
from deployer.codegen import (
    LibraryView,
    Planned,
    Sample,
    kernel_sources,
    library_sources,
    library_texts,
    library_view,
)
from deployer.errors import UsageError
from deployer.pipeline.artifacts import ALLOCATE, QUANTIZE, SCHEDULE
from deployer.pipeline.generate_stage import option_lines
from deployer.pipeline.golden import make_golden
from deployer.pipeline.job import Job
from deployer.pipeline.library_folder import write_library
from deployer.pipeline.store import Store
from deployer.pipeline.widths import width_text
from deployer.resources import data_root

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_POOL = "firmware/ports/linux/dpl_threads.c"
_CORES = "dpl/cores.h"
_THREADS = "#define DPL_CORES {}\n#define DPL_CORES_VARY\n\n"
_OWN_HEADERS = ("dpl_library.h", "dpl_arena.h", "dpl_place.h", "dpl_quantize.h", "dpl_lock.h")


@dataclass(frozen=True, eq=False)
class Entry:
    """A network of a library: its C name, its job, and the artifacts up to the generated C."""

    name: str
    job: Job
    store: Store


def require_library(board: Board) -> None:
    """Raise UsageError for a board whose networks nobody but its firmware can run."""
    flat = len({memory.level for memory in board.memories}) == 1
    if flat and board.cores == board.threads:
        return
    raise UsageError(
        f"no library for {board.name}",
        why=[
            f"its kernels share each step among {board.cores} cores and work on tiles that a DMA"
            " engine moves; who leads both is the harness"
        ],
        hints=[f"deployer build -b {board.name} makes the firmware"],
    )


def export_library(
    entries: Sequence[Entry],
    folder: Path,
    *,
    arena: ArenaOwner = ArenaOwner.OWN,
    overwrite: bool = False,
) -> None:
    """Write the networks, the kernels and headers they need, a README and examples to ``folder``.

    Everything compiles with ``cc -std=c11 -O2 -I. -c *.c``; nothing else is needed. Raises
    UsageError for a network whose weights are fetched, for networks whose symbols clash, and for
    a folder that would lose files of others.
    """
    for entry in entries:
        _require_integers(entry)
        _require_resident(entry)
    views = [library_view(_planned(e, len(entries)), arena, version=__version__) for e in entries]
    sources, libs = library_sources(views, version=__version__)
    for note in room_notes(libs, entries[0].job.board):
        entries[0].job.notice(note)
    write_library(folder, _contents(entries, libs, sources), overwrite=overwrite)


def room_notes(libs: Sequence[LibraryView], board: Board) -> Iterator[str]:
    """What networks that fit one by one take too much of together."""
    arenas = [arena for lib in libs for arena in lib.arenas]
    for memory in dict.fromkeys(arena.memory for arena in arenas):
        sizes = [arena.bytes for arena in arenas if arena.memory == memory]
        room = board.memory(memory).size
        if libs[0].mode == ArenaOwner.OWN and sum(sizes) > room:
            yield (
                f"WARNING: the arenas take {sum(sizes):,} B of {memory}, which has {room:,} B;"
                f" --arena shared takes {max(sizes):,} B"
            )
    weights, memory = sum(lib.weight_bytes for lib in libs), board.place.weights
    if weights > board.memory(memory).size:
        yield (
            f"WARNING: the weights take {weights:,} B of {memory}, which has"
            f" {board.memory(memory).size:,} B"
        )


def _require_integers(entry: Entry) -> None:
    if entry.job.options.scheme == SchemeName.FLOAT:
        raise UsageError(
            "no library of a float network",
            why=["its interface takes and gives integers, with the scales beside them"],
            hints=["deployer build makes the firmware", "leave --scheme out"],
        )


def _require_resident(entry: Entry) -> None:
    plan = entry.store.get(ALLOCATE)
    outer = plan.prefetch or plan.spills
    if outer is None:
        return
    what = "weights are fetched from" if plan.prefetch else "activations are spilled to"
    raise UsageError(
        f"no library of a network whose {what} {outer.memory}",
        why=["who moves them is the harness; a library's user would have to"],
        hints=[
            "deployer build makes the firmware",
            "a smaller network: all of it in one memory",
        ],
    )


def _planned(entry: Entry, count: int) -> Planned:
    job, quantized = entry.job, entry.store.get(QUANTIZE)
    return Planned(
        name=entry.name,
        prefix=f"{entry.name}_" if count > 1 else "",
        schedule=entry.store.get(SCHEDULE),
        plan=entry.store.get(ALLOCATE),
        options=option_lines(job, quantized.report["calibration"], width_text(quantized.graph)),
        board=job.board.name,
        threads=job.board.threads,
        stack_bytes=job.board.stack_bytes,
    )


def _contents(
    entries: Sequence[Entry], libs: Sequence[LibraryView], sources: dict[str, str]
) -> dict[str, bytes]:
    """File name to bytes. The same networks give the same bytes."""
    files = {name: text.encode() for name, text in sources.items()}
    samples = {entry.name: _sample(entry) for entry in entries}
    texts = library_texts(libs, entries[0].job.board, samples, version=__version__)
    files |= {name: text.encode() for name, text in texts.items()}
    kernels = {name for e in entries for name in kernel_sources(e.store.get(SCHEDULE))}
    threads = entries[0].job.board.threads
    kernels |= {_POOL} if threads > 1 else set()
    files |= {PurePosixPath(name).name: _data(name) for name in sorted(kernels)}
    shared = ("dpl_lock.h",) if libs[0].mode == ArenaOwner.SHARED else ()
    files |= dict(_headers([*files.values()], (*_OWN_HEADERS, *shared)))
    if threads > 1:
        files[_CORES] = _THREADS.format(threads).encode() + files[_CORES]
    return files


def _data(name: str) -> bytes:
    return (data_root() / name).read_bytes()


def _headers(sources: Iterable[bytes], first: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """The headers of ours that ``sources`` include, and those that these include."""
    wanted, found = [*first, *(name for text in sources for name in _included(text))], set()
    while wanted:
        name = wanted.pop()
        path = next((p for p in _candidates(name) if (data_root() / p).is_file()), None)
        if path is None or name in found:
            continue  # generated, or of the user's CMSIS-NN
        found.add(name)
        yield name, _data(path)
        wanted += _included(_data(path))


def _candidates(name: str) -> tuple[str, str]:
    return f"firmware/include/{name}", f"kernels/include/{name}"


def _included(source: bytes) -> list[str]:
    return _INCLUDE.findall(source.decode())


def _sample(entry: Entry) -> Sample:
    """The first golden input and what the network makes of it."""
    quantized = entry.store.get(QUANTIZE)
    schedule = entry.store.get(SCHEDULE)
    graph = schedule.graph
    first = {name: array[:1] for name, array in quantized.inputs.items()}
    golden = make_golden(schedule, first)
    outputs: dict[str, np.ndarray] = {}
    start = 0
    for name in graph.outputs:
        value = graph.values[name]
        part = golden.outputs[0, start : start + value.bytes]
        outputs[name] = part.copy().view(value.dtype.numpy.newbyteorder("<"))
        start += value.bytes
    return Sample(
        inputs=tuple(first[name].reshape(-1) for name in graph.inputs),
        outputs=tuple(outputs[name] for name in graph.outputs),
    )

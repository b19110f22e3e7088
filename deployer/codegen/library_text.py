"""What a library holds besides its sources: README, examples with a golden sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deployer.board import Board
from deployer.codegen.library_views import LibraryView, shared_arenas
from deployer.codegen.pack import PackedArray, pack
from deployer.codegen.templates import rendered


@dataclass(frozen=True, eq=False)
class Sample:
    """The integers of one sample, flattened, by input and by output in graph order."""

    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]


def library_texts(
    libs: Sequence[LibraryView], board: Board, samples: Mapping[str, Sample], *, version: str
) -> dict[str, str]:
    """File name to text. ``samples`` by C name."""
    names = {
        "libs": libs,
        "board": board,
        "mode": libs[0].mode,
        "version": version,
        "compiler": board.toolchain.prefix + "gcc" if board.toolchain.prefix else "cc",
        "flags": " ".join(board.toolchain.cflags),
        "threads": board.threads,
        "shared": shared_arenas(tuple(libs)),
        "samples": [_arrays(lib, samples[lib.net.cname]) for lib in libs],
    }
    return {name: rendered(f"library/{name}.j2", **names) for name in _TEXTS}


_TEXTS = ("README.md", "example/samples.h", "example/main.c", "example/main.cpp")


def _arrays(lib: LibraryView, sample: Sample) -> list[PackedArray]:
    prefix = f"{lib.net.cname}_sample"
    given = zip(lib.inputs, sample.inputs, strict=True)
    expected = zip(lib.outputs, sample.outputs, strict=True)
    return [
        *(pack(f"{prefix}_input{io.suffix}", array) for io, array in given),
        *(pack(f"{prefix}_output{io.suffix}", array) for io, array in expected),
    ]

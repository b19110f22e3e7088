"""Compile and link firmware: the same commands give the same bytes."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deployer.board import Board
from deployer.build.cmsis_nn import FAMILY, Library, header_misfit, link_misfit
from deployer.build.toolchain import Tools, ccache, find_tools
from deployer.errors import DeployerError, ImageTooLarge, UsageError
from deployer.trouble import machine_trouble

COMMON_FLAGS = (
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffunction-sections",
    "-fdata-sections",
    # start-up and copy loops must not become calls to the functions they implement
    "-fno-tree-loop-distribute-patterns",
    # a step stays a function of its own, which profilers find by its name
    "-fno-ipa-icf",
)
_OVERFLOW = re.compile(r"region `(\w+)' overflowed by (\d+) bytes")
_CODE = {".c", ".h", ".S"}  # port.toml is not compiled: what it states is among the defines
LINK_FLAGS = ("-Wl,--gc-sections", "-Wl,--build-id=none")


@dataclass(frozen=True)
class Program:
    """What to build. ``sources`` are files; ``includes`` folders; ``defines`` NAME to value.

    ``parts`` are folders that sources include files from by relative paths; like the headers in
    ``includes`` their code counts for the id. So does ``library``, the user's own, which is linked;
    its headers are for the files in folders of that name.
    """

    board: Board
    sources: tuple[Path, ...]
    includes: tuple[Path, ...]
    defines: tuple[tuple[str, str], ...]
    linker_script: Path | None = None
    parts: tuple[Path, ...] = ()
    library: Library | None = None

    def flags(self) -> tuple[str, ...]:
        """The flags that shape the code: no paths of this machine."""
        return (*COMMON_FLAGS, *self.board.toolchain.cflags)


def program_id(program: Program) -> str:
    """16 hex digits over every source, header, flag and define; compiled into the image."""
    digest = hashlib.sha256()
    for path in sorted(_read_files(program), key=lambda p: (p.name, p.read_bytes())):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    for text in (*program.flags(), *LINK_FLAGS, *program.board.toolchain.ldflags):
        digest.update(text.encode() + b"\0")
    for name, value in program.defines:
        digest.update(f"{name}={value}".encode() + b"\0")
    return digest.hexdigest()[:16]


def _read_files(program: Program) -> set[Path]:
    """Every file the compilers may read, system headers left out."""
    headers = (
        path
        for folder in program.includes
        for name in ("*.h", "*.inc")
        for path in folder.rglob(name)
    )
    parts = (path for folder in program.parts for path in folder.iterdir() if _is_code(path))
    script = [program.linker_script] if program.linker_script else []
    given = [program.library.archive] if program.library else []
    given += program.library.include.glob("*.h") if program.library else []
    return {*program.sources, *headers, *parts, *script, *given}


def _is_code(path: Path) -> bool:
    return path.is_file() and path.suffix in _CODE


def build(
    program: Program,
    work: Path,
    *,
    image: str = "firmware.elf",
    progress: Callable[[int, int], None] = lambda done, total: None,
    compiled: Callable[[Mapping[Path, Path]], None] = lambda objects: None,
) -> tuple[Path, Tools]:
    """Compile into ``work`` and link ``work/image``; two compilers run at a time.

    ``compiled`` is called before linking with the object file of each source, all in ``work``,
    where it may write what the linker script includes.

    Raises BenchError when the toolchain is missing, ImageTooLarge when a memory is, DeployerError
    (our bug) when it refuses.
    """
    tools = find_tools(program.board)
    work.mkdir(parents=True, exist_ok=True)
    command = _compile_command(program, tools, work)
    objects = [work / f"{i:02}-{path.stem}.o" for i, path in enumerate(program.sources)]
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        jobs = zip(program.sources, objects, strict=True)
        runs = pool.map(lambda job: _compile(program, command, *job), jobs)
        for done, _ in enumerate(runs, start=1):
            progress(done, len(objects))
    compiled(dict(zip(program.sources, objects, strict=True)))
    elf = work / image
    linking = [tools.gcc, *_link_flags(program), f"-L{work}", *map(str, objects)]
    given = [str(program.library.archive)] if program.library else []
    _run([*linking, *given], elf, misfit=lambda lines: _unlinked(program, lines))
    return elf, tools


def _unlinked(program: Program, lines: list[str]) -> DeployerError:
    overflows = [found for line in lines if (found := _OVERFLOW.search(line))]
    if overflows:
        memory, excess = max(((m[1], int(m[2])) for m in overflows), key=lambda each: each[1])
        return ImageTooLarge(memory, excess, board=program.board.name)
    if program.library is not None:
        return link_misfit(program.library, program.board)(lines)
    return _refused(program.board, lines)


def _compile(program: Program, command: Sequence[str], source: Path, target: Path) -> None:
    foreign = program.library if source.parent.name == FAMILY else None
    added = ["-isystem", str(foreign.include)] if foreign else []
    misfit = header_misfit(foreign) if foreign else partial(_refused, program.board)
    line = [*command, *added, "-c", str(source)]
    if not (kept := ccache()) or not _succeeds([*kept, *line], target):
        _run(line, target, misfit)


def _compile_command(program: Program, tools: Tools, work: Path) -> list[str]:
    roots = {*program.includes, *(path.parent for path in program.sources), work}
    prefix_maps = [f"-ffile-prefix-map={root}=." for root in sorted(roots, key=str)]
    includes = [f"-I{folder}" for folder in program.includes]
    defines = [f"-D{name}={value}" for name, value in program.defines]
    return [tools.gcc, *program.flags(), *prefix_maps, *includes, *defines]


def _link_flags(program: Program) -> list[str]:
    script = [f"-T{program.linker_script}"] if program.linker_script else []
    return [*program.flags(), *LINK_FLAGS, *script, *program.board.toolchain.ldflags]


def _succeeds(command: Sequence[str], target: Path) -> bool:
    """Make ``target``; what went wrong, the compiler alone tells better than a cache before it."""
    return _started(command, target).returncode == 0


def _run(
    command: Sequence[str], target: Path, misfit: Callable[[list[str]], DeployerError]
) -> None:
    """Make ``target``. ``misfit``: what it means when the tool complains."""
    done = _started(command, target)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise machine_trouble(lines, target.parent) or misfit(lines)


def _started(command: Sequence[str], target: Path) -> subprocess.CompletedProcess[str]:
    line = [*command, "-o", str(target)]
    environment = _environment(target.parent)
    return subprocess.run(line, capture_output=True, text=True, check=False, env=environment)


def _refused(board: Board, lines: list[str]) -> DeployerError:
    if board.file:
        return UsageError(
            f"the compiler refused the firmware for your board {board.name}",
            why=lines[:20],
            hints=[
                f"do core, port, kernels, linker and [toolchain] of {board.file} go together?",
                "compare it with the nearest file of boards/; boards/README.md says what keys mean",
            ],
        )
    return DeployerError(
        "the compiler refused generated code; this is a bug of deployer",
        why=lines[:20],
        hints=["please report it with the model or its graph.json"],
    )


def _environment(work: Path) -> Mapping[str, str]:
    """Messages in English and no time stamps, whatever the user's settings; temporary files in
    ``work``, with which they go when the compiler is killed."""
    return {**os.environ, "LC_ALL": "C", "SOURCE_DATE_EPOCH": "0", "TMPDIR": str(work)}

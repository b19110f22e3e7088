"""The linker script of a board: its template filled with memories, places and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deployer.board import GUARD_BYTES, OUTER, Board, Memory
from deployer.codegen.templates import rendered_script
from deployer.errors import UsageError
from deployer.resources import data_root
from deployer.units import format_bytes

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ADVICE = {
    "code": "use a smaller model or a board with a larger {memory}",
    "weights": "use a smaller model or a board with a larger {memory}",
    "static data": "move another kind of section away from {memory} in [place]",
    "hot code": "build with --hot-code off, which moves none",
    "input copy": "move the copy of the input, or use a smaller input",
    "copied weights": "build with --place off, which copies none",
    "stack": "lower [stack] size in the board file, or move the stack in [place]",
    "arena": "give arena a second memory in [place], or use a smaller model",
}


@dataclass(frozen=True)
class _Region:
    """A memory as the templates see it; texts are ready to print."""

    name: str
    base: str
    size: int
    access: str
    title: str
    capacity: str
    sections: tuple[str, ...]  # linker expressions that sum up what lies there
    contents: tuple[str, ...]
    advice: str


@dataclass(frozen=True)
class _Given:
    """Bytes of arena per memory, the memory of the input's copy, those that take copies, the
    file that names what goes to ITCM."""

    arena: Mapping[str, int]
    input_in: str
    copied: tuple[str, ...]
    itcm_file: str


@dataclass(frozen=True)
class _Arena:
    name: str
    bytes: int


def linker_script(
    board: Board,
    arena: Mapping[str, int],
    *,
    stack_bytes: int | None = None,
    input_in: str = "",
    copied: Iterable[str] = (),
    itcm_file: str = "",
) -> str:
    """The script for ``board`` with ``arena[memory]`` bytes of section ``.dpl_arena.<memory>``.

    ``stack_bytes`` replaces the board's own stack size; the harness's copy of the inputs lies in
    memory ``input_in``, by default that of the data. Start-up fills section
    ``.dpl_copied.<memory>`` of each memory in ``copied`` from where the weights lie, and
    ``.dpl_itcm`` with the code that ``itcm_file`` names, which the linker is to find.
    Raises UsageError when the board has no template, when a memory's name is no linker name, when
    ``arena`` or ``copied`` name a memory the board does not give them, or ``itcm_file`` has none.
    """
    given = _Given(arena, input_in or board.place.data, tuple(sorted(copied)), itcm_file)
    _check(board, given)
    return rendered_script(
        board.linker,
        board=board.name,
        template=board.linker,
        memories=[
            _region(board, memory, given) for memory in board.memories if memory.level != OUTER
        ],
        place=board.place,
        input_in=given.input_in,
        copied=given.copied,
        hot=itcm_file,
        arena=[_Arena(name, size) for name, size in sorted(arena.items()) if size],
        guard_bytes=GUARD_BYTES,
        stack_bytes=board.stack_bytes if stack_bytes is None else stack_bytes,
    )


def _check(board: Board, given: _Given) -> None:
    if not board.linker:
        raise UsageError(f"board {board.name!r} has no linker template")
    if not (data_root() / "boards" / board.linker).is_file():
        raise UsageError(f"no linker template boards/{board.linker}")
    for memory in board.memories:
        if not _NAME.fullmatch(memory.name):
            raise UsageError(
                f"memory {memory.name!r} of {board.name} cannot be named in a linker script",
                hints=["use letters, digits and _"],
            )
    place = board.place
    inner = tuple(memory.name for memory in board.memories if memory.level == 1)
    _check_names(board, "an arena", given.arena, (*place.arena, *inner))
    _check_names(board, "copied weights", given.copied, place.copies)
    if given.itcm_file and not place.hot:
        raise UsageError(f"{board.name} has no memory for code in [place] hot")


def _check_names(board: Board, what: str, names: Iterable[str], allowed: tuple[str, ...]) -> None:
    for name in names:
        if name not in allowed:
            raise UsageError(
                f"the plan puts {what} into {name!r}",
                hints=[f"{board.name} allows {', '.join(allowed) or 'no memory'}"],
            )


def _region(board: Board, memory: Memory, given: _Given) -> _Region:
    sections = _sections(board, memory.name, given)
    contents = tuple(kind for kind, _ in sections)
    return _Region(
        name=memory.name,
        base=f"0x{memory.base:08x}",
        size=memory.size,
        access=memory.access,
        title=f"{memory.name} of {board.name}",
        capacity=format_bytes(memory.size),
        sections=tuple(f"SIZEOF({section})" for _, names in sections for section in names),
        contents=contents,
        advice=_ADVICE[contents[-1]].format(memory=memory.name) if contents else "",
    )


def _sections(board: Board, memory: str, given: _Given) -> list[tuple[str, tuple[str, ...]]]:
    """Kind and output sections of what lies in ``memory``, most movable kind last."""
    place = board.place
    initial = (".data",) if place.text != place.data else ()  # .data is copied from there
    arenas = [name for name, size in sorted(given.arena.items()) if size]
    copied = [f".dpl_copied.{name}" for name in given.copied]
    itcm = (".dpl_itcm",) if given.itcm_file else ()
    kinds = [
        ("code", place.text, (".vectors", *itcm, ".text", *initial)),
        ("weights", place.weights, (".dpl_weights", *copied)),
        *(("hot code", place.hot, (name,)) for name in itcm),
        ("static data", place.data, (".data", ".bss")),
        ("input copy", given.input_in, (".dpl_input",)),
        ("stack", place.stack, (".stack",)),
        *(("copied weights", name, (f".dpl_copied.{name}",)) for name in given.copied),
        *(("arena", name, (f".dpl_arena.{name}",)) for name in arenas),
    ]
    return [(kind, names) for kind, where, names in kinds if where == memory]

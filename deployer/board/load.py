"""Read and check board files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from deployer.board.cost import BoardCost, cost_file, load_cost
from deployer.board.model import (
    OUTER,
    Board,
    CodeSize,
    Dma,
    Memory,
    Place,
    Point,
    TileControl,
    Toolchain,
    Wait,
)
from deployer.board.sections import CODE_BYTES, SCHEMA, TILE_CYCLES, board_table, plain
from deployer.board.timing import timing_of
from deployer.choices import RequantChoice
from deployer.errors import UsageError, near_hints
from deployer.resources import data_root
from deployer.schema import read_toml, shown
from deployer.units import parse_size

_ANOTHER = "permitted: the name of another board"


def board_folders(extra: Path | None = None) -> list[Path]:
    """The user's folder first, then the ones that ship. Raises UsageError when it is none."""
    if extra is not None and not extra.is_dir():
        raise UsageError(f"--board-dir: no such folder: {extra}", hints=_folders_like(extra))
    return [*([extra] if extra else []), data_root() / "boards"]


def _folders_like(path: Path) -> list[str]:
    parent = path.absolute().parent
    beside = [entry.name for entry in parent.iterdir() if entry.is_dir()] if parent.is_dir() else []
    near = difflib.get_close_matches(path.name, beside, n=1)
    hint = [f"did you mean {path.with_name(name)}?" for name in near]
    return [*hint, "the folder holds a NAME.toml for each board that --board can name"]


def board_names(extra: Path | None = None) -> list[str]:
    """Every board, emulated twins left out."""
    boards = (load_board(name, extra) for name in _stems(board_folders(extra)))
    return [board.name for board in boards if not board.twin_of]


def find_board(name: str, extra: Path | None = None) -> Path:
    """The file of board ``name``. Raises UsageError with the nearest known name."""
    for folder in board_folders(extra):
        if (path := folder / f"{name}.toml").is_file():
            return path
    raise UsageError(f"unknown board {name!r}", hints=near_hints(name, _offered(extra)))


def _offered(extra: Path | None) -> list[str]:
    """``board_names``, files that are no boards left out."""
    found = []
    for name in _stems(board_folders(extra)):
        with suppress(UsageError):
            found += [name] if not load_board(name, extra).twin_of else []
    return found


def load_board(name: str, extra: Path | None = None) -> Board:
    """The board of that name, checked. Raises UsageError naming the file and the key."""
    path = find_board(name, extra)
    table = read_toml(path)
    try:
        found = _board(table, board_folders(extra))
        if found.name != path.stem:
            raise UsageError(f"name is {shown(found.name)}", hints=[f"permitted: {path.stem!r}"])
    except UsageError as error:
        raise UsageError(f"{path}: {error.what}", why=error.why, hints=error.hints) from None
    return replace(found, file=str(path)) if path.parent == extra else found


def load_twin(board: Board, runner: str, extra: Path | None = None) -> Board:
    """The board an image for ``runner`` is built for: its emulated twin, or the board itself.

    Raises UsageError for a twin that has another one, or not the memories that the board uses.
    """
    twin = board.runners.get(runner, {}).get("twin")
    if not twin:
        return board
    found, where = load_board(str(twin), extra), f"runners.{runner}.twin of {board.name}"
    if "twin" in found.runners.get(runner, {}):
        raise UsageError(
            f"{where} is {twin}, which names a twin for {runner} itself",
            hints=["permitted: a board that the runner executes"],
        )
    missing = sorted(set(board.place.memories) - {memory.name for memory in found.memories})
    if missing:
        raise UsageError(
            f"{where} is {twin}, which lacks memory {', '.join(missing)}",
            hints=["permitted: a board with the memories that [place] names"],
        )
    return found


def _check_schema(table: Mapping[str, Any]) -> None:
    if table.get("schema", SCHEMA) != SCHEMA:
        raise UsageError(
            f"board schema {shown(table['schema'])}, this version reads {SCHEMA}",
            hints=[f"permitted: {SCHEMA}"],
        )


def _board(table: Mapping[str, Any], folders: Iterable[Path]) -> Board:
    _check_schema(table)
    board_table().check(table, "")
    memories = tuple(_memory(entry) for entry in table["memory"])
    _check_memories(memories)
    _check_twins(table)
    place = _place(table["place"], memories)
    board = Board(
        name=table["name"],
        description=table["description"],
        core=table["core"],
        clock_hz=table["clock_hz"],
        port=table["port"],
        linker=table.get("linker", ""),
        kernels=tuple(table["kernels"]),
        toolchain=_toolchain(table["toolchain"]),
        memories=memories,
        place=place,
        stack_bytes=_stack(table, place, memories),
        runners=table.get("runners", {}),
        dmas=tuple(_dma(entry, i, memories) for i, entry in enumerate(table.get("dma", []))),
        cores=table.get("cores", 1),
        twin_of=table.get("twin_of", ""),
        cost=_cost(table["cost"], folders, _pipeline(table)) if "cost" in table else None,
        timing=timing_of(table["timing"], memories) if "timing" in table else None,
        requant=RequantChoice(table.get("requant", RequantChoice.AUTO)),
        tiles=_tiles(table),
        code=_code(table),
        chip=table.get("chip", ""),
        points=_points(table),
    )
    _check_estimates(board)
    return board


def _check_twins(table: Mapping[str, Any]) -> None:
    """A board is no twin of its own, and the manifest can hold what runners are told."""
    if table.get("twin_of") == table["name"]:
        raise UsageError(f"twin_of is {table['name']!r}, the board itself", hints=[_ANOTHER])
    for name, options in table.get("runners", {}).items():
        if options.get("twin") == table["name"]:
            what = f"runners.{name}.twin is {table['name']!r}, the board itself"
            raise UsageError(what, hints=[_ANOTHER])
        if not plain(options):
            raise UsageError(
                f"runners.{name} holds what JSON cannot",
                hints=["permitted: texts, finite numbers, true and false, and lists of them"],
            )


def _stack(table: Mapping[str, Any], place: Place, memories: Sequence[Memory]) -> int:
    found = parse_size(table["stack"]["size"])
    room = next(memory.size for memory in memories if memory.name == place.stack)
    if found > room:
        raise UsageError(
            f"stack.size is {table['stack']['size']!r}",
            why=[f"memory {place.stack} has {room:,} B"],
        )
    return found


def _memory(entry: Mapping[str, Any]) -> Memory:
    wait = entry.get("wait")
    return Memory(
        name=entry["name"],
        base=entry["base"],
        size=parse_size(entry["size"]),
        access=entry["access"],
        level=entry.get("level", 0),
        wait=Wait(wait["cycles_per_byte"], wait["kind"], wait["source"]) if wait else None,
        loaded=parse_size(entry["loaded"]) if "loaded" in entry else 0,
    )


def _dma(entry: Mapping[str, Any], index: int, memories: Sequence[Memory]) -> Dma:
    names = [memory.name for memory in memories]
    for key in ("from", "to"):
        if entry[key] not in names:
            raise UsageError(
                f"dma[{index}].{key} names {entry[key]!r}", hints=[f"memories: {', '.join(names)}"]
            )
    return Dma(
        source=entry["from"],
        target=entry["to"],
        bytes_per_cycle=entry["bytes_per_cycle"],
        setup_cycles=entry["setup_cycles"],
        line_cycles=entry.get("line_cycles", 0.0),
        piece_bytes=entry.get("piece_bytes", 0),
    )


def _tiles(table: Mapping[str, Any]) -> TileControl | None:
    entry = table.get("tiles")
    if entry is None:
        return None
    cycles = {name: float(entry[f"{name}_cycles"]) for name in TILE_CYCLES}
    return TileControl(**cycles, kind=entry["kind"], source=entry["source"])


def _points(table: Mapping[str, Any]) -> tuple[Point, ...]:
    found = tuple(Point(**entry) for entry in table.get("point", ()))
    names = [point.name for point in found]
    if len(set(names)) != len(names):
        what = f"two points of one name among {', '.join(names)}"
        raise UsageError(what, hints=["permitted: names that differ"])
    return found


def _code(table: Mapping[str, Any]) -> CodeSize | None:
    entry = table.get("code")
    if entry is None:
        return None
    sizes = {name: entry[f"{name}_bytes"] for name in CODE_BYTES}
    return CodeSize(**sizes, kind=entry["kind"], source=entry["source"])


def _check_estimates(board: Board) -> None:
    """A board that works in tiles, or fetches weights, says what that costs."""
    arena = board.place.arena[0]
    for memory in board.memories:
        into, out = board.dma(arena, memory.name), board.dma(memory.name, arena)
        if memory.level == 1 and into and out and board.tiles is None:
            _lacks("tiles", f"{memory.name} is filled from {arena}: steps run in tiles there")
        if memory.level == OUTER and out and board.code is None:
            _lacks("code", f"weights are fetched from {memory.name} beside the code of the image")


def _lacks(table: str, why: str) -> NoReturn:
    hint = f"take [{table}] from a board with the same port, such as boards/gap8.toml"
    raise UsageError(f"the table [{table}] is missing", why=[why], hints=[hint])


def _pipeline(table: Mapping[str, Any]) -> str:
    return str(table.get("timing", {}).get("pipeline", ""))


def _cost(entry: Mapping[str, Any], folders: Iterable[Path], pipeline: str) -> BoardCost:
    """The user's table of that name, or the one that ships."""
    counts, cpi = entry["counts"], float(entry["cpi"])
    files = [cost_file(folder, counts) for folder in folders]
    for file in files:
        if file.is_file():
            return BoardCost(counts, cpi, load_cost(file), pipeline, _kernel_code(entry))
    raise UsageError(
        f"cost.counts names {counts!r}, which is not there",
        why=[f"looked for {file}" for file in files],
        hints=["deployer bench cost -b BOARD --write makes them for a board with an emulated twin"],
    )


def _kernel_code(entry: Mapping[str, Any]) -> int | None:
    return parse_size(entry["kernel_code"]) if "kernel_code" in entry else None


def _toolchain(entry: Mapping[str, Any]) -> Toolchain:
    return Toolchain(
        prefix=entry["prefix"],
        package=entry["package"],
        cflags=tuple(entry.get("cflags", ())),
        ldflags=tuple(entry.get("ldflags", ())),
    )


def _place(entry: Mapping[str, Any], memories: tuple[Memory, ...]) -> Place:
    weights, *copies = _listed(entry["weights"])
    place = Place(
        text=entry["text"],
        weights=weights,
        data=entry["data"],
        stack=entry["stack"],
        arena=_listed(entry["arena"]),
        copies=tuple(copies),
        hot=entry.get("hot", ""),
    )
    by_name = {memory.name: memory for memory in memories}
    _check_place("text", (place.text,), "x", by_name)
    _check_place("weights", (place.weights,), "", by_name)
    _check_place("weights", place.copies, "w", by_name)
    for key in ("data", "stack"):
        _check_place(key, (entry[key],), "w", by_name)
    _check_place("arena", place.arena, "w", by_name)
    if "hot" in entry:
        _check_place("hot", (place.hot,), "x", by_name)
    return place


def _check_place(
    key: str, used: Sequence[str], access: str, memories: Mapping[str, Memory]
) -> None:
    """Each is there, once, can be addressed by a core and allows ``access``."""
    for name in used:
        found = memories.get(name)
        if found is None:
            raise UsageError(
                f"[place] names {name!r} for {key}", hints=[f"memories: {', '.join(memories)}"]
            )
        if found.level == OUTER:
            raise UsageError(
                f"place.{key} is {name!r}, which no core can address",
                hints=[f"permitted: a memory of level 0 or 1, not {OUTER}"],
            )
        if access not in found.access:
            raise UsageError(
                f"place.{key} is {name!r}, whose access {found.access!r} lacks {access!r}",
                hints=[f"permitted: {', '.join(_allowing(access, memories)) or 'none of these'}"],
            )
    if len(set(used)) != len(used):
        what = f"place.{key} names a memory twice: {', '.join(used)}"
        raise UsageError(what, hints=["permitted: each memory once"])


def _allowing(access: str, memories: Mapping[str, Memory]) -> list[str]:
    return [m.name for m in memories.values() if access in m.access and m.level != OUTER]


def _listed(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _check_memories(memories: tuple[Memory, ...]) -> None:
    names = [memory.name for memory in memories]
    if len(set(names)) != len(names):
        what = f"two memories of one name among {', '.join(names)}"
        raise UsageError(what, hints=["permitted: names that differ"])
    inner = (memory for memory in memories if memory.level != OUTER)  # another has its own space
    for below, above in pairwise(sorted(inner, key=lambda m: m.base)):
        if below.base + below.size > above.base:
            raise UsageError(
                f"memories {below.name} and {above.name} overlap",
                why=[f"{m.name}: {m.base:#x} to {m.base + m.size:#x}" for m in (below, above)],
            )


def _stems(folders: Iterable[Path]) -> list[str]:
    return sorted(
        {path.stem for folder in folders for path in folder.glob("*.toml") if path.is_file()}
    )

"""Read and check board files."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from deployer.board.cost import BoardCost, cost_file, load_cost
from deployer.board.keys import check_keys
from deployer.board.model import Board, Dma, Memory, Place, Toolchain, Wait
from deployer.board.timing import timing_of
from deployer.errors import UsageError, near_hints
from deployer.resources import data_root
from deployer.units import parse_size

SCHEMA = 1
_BOARD = [
    "schema",
    "name",
    "description",
    "core",
    "clock_hz",
    "port",
    "linker",
    "kernels",
    "requant",
    "cores",
    "twin_of",
    "toolchain",
    "memory",
    "dma",
    "place",
    "stack",
    "cost",
    "timing",
    "runners",
]
_TOOLCHAIN = ["prefix", "package", "cflags", "ldflags"]
_MEMORY = ["name", "base", "size", "access", "level", "wait"]
_WAIT = ["cycles_per_byte", "kind", "source"]
_KINDS = ("measured", "simulated", "counted", "estimated")
_RULES = ("auto", "i32", "q16", "q32", "q31")
_DMA = ["from", "to", "bytes_per_cycle", "setup_cycles", "line_cycles"]
_COST = ["counts", "cpi"]
_PLACE = ["text", "weights", "data", "stack", "arena", "hot"]


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
    raise UsageError(f"unknown board {name!r}", hints=near_hints(name, board_names(extra)))


def load_board(name: str, extra: Path | None = None) -> Board:
    """The board of that name, checked. Raises UsageError naming the file and the key."""
    path = find_board(name, extra)
    try:
        table = tomllib.loads(path.read_text())
        return _board(table, board_folders(extra))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {path}", why=[str(error)]) from None
    except KeyError as error:
        raise UsageError(f"{path} lacks the key {error}") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error.what}", why=error.why, hints=error.hints) from None


def load_twin(board: Board, runner: str, extra: Path | None = None) -> Board:
    """The board an image for ``runner`` is built for: its emulated twin, or the board itself."""
    twin = board.runners.get(runner, {}).get("twin")
    return load_board(str(twin), extra) if twin else board


def _board(table: Mapping[str, Any], folders: Iterable[Path]) -> Board:
    check_keys(table, _BOARD, "board file")
    if table["schema"] != SCHEMA:
        raise UsageError(f"board schema {table['schema']}, this version reads {SCHEMA}")
    memories = tuple(_memory(entry) for entry in table["memory"])
    _check_memories(memories)
    return Board(
        name=table["name"],
        description=table["description"],
        core=table["core"],
        clock_hz=table["clock_hz"],
        port=table["port"],
        linker=table.get("linker", ""),
        kernels=tuple(table["kernels"]),
        toolchain=_toolchain(table["toolchain"]),
        memories=memories,
        place=_place(table["place"], memories),
        stack_bytes=parse_size(table["stack"]["size"]),
        runners=table.get("runners", {}),
        dmas=tuple(_dma(entry) for entry in table.get("dma", [])),
        cores=table.get("cores", 1),
        twin_of=table.get("twin_of", ""),
        cost=_cost(table["cost"], folders, _pipeline(table)) if "cost" in table else None,
        timing=timing_of(table["timing"], memories) if "timing" in table else None,
        requant=_requant(table.get("requant", "auto")),
    )


def _requant(rule: str) -> str:
    if rule not in _RULES:
        raise UsageError(f"requant {rule!r} is no rule", hints=[f"one of {', '.join(_RULES)}"])
    return rule


def _memory(entry: Mapping[str, Any]) -> Memory:
    check_keys(entry, _MEMORY, "[[memory]]")
    return Memory(
        name=entry["name"],
        base=entry["base"],
        size=parse_size(entry["size"]),
        access=entry["access"],
        level=entry.get("level", 0),
        wait=_wait(entry["wait"]) if "wait" in entry else None,
    )


def _wait(entry: Mapping[str, Any]) -> Wait:
    check_keys(entry, _WAIT, "wait")
    wait = Wait(entry["cycles_per_byte"], entry["kind"], entry["source"])
    if wait.kind not in _KINDS:
        raise UsageError(f"kind {wait.kind!r} in wait", hints=[f"one of {', '.join(_KINDS)}"])
    if not isinstance(wait.cycles_per_byte, int | float) or not 0 <= wait.cycles_per_byte < 1e3:
        raise UsageError(f"cycles_per_byte {wait.cycles_per_byte!r} cannot be a wait")
    return wait


def _dma(entry: Mapping[str, Any]) -> Dma:
    check_keys(entry, _DMA, "[[dma]]")
    return Dma(
        source=entry["from"],
        target=entry["to"],
        bytes_per_cycle=entry["bytes_per_cycle"],
        setup_cycles=entry["setup_cycles"],
        line_cycles=entry.get("line_cycles", 0.0),
    )


def _pipeline(table: Mapping[str, Any]) -> str:
    return str(table.get("timing", {}).get("pipeline", ""))


def _cost(entry: Mapping[str, Any], folders: Iterable[Path], pipeline: str) -> BoardCost:
    """The user's table of that name, or the one that ships."""
    check_keys(entry, _COST, "[cost]")
    counts, cpi = entry["counts"], float(entry["cpi"])
    if cpi <= 0:
        raise UsageError(f"[cost] has {cpi} cycles an instruction", hints=["a positive number"])
    files = [cost_file(folder, counts) for folder in folders]
    for file in files:
        if file.is_file():
            return BoardCost(counts, cpi, load_cost(file), pipeline)
    raise UsageError(
        f"[cost] names counts {counts!r}, which are not there",
        why=[f"looked for {file}" for file in files],
        hints=["deployer bench cost -b BOARD --write makes them for a board with an emulated twin"],
    )


def _toolchain(entry: Mapping[str, Any]) -> Toolchain:
    check_keys(entry, _TOOLCHAIN, "[toolchain]")
    return Toolchain(
        prefix=entry["prefix"],
        package=entry["package"],
        cflags=tuple(entry.get("cflags", ())),
        ldflags=tuple(entry.get("ldflags", ())),
    )


def _place(entry: Mapping[str, Any], memories: tuple[Memory, ...]) -> Place:
    check_keys(entry, _PLACE, "[place]")
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
    names = [memory.name for memory in memories]
    sections = (place.text, place.weights, place.data, place.stack)
    hot = (place.hot,) if "hot" in entry else ()
    for used in (*sections, *place.arena, *place.copies, *hot):
        if used not in names:
            raise UsageError(f"[place] names {used!r}", hints=[f"memories: {', '.join(names)}"])
    return place


def _listed(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _check_memories(memories: tuple[Memory, ...]) -> None:
    names = [memory.name for memory in memories]
    if len(set(names)) != len(names):
        raise UsageError(f"two memories of one name among {', '.join(names)}")
    for below, above in pairwise(sorted(memories, key=lambda m: m.base)):
        if below.base + below.size > above.base:
            raise UsageError(f"memories {below.name} and {above.name} overlap")


def _stems(folders: Iterable[Path]) -> list[str]:
    return sorted({path.stem for folder in folders for path in folder.glob("*.toml")})

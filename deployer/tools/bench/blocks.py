"""The basic blocks of an object file with their price by the model of a board's core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deployer.board import load_board
from deployer.errors import UsageError, near_hints
from deployer.files import existing
from deployer.tools.timing import Issue, Pipeline, Program, disassemble_object, pipeline_of


@dataclass(frozen=True)
class PricedBlock:
    """``cycles``: an execution, in the steady state of a block that repeats. ``loops``: it branches
    to itself. ``unknown``: mnemonics without a rule. ``lines``: instructions and where they
    issue."""

    function: str
    address: int
    cycles: float
    loops: bool
    unknown: tuple[str, ...]
    lines: tuple[tuple[Issue, str], ...]


def priced_blocks(
    files: tuple[Path, ...], board: str, *, rules: str, board_dir: Path | None, function: str = ""
) -> list[PricedBlock]:
    """Of every function, or of those whose name has ``function`` in it. Raises UsageError for a
    board without a model, a name that none has or a file that is not there, BenchError when one
    cannot be read."""
    found = [block for path in files for block in _of(path, board, rules, board_dir)]
    chosen = [block for block in found if function in block.function]
    if not chosen:
        names = sorted({block.function for block in found})
        raise UsageError(f"no function of that name: {function}", hints=near_hints(function, names))
    return chosen


def _of(path: Path, board: str, rules: str, board_dir: Path | None) -> Iterator[PricedBlock]:
    about = load_board(board, board_dir)
    if about.timing is None:
        raise UsageError(
            f"nothing estimates times of {board}", why=["its board file has no [timing] table"]
        )
    pipeline = pipeline_of(about.timing.pipeline, rules)
    object_file = existing(path, "object file")
    for program in disassemble_object(object_file, about.toolchain.prefix + "objdump"):
        yield from _section(program, pipeline)


def _section(program: Program, pipeline: Pipeline) -> Iterator[PricedBlock]:
    for block in program.written_blocks():
        texts = (f"{each.mnemonic} {each.operands}".rstrip() for each in block.instructions)
        yield PricedBlock(
            program.function_at(block.address),
            block.address,
            pipeline.total(block),
            block.loops,
            tuple(sorted(pipeline.unknown(block.instructions))),
            tuple(zip(pipeline.issues(block.instructions), texts, strict=True)),
        )


def blocks_text(blocks: list[PricedBlock], *, trace: bool) -> str:
    """A line a block; with ``trace`` its instructions, the younger of a pair behind a bar."""
    return "".join(f"{line}\n" for block in blocks for line in _lines(block, trace=trace))


def _lines(block: PricedBlock, *, trace: bool) -> Iterator[str]:
    count, loops = len(block.lines), ", loop" if block.loops else ""
    unknown = f", no rule for {', '.join(block.unknown)}" if block.unknown else ""
    place = f"{block.function} at {block.address:x}"
    yield f"{place}: {count} instructions, {block.cycles:g} cycles{loops}{unknown}"
    for issue, text in block.lines if trace else ():
        yield f"{'' if issue.younger else issue.cycle:>6} {'|' if issue.younger else ' '} {text}"

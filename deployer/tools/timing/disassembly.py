"""The instructions of an ELF file by address, and basic blocks with how often each ran."""

from __future__ import annotations

import itertools
import re
import subprocess
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deployer.errors import BenchError
from deployer.tools.timing.counts import Loaded, Ran

_SECTION = "Disassembly of section "
_SYMBOL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
_LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
_BRANCH = re.compile(
    r"^((b|bx|blx|bl|cbz|cbnz|tbb|tbh|b(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le))(\.[nw])?"
    r"|b\.(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|any|none|al)|tbz|tbnz|br|blr|ret)$"
)


@dataclass(frozen=True)
class Instruction:
    """``mnemonic`` and ``operands`` as objdump prints them, without symbols and comments."""

    mnemonic: str
    operands: str

    @property
    def leaves(self) -> bool:
        """Whether what follows in memory need not follow in time."""
        if _BRANCH.match(self.mnemonic):
            return True
        into_pc = self.mnemonic.startswith("ldr") and self.operands.startswith("pc")
        return into_pc or (self.mnemonic.startswith(("pop", "ldm")) and "pc" in self.operands)


@dataclass(frozen=True)
class BasicBlock:
    """Instructions that always run together, ``count`` times. ``same_bank`` and ``unaligned``: how
    many loads of an instruction were so, by its index; ``mispredicted``: branches at its end."""

    address: int
    instructions: tuple[Instruction, ...]
    count: int
    mispredicted: int = 0
    same_bank: tuple[tuple[int, int], ...] = ()
    unaligned: tuple[tuple[int, int], ...] = ()

    @property
    def loops(self) -> bool:
        """Whether its last instruction branches to its first."""
        last = self.instructions[-1]
        return last.leaves and last.operands.split(", ")[-1] == f"{self.address:x}"


@dataclass(frozen=True)
class Issue:
    """Where an instruction of a block issued: its cycle, and whether as the younger of a pair."""

    cycle: int
    younger: bool


@dataclass(frozen=True)
class _Ran:
    """What was counted, by address."""

    times: Counter[int]
    mispredicted: Counter[int]
    same_bank: Counter[int]
    unaligned: Counter[int]


@dataclass(frozen=True, eq=False)
class Program:
    """``symbols``: address to function name."""

    instructions: Mapping[int, Instruction]
    symbols: Mapping[int, str]

    @cached_property
    def following(self) -> dict[int, int]:
        """Each address to that of the next instruction in memory."""
        order = sorted(self.instructions)
        return dict(itertools.pairwise(order))

    @cached_property
    def _starts(self) -> list[int]:
        return sorted(self.symbols)

    def function_at(self, address: int) -> str:
        at = bisect_right(self._starts, address)
        return self.symbols[self._starts[at - 1]] if at else ""

    def address_of(self, function: str) -> int:
        """Raises BenchError for a function the file does not have."""
        for address, name in self.symbols.items():
            if name == function:
                return address
        raise BenchError(f"the image has no function {function}")

    def written_blocks(self) -> tuple[BasicBlock, ...]:
        """All blocks as they are written, each once: they end where the flow leaves, and begin
        where a branch or a symbol leads."""
        starts = {*self.symbols, *filter(None, map(_target, self.instructions.values()))}
        found, run = [], list[int]()
        for address in sorted(self.instructions):
            if run and (address in starts or self.instructions[run[-1]].leaves):
                found.append(self._written(run))
                run = []
            run.append(address)
        return (*found, *([self._written(run)] if run else []))

    def _written(self, run: list[int]) -> BasicBlock:
        return BasicBlock(run[0], tuple(self.instructions[each] for each in run), 1)

    def basic_blocks(
        self, ran: Iterable[Ran], loaded: Iterable[Loaded] = ()
    ) -> tuple[BasicBlock, ...]:
        """The blocks as the program has them: the translator also cuts at its page ends."""
        found = _Ran(Counter(), Counter(), Counter(), Counter())
        for block in ran:
            self._add(block, found)
        for each in loaded:
            found.same_bank[each.address] += each.same_bank
            found.unaligned[each.address] += each.unaligned
        return tuple(self._cut(found))

    def _add(self, block: Ran, found: _Ran) -> None:
        address: int | None = block.address
        last = block.address
        for _ in range(block.instructions):
            if address is None or address not in self.instructions:
                break
            found.times[address] += block.count
            last, address = address, self.following.get(address)
        found.mispredicted[last] += block.mispredicted

    def _cut(self, found: _Ran) -> Iterator[BasicBlock]:
        run: list[int] = []
        for address in sorted(found.times):
            if run and not self._continues(run[-1], address, found.times):
                yield self._block(run, found)
                run = []
            run.append(address)
        if run:
            yield self._block(run, found)

    def _continues(self, last: int, address: int, times: Mapping[int, int]) -> bool:
        adjacent = self.following.get(last) == address and times[last] == times[address]
        return adjacent and not self.instructions[last].leaves

    def _block(self, run: list[int], found: _Ran) -> BasicBlock:
        return BasicBlock(
            address=run[0],
            instructions=tuple(self.instructions[a] for a in run),
            count=found.times[run[0]],
            mispredicted=found.mispredicted[run[-1]],
            same_bank=_by_index(run, found.same_bank),
            unaligned=_by_index(run, found.unaligned),
        )


def _target(instruction: Instruction) -> int | None:
    """The address that a branch names."""
    last = instruction.operands.split(", ")[-1]
    is_address = instruction.leaves and re.fullmatch(r"[0-9a-f]+", last)
    return int(last, 16) if is_address else None


def _by_index(run: list[int], counts: Counter[int]) -> tuple[tuple[int, int], ...]:
    return tuple((i, counts[address]) for i, address in enumerate(run) if counts[address])


def disassemble(elf: Path, objdump: str) -> Program:
    """Raises BenchError when ``objdump`` is missing or cannot read the file."""
    return parse(_listing(elf, objdump))


def disassemble_object(file: Path, objdump: str) -> tuple[Program, ...]:
    """The sections of an object file, whose addresses all begin at 0. Raises as above."""
    parts: list[list[str]] = []
    for line in _listing(file, objdump):
        if line.startswith(_SECTION):
            parts.append([])
        elif parts:
            parts[-1].append(line)
    return tuple(map(parse, parts))


def _listing(elf: Path, objdump: str) -> list[str]:
    command = [objdump, "-d", "--no-show-raw-insn", str(elf)]
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        raise BenchError(
            f"{objdump} was not found", hints=["deployer doctor lists the tools of a board"]
        ) from None
    if done.returncode:
        raise BenchError(f"{objdump} cannot read {elf.name}", why=done.stderr.splitlines()[:3])
    return done.stdout.splitlines()


def parse(lines: Iterable[str]) -> Program:
    instructions, symbols = {}, {}
    for line in lines:
        if match := _SYMBOL.match(line):
            symbols[int(match[1], 16)] = match[2]
        elif match := _LINE.match(line):
            instructions[int(match[1], 16)] = Instruction(match[2], _operands(match[3]))
    return Program(instructions, symbols)


def _operands(text: str) -> str:
    for mark in ("@", "//", ";"):
        text = text.partition(mark)[0]
    return re.sub(r"<.*?>", "", text).strip()

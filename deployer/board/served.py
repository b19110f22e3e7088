"""Whether the port of a board serves what the board's file states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from deployer.board.model import OUTER, Board, Memory
from deployer.board.port import ANY, AddressRange, Chip, Console, Port, load_port
from deployer.board.supply import supply_defines, supply_misfits
from deployer.errors import UsageError
from deployer.schema import either, shown

# Kept free below the stack and where null pointers point: a region of an MPU, whose size is a power
# of two. Frames of functions may skip a smaller one.
GUARD_BYTES = 256


def require_served(*boards: Board, runner: str = "") -> None:
    """Raise UsageError for the first of ``boards`` that its port does not serve, with every reason:
    its image would set another chip's registers and clock. ``runner`` may have larger memories than
    the chip."""
    for board in boards:
        why = misfits(board, runner)
        if why:
            where = f"{board.file}: " if board.file else ""
            raise UsageError(
                f"{where}port {board.port} does not serve board {board.name}",
                why=why,
                hints=_hints(board.port),
            )


def require_rate(board: Board, runner: str, baud: int) -> None:
    """Raise UsageError unless the console of ``board`` can talk at ``baud``, or ``runner`` sets the
    rate in the image; 0 is the board's own rate, which ``require_served`` checks."""
    console = load_port(board.port).console
    if baud in (0, *console.rates) or runner in console.set_by:
        return
    raise UsageError(
        f"no {baud:,} baud on the console of {board.name}",
        why=(f"port {board.port} serves {console.device} {_rates(console)}",),
        hints=[
            "leave out --baud",
            f"for another rate change the console in a copy of firmware/ports/{board.port}"
            " and state it in its port.toml",
        ],
    )


def with_rate(board: Board, runner: str, baud: int) -> Board:
    """``board`` whose ``runner`` talks at ``baud``; 0 is the board's own rate. Raises UsageError as
    ``require_rate``."""
    require_rate(board, runner, baud)
    if baud == 0:
        return board
    options = {**board.runners.get(runner, {}), "baud": baud}
    return replace(board, runners={**board.runners, runner: options})


def console_rate(board: Board, runner: str) -> int:
    """Baud that an image for ``runner`` sets: the board file's, else the port's; 0 where the
    console has none. A runner that writes its own rate into the image finds the port's."""
    console = load_port(board.port).console
    if runner in console.set_by:
        return console.baud
    return _stated_rate(board.runners.get(runner, {}), console)


def _stated_rate(options: Mapping[str, Any], console: Console) -> int:
    rate: int = options.get("baud", console.baud)
    return rate


def _rates(console: Console) -> str:
    return f"at {either(console.rates)} baud" if console.rates else "without a rate"


def with_threads(board: Board, threads: int | None) -> Board:
    """``board`` with so many threads at work, None for as many as its file states. Raises
    UsageError for more than its port runs, and for a board whose cores are no threads."""
    if threads is None:
        return board
    served = load_port(board.port).cores
    if board.linker or threads not in served:
        have = (
            f"{board.cores} of its own at work" if board.linker else f"up to {max(served)} threads"
        )
        raise UsageError(
            f"--threads {threads}: not on {board.name}",
            why=[f"it has {have}"],
            hints=["leave out --threads"],
        )
    return replace(board, cores=threads)


def misfits(board: Board, runner: str = "") -> tuple[str, ...]:
    """A line for each thing that ``board`` states and its port does not serve in ``runner``."""
    return tuple(_misfits(board, load_port(board.port), runner))


def port_defines(board: Board, runner: str = "") -> dict[str, str]:
    """What the C of a served board's port is compiled with, for ``runner``: the clock in Hz, the
    rate of the console in baud, what is kept free below the stack, base and bytes of the range that
    port.toml gives each memory, or of a larger one that is explored."""
    port = load_port(board.port)
    chip = port.chip(board.chip)
    if chip is None or chip.name == ANY:
        return {}
    clock = {"DPL_CLOCK_HZ": f"{board.clock_hz}u"} if chip.clocks_hz else {}
    rate = console_rate(board, runner)
    baud = {"DPL_BAUD": f"{rate}u"} if rate else {}
    guard = {"DPL_GUARD_BYTES": f"{GUARD_BYTES}u"} if board.linker else {}
    supply = supply_defines(board, chip.supply)
    return {**clock, **supply, **baud, **guard, **dict(_memory_defines(board, chip))}


def _memory_defines(board: Board, chip: Chip) -> Iterator[tuple[str, str]]:
    stated = {memory.name: memory.size for memory in board.memories}
    for memory in chip.memories:
        size = max(memory.size, stated.get(memory.name, 0))
        yield f"DPL_{memory.name.upper()}_RANGE_BASE", f"{memory.base:#x}u"
        yield f"DPL_{memory.name.upper()}_RANGE_BYTES", f"{size}u"


def _hints(port: str) -> list[str]:
    folder = f"firmware/ports/{port}"
    return [
        f"for another chip or clock copy {folder} to firmware/ports/NAME in a checkout of deployer,"
        ' change its C, state in its port.toml what it serves, and set port = "NAME"'
        ' (firmware/README.md, "Adding a port")',
        f"for a board that {port} does serve, correct the board file: {folder}/port.toml has"
        " the limits",
    ]


def _misfits(board: Board, port: Port, runner: str) -> Iterator[str]:
    if board.linker != port.linker:
        yield f"linker is {shown(board.linker)}, the port is linked by {shown(port.linker)}"
    if board.cores not in port.cores:
        yield f"cores is {board.cores}, the port runs {either(port.cores)}"
    yield from _cache_misfits(board, port)
    yield from _console_misfits(board, port)
    chip = port.chip(board.chip)
    if chip is None:
        served = ", ".join(each.name for each in port.chips)
        yield f"chip is {shown(board.chip) if board.chip else 'not stated'}, it serves {served}"
        return
    yield from _chip_misfits(board, port, chip)
    yield from _memory_misfits(board, chip, runner)


def _chip_misfits(board: Board, port: Port, chip: Chip) -> Iterator[str]:
    if chip.core not in (board.core, ANY):
        yield f"core is {shown(board.core)}, {chip.name} has {chip.core}"
    if chip.clocks_hz and board.clock_hz not in chip.clocks_hz:
        yield f"clock_hz is {board.clock_hz:,}, the port sets {either(chip.clocks_hz)}"
    yield from supply_misfits(board, chip.supply)
    yield from _flag_misfits(board, port, chip)


def _flag_misfits(board: Board, port: Port, chip: Chip) -> Iterator[str]:
    stated = set(board.toolchain.cflags)
    for flag in chip.cflags:
        if flag not in stated:
            yield f"toolchain.cflags lacks {flag}, which makes the port that of {chip.name}"
    for other in port.chips:
        for flag in set(other.cflags) - set(chip.cflags):
            if flag in stated:
                yield f"toolchain.cflags has {flag}, which makes the port that of {other.name}"


def _cache_misfits(board: Board, port: Port) -> Iterator[str]:
    if board.timing is None or not board.linker:  # an operating system has started them
        return
    if board.timing.data_cache.line == port.cache_line_bytes:
        return
    found = board.timing.data_cache.line
    if port.cache_line_bytes == 0:
        yield "timing has caches, the port starts none"
    else:
        yield f"timing has cache lines of {found} B, the port clears {port.cache_line_bytes} B ones"


def _console_misfits(board: Board, port: Port) -> Iterator[str]:
    console = port.console
    for runner, options in board.runners.items():
        baud = _stated_rate(options, console)
        if baud not in (console.baud, *console.rates) and runner not in console.set_by:
            served = f"{console.device} {_rates(console)}"
            yield f"runners.{runner}.baud is {baud:,}, the port serves {served}"


def _memory_misfits(board: Board, chip: Chip, runner: str) -> Iterator[str]:
    known = {each.name: each for each in chip.memories}
    for memory in board.memories:
        if memory.name in known:
            yield from _range_misfits(memory, known[memory.name], chip.explored_by, runner)
        else:
            yield f"memory {memory.name} is none the port knows: {', '.join(known)}"
    stated = {memory.name for memory in board.memories}
    for name in (each.name for each in chip.memories if each.needed):
        if name not in stated:
            yield f"memory {name} is not stated, the port names it"


def _range_misfits(
    memory: Memory, limits: AddressRange, explored_by: tuple[str, ...], runner: str
) -> Iterator[str]:
    end = memory.base + memory.size
    size = max(limits.size, limits.explored if runner in explored_by else 0)
    if memory.base < limits.base or end > limits.base + size:
        yield (
            f"memory {memory.name} is {memory.base:#x} to {end:#x},"
            f" {limits.base:#x} to {limits.base + size:#x} is served"
            f"{_explored(limits, explored_by) if runner not in explored_by else ''}"
        )
    elif limits.fixed and memory.base != limits.base:
        yield f"memory {memory.name} begins at {memory.base:#x}, {limits.base:#x} is served"
    if limits.power_of_two and (memory.size & memory.size - 1 or memory.base % memory.size):
        yield (
            f"memory {memory.name} has {memory.size:,} B at {memory.base:#x}, the port protects a"
            " power of two that divides its base"
        )
    if not set(memory.access) <= set(limits.access):
        yield f"memory {memory.name} has access {memory.access}, the port leaves {limits.access}"
    if limits.outer != (memory.level == OUTER):
        yield f"memory {memory.name} has level {memory.level}, {_level(limits)}"


def _explored(limits: AddressRange, by: tuple[str, ...]) -> str:
    """What a range that the chip does not have may be run in."""
    if not limits.explored:
        return ""
    return f", {limits.explored:,} B of it by {', '.join(by)} alone"


def _level(limits: AddressRange) -> str:
    if limits.outer:
        return f"no core addresses it, which is level {OUTER}"
    return f"cores address it, which is not level {OUTER}"

"""What every table of a board file may hold, key by key."""

from __future__ import annotations

import json
from typing import Any

from deployer.choices import RequantChoice
from deployer.resources import data_root
from deployer.schema import (
    ANY,
    Each,
    Either,
    Named,
    Rule,
    Table,
    integer,
    number,
    one_of,
    size,
    text,
)
from deployer.units import FigureKind

SCHEMA = 1
KINDS = tuple(kind for kind in FigureKind if kind != FigureKind.NONE)
PIPELINES = ("cortex-m7", "cortex-a53")
_TAKEN_IN = "asserts.ld.j2"  # by the templates
MIN_STACK_BYTES = 256  # less holds no frame of the harness

MAX_MEMORY_BYTES = 1 << 40
BOARD_NAME = text(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", "letters, digits, `_`, `-` and `.`")
MEMORY_NAME = text(r"[A-Za-z_][A-Za-z0-9_]{0,31}", "letters, digits and `_`, no digit first")
MEMORY_ACCESS = text(r"(?!.*(.).*\1)(?=.*r)[rwx]{1,3}", "`r`, with `w`, `x` or both")
_PROGRAM = text(r"[A-Za-z0-9_./+-]{0,200}", "the name or path of a program")
WORDS = text(r"[^\x00-\x1f]{0,500}", "a text in one line")
CFLAG = text(
    r"(-[mDUOgI]|-f(?!plugin|dump|profile|callgraph)|-W(?![lap],)|-std=|-nostd)[^\x00-\x1f]*",
    "flags of the code, such as -mcpu=…, -f…, -D…, -W…; none that names outputs or plugins",
    most=200,
)
_LDFLAG = text(
    r"(-n|-static|-[lLm]|-f(?!plugin|dump|profile)|--?specs=|-Wl,(?!.*(-Map|-o|--output|-plugin|@)))"
    r"[^\x00-\x1f]*",
    "flags of the link, such as -nostartfiles, -static, -l…, -Wl,--…; none that names outputs",
    most=200,
)


_WAIT = Table({"cycles_per_byte": number(0, 1000), "kind": one_of(KINDS), "source": WORDS}, {})
_MEMORY = Table(
    {
        "name": MEMORY_NAME,
        "base": integer(0, MAX_MEMORY_BYTES),
        "size": size(1, MAX_MEMORY_BYTES),
        "access": MEMORY_ACCESS,
    },
    {"level": integer(0, 2), "wait": _WAIT, "loaded": size(1, MAX_MEMORY_BYTES)},
)
_DMA = Table(
    {
        "from": MEMORY_NAME,
        "to": MEMORY_NAME,
        "bytes_per_cycle": number(0, 10_000, above=True),
        "setup_cycles": integer(0, 1_000_000),
    },
    {"line_cycles": number(0, 1_000_000), "piece_bytes": integer(0, 1 << 30)},
)
_SOURCE: dict[str, Rule] = {"kind": one_of(KINDS), "source": WORDS}
TILE_CYCLES = ("step", "part", "tile", "lead", "axis", "command", "loop", "early")
_TILES = Table({**{f"{name}_cycles": number(0, 1_000_000) for name in TILE_CYCLES}, **_SOURCE}, {})
CODE_BYTES = ("harness", "step", "again", "alias")
_CODE = Table({**{f"{name}_bytes": integer(0, 1 << 30) for name in CODE_BYTES}, **_SOURCE}, {})
_SEVERAL = Either(MEMORY_NAME, Each(MEMORY_NAME, least=1))
_PLACE = Table(
    {
        "text": MEMORY_NAME,
        "weights": _SEVERAL,
        "data": MEMORY_NAME,
        "stack": MEMORY_NAME,
        "arena": _SEVERAL,
    },
    {"hot": MEMORY_NAME},
)
_TOOLCHAIN = Table(
    {"prefix": _PROGRAM, "package": WORDS}, {"cflags": Each(CFLAG), "ldflags": Each(_LDFLAG)}
)
_POINT = Table(
    {"name": BOARD_NAME},
    {
        "clock_hz": integer(1, 100_000_000_000, "Hz"),
        "fabric_hz": integer(1, 100_000_000_000, "Hz"),
        "millivolts": integer(1, 100_000, "mV"),
        "threads": integer(1, 64),
        "governor": text(r"[a-z_]{1,32}", "a governor of Linux, such as powersave"),
    },
)
_COST = Table(
    {"counts": BOARD_NAME, "cpi": number(0, 1000, above=True)},
    {"kernel_code": size(1, MAX_MEMORY_BYTES)},
)
CACHE = Table({"size": size(1, 1 << 30), "ways": integer(1, 1024), "line": integer(1, 4096)}, {})
COSTS = dict.fromkeys(("misprediction", "data_miss", "fetch_miss"), number(0, 1e6))
ERRORS = dict.fromkeys(
    ("error", "ratio_error"),
    Rule("a share above 0 and below 1", lambda v: isinstance(v, float) and 0 < v < 1),
)
OUTER_CYCLES = dict.fromkeys(("miss", "streamed", "streamed_miss"), number(0, 1e6))
_TIMING = Table(
    {
        "pipeline": one_of(PIPELINES),
        "data_cache": CACHE,
        "code_cache": CACHE,
        **COSTS,
        **ERRORS,
    },
    {
        "tight": MEMORY_NAME,
        "tight_code": MEMORY_NAME,
        "outer": Table({"cache": CACHE, **OUTER_CYCLES, **_SOURCE}, {}),
    },
)
_OF_RUNNERS = Table(  # those that ship; others may take more
    {},
    {
        "twin": BOARD_NAME,
        "program": _PROGRAM,
        "package": WORDS,
        "args": Each(WORDS),
        "icount": Rule(
            "a shift from 0 to 10, or QEMU's own text",
            lambda v: (type(v) is int and 0 <= v <= 10) or (isinstance(v, str) and v.isprintable()),
        ),
        "target": WORDS,
        "frequency": integer(1, 1_000_000_000, "Hz"),
        "baud": integer(1, 100_000_000),
        "cable": WORDS,
        "boot": WORDS,
    },
    open=True,
)


_TWIN = Rule(f"{BOARD_NAME.permitted}, or empty", lambda v: v == "" or BOARD_NAME.holds(v))


def board_table() -> Table:
    """The rules of a whole file."""
    root = data_root()
    ports = sorted(path.parent.name for path in (root / "firmware" / "ports").glob("*/port.c"))
    files = (root / "boards" / "link").glob("*.ld.j2")
    links = sorted(f"link/{path.name}" for path in files if path.name != _TAKEN_IN)
    return Table(
        {
            "schema": ANY,
            "name": BOARD_NAME,
            "description": WORDS,
            "core": BOARD_NAME,
            "clock_hz": integer(0, 100_000_000_000, "Hz; 0 is unknown"),
            "port": one_of(ports),
            "kernels": Each(BOARD_NAME),
            "toolchain": _TOOLCHAIN,
            "memory": Each(_MEMORY, least=1),
            "place": _PLACE,
            "stack": Table({"size": size(MIN_STACK_BYTES, MAX_MEMORY_BYTES)}, {}),
        },
        {
            "chip": BOARD_NAME,
            "linker": one_of(["", *links]),
            "requant": one_of(tuple(RequantChoice)),
            "cores": integer(1, 64),
            "twin_of": _TWIN,
            "dma": Each(_DMA),
            "point": Each(_POINT),
            "tiles": _TILES,
            "code": _CODE,
            "cost": _COST,
            "timing": _TIMING,
            "runners": Named(_OF_RUNNERS, key=BOARD_NAME),
        },
    )


def plain(value: Any) -> bool:
    """Whether the manifest, which is JSON, can hold it."""
    try:
        return len(json.dumps(value, allow_nan=False)) < 10_000
    except (TypeError, ValueError, RecursionError):
        return False

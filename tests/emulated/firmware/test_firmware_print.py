"""Real numbers on the console: exact products, rounded once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from emulated.firmware.tiny_build import ROOT

CORE = ROOT / "firmware/core"
SOURCES = (Path(__file__).parent / "print_check.c", CORE / "print.c", CORE / "divide.c")
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined")
EDGES = [0.0, 2.0**-149, 2.0**-126, 0.0005, 2.0**-11, 0.125, 1.0, 2.0**23, 2.0**30 - 64]


def rounded(scale: float, steps: int) -> str:
    thousandths = int(abs(Fraction(scale) * steps) * 1000 + Fraction(1, 2))
    sign = "-" if steps < 0 and thousandths else ""
    return f"{sign}{thousandths // 1000}.{thousandths % 1000:03d}"


def test_three_decimals_of_the_exact_product(tool: Callable[[str], str], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    random = np.exp2(rng.uniform(-40, 30, 4000)).astype(np.float32).tolist()
    scales = [*EDGES, *random]
    whole = [-131071, -255, -1, 0, 1, 4, 131071]
    pairs = [(s, n) for s in EDGES for n in whole]
    pairs += list(
        zip(scales, rng.integers(-(1 << 17) + 1, 1 << 17, len(scales)).tolist(), strict=True)
    )
    check = str(tmp_path / "check")
    include = f"-I{ROOT / 'firmware/include'}"
    subprocess.run([tool("gcc"), *FLAGS, include, *map(str, SOURCES), "-o", check], check=True)
    lines = "".join(f"{np.float32(s).view(np.uint32):x} {n}\n" for s, n in pairs)
    done = subprocess.run([check], input=lines, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [rounded(float(np.float32(s)), n) for s, n in pairs]

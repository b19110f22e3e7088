"""Programs in C that benchmarks link with, or around, the kernels they count."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent

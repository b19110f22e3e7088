"""Where boards/, kernels/ and firmware/ are: inside the wheel, or in the checkout."""

from __future__ import annotations

from pathlib import Path


def data_root() -> Path:
    """The folder that holds boards/, kernels/ and firmware/."""
    packaged = Path(__file__).parent / "_data"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent

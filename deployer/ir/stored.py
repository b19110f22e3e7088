"""Artifacts from files that somebody may have edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deployer.ir import serde
from deployer.ir.sound import faults_of

_MAX_SHOWN = 8  # faults of a file


def load_sound(path: Path) -> Any:
    """The artifact at ``path``, one that the stages could have made (ir.sound). Raises UsageError
    naming the file, what is wrong with it and where to begin again."""
    found = serde.load(path)
    if wrong := faults_of(found):
        raise serde.unreadable(path, wrong[:_MAX_SHOWN])
    return found

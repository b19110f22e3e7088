"""JSON that nobody vetted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_MAX_FILE_BYTES = 32 << 20  # of a file: graphs and reports are far smaller


def read_json(path: Path) -> Any:
    """What a file holds: finite numbers only. Raises OSError, or ValueError with the reason."""
    with path.open("rb") as file:
        data = file.read(_MAX_FILE_BYTES + 1)
    if len(data) > _MAX_FILE_BYTES:
        raise ValueError(f"it has more than {_MAX_FILE_BYTES:,} bytes")
    try:
        return json.loads(data.decode(), parse_constant=_refuse, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    found = float(text)
    if found in (float("inf"), float("-inf")):
        _refuse(text)
    return found

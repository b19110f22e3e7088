"""Read a TOML file that somebody wrote by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from deployer.errors import UsageError

_MAX_FILE_BYTES = 1 << 20


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of ``path``. Raises UsageError naming the file and what is wrong with it."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}", why=[error.strerror or str(error)]) from None
    if len(data) > _MAX_FILE_BYTES:
        raise UsageError(f"{path} has {len(data):,} bytes", why=[f"{_MAX_FILE_BYTES:,} are read"])
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        why = f"byte {error.start} is not UTF-8"
        raise UsageError(f"not TOML: {path}", why=[why], hints=["save it as UTF-8"]) from None
    except RecursionError:
        raise UsageError(f"not TOML: {path}", why=["it is nested too deeply"]) from None
    except ValueError as error:
        raise UsageError(f"not TOML: {path}", why=[str(error)]) from None

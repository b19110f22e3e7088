"""What a stage's artifact was made from, as a file beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deployer import __version__
from deployer.errors import UsageError
from deployer.json_text import read_json

FILE = "stage.json"
_SUM = "sum"
SCHEMA = 1


@dataclass(frozen=True)
class Made:
    """``settings``: options and facts that shaped the artifact, None when it was made by hand;
    ``inputs``: earlier stages with the hash each had; ``files``: its own, with SHA-256."""

    stage: str
    settings: Mapping[str, Any] | None
    inputs: Mapping[str, str]
    files: Mapping[str, str]
    version: str = __version__


def write_made(folder: Path, made: Made) -> None:
    body = {"schema": SCHEMA, **asdict(made)}
    (folder / FILE).write_text(_text({**body, _SUM: _sum(body)}))


def _text(body: Mapping[str, Any]) -> str:
    return json.dumps(body, indent=1, sort_keys=True) + "\n"


def _sum(body: Mapping[str, Any]) -> str:
    """By which an edit is noticed: options are taken from here unchecked."""
    return hashlib.sha256(_text(body).encode()).hexdigest()


def read_made(folder: Path) -> Made:
    """What ``write_made`` wrote. Raises UsageError when it is not there, or something else is."""
    path = folder / FILE
    try:
        body = read_json(path)
        if body.pop(_SUM) != _sum(body):
            raise ValueError("it was changed by another hand")
        if body.pop("schema") != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        return Made(**body)
    except FileNotFoundError:
        raise UsageError(
            f"{folder} does not say what it was made from",
            why=[f"{FILE} is not there"],
            hints=["run all stages again, without --from"],
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"not a readable artifact: {path}",
            why=[str(error)],
            hints=["run all stages again, without --from"],
        ) from None

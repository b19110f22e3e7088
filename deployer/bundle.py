"""A bundle: one folder with firmware, inputs, expected outputs and every decision behind them.

The compiler writes it, the rig reads it; nothing else passes between the two. The manifest is
JSON, described in docs/bundle.md; ``golden.npz`` holds ``input`` (samples, bytes) and ``output``
(samples, bytes) as int8, and ``crc`` (samples, steps) as uint32, the CRC-32 of every step's output.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from deployer.errors import UsageError

SCHEMA = 1
MANIFEST = "manifest.json"
GOLDEN = "golden.npz"
OUTER = "l3.bin"


@dataclass(frozen=True)
class Bundle:
    """An opened bundle; ``manifest`` is the checked JSON object."""

    path: Path
    manifest: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Hash of the generated sources, compiled into the firmware."""
        return str(self.manifest["id"])

    @property
    def firmware(self) -> Path:
        return self.path / self.manifest["firmware"]

    @property
    def outer(self) -> Path | None:
        """The first bytes of the memory that weights are fetched from, None when none are."""
        return self.path / OUTER if OUTER in self.manifest["files"] else None

    @property
    def board(self) -> str:
        """The board the user named; ``manifest["target"]`` is the one the image runs on."""
        return str(self.manifest["board"])

    def runner_options(self, runner: str) -> dict[str, Any]:
        """What the board file says to the runner."""
        return dict(self.manifest["runners"].get(runner, {}))

    @cached_property
    def golden(self) -> Mapping[str, np.ndarray]:
        with np.load(self.path / GOLDEN, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}


def write(path: Path, manifest: Mapping[str, Any], files: list[str]) -> Bundle:
    """Write the manifest for a folder that already holds ``files``; adds their hashes."""
    hashes = {name: sha256(path / name) for name in sorted(files)}
    body = {"schema": SCHEMA, **manifest, "files": hashes}
    (path / MANIFEST).write_text(json.dumps(body, indent=1, sort_keys=True) + "\n")
    return Bundle(path, body)


def read(path: Path) -> Bundle:
    """Open a bundle and check every hash. Raises UsageError saying which file is wrong."""
    try:
        manifest = json.loads((path / MANIFEST).read_text())
    except FileNotFoundError:
        raise UsageError(f"no bundle in {path}", hints=["deployer build makes one"]) from None
    except ValueError as error:
        raise UsageError(f"not a bundle: {path / MANIFEST}", why=[str(error)]) from None
    if manifest.get("schema") != SCHEMA:
        raise UsageError(f"bundle {path} has schema {manifest.get('schema')}, not {SCHEMA}")
    _check_files(path, manifest["files"])
    return Bundle(path, manifest)


def _check_files(path: Path, hashes: Mapping[str, str]) -> None:
    for name, expected in hashes.items():
        if not (path / name).is_file():
            raise UsageError(f"bundle {path} lacks {name}", hints=["build it again"])
        if sha256(path / name) != expected:
            raise UsageError(f"{path / name} was changed after the build", hints=["build it again"])


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

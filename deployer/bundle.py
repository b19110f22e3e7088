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
from typing import Any, cast

import numpy as np

from deployer.bundle_facts import BuiltManifest, Manifest
from deployer.bundle_table import check_manifest
from deployer.errors import UsageError
from deployer.json_text import read_json
from deployer.npz import Npz, NpzError

SCHEMA = 1
MANIFEST = "manifest.json"
GOLDEN = "golden.npz"
OUTER = "l3.bin"
_GOLDEN = ("input", "output", "crc")
_AGAIN = "build it again"


@dataclass(frozen=True)
class Bundle:
    """An opened bundle; ``manifest`` is the checked JSON object.

    Files are verified when they are used: whoever asks for ``firmware``, ``outer`` or ``golden``
    gets a UsageError when the bytes are not those that were built.
    """

    path: Path
    manifest: Manifest

    @property
    def id(self) -> str:
        """Hash of the generated sources, compiled into the firmware."""
        return self.manifest["id"]

    @property
    def firmware(self) -> Path:
        """The image, which has just been verified; ask again before each start."""
        name = self.manifest["firmware"]
        self.bytes_of(name)
        return self.path / name

    @property
    def outer(self) -> Path | None:
        """The first bytes of the memory that weights are fetched from, just verified, None when
        none are."""
        if OUTER not in self.manifest["files"]:
            return None
        self.bytes_of(OUTER)
        return self.path / OUTER

    def bytes_of(self, name: str) -> bytes:
        """A file of the bundle, read once and verified."""
        path = self.path / name
        try:
            data = path.read_bytes()
        except OSError as error:
            why = [error.strerror or str(error)]
            raise UsageError(f"cannot read {path}", why=why, hints=[_AGAIN]) from None
        if hashlib.sha256(data).hexdigest() != self.manifest["files"].get(name):
            raise UsageError(f"{path} was changed after the build", hints=[_AGAIN])
        return data

    @property
    def board(self) -> str:
        """The board the user named; ``manifest["target"]`` is the one the image runs on."""
        return self.manifest["board"]

    @property
    def floats(self) -> bool:
        """Whether it is of a float network, whose results are golden within a tolerance."""
        return any(tensor.get("dtype") == "float32" for tensor in self.manifest["outputs"])

    def runner_options(self, runner: str) -> dict[str, Any]:
        """What the board file says to the runner."""
        return dict(self.manifest["runners"].get(runner, {}))

    @cached_property
    def golden(self) -> Mapping[str, np.ndarray]:
        """``input``, ``output`` and ``crc``, whose shapes are those of the manifest."""
        path, data = self.path / GOLDEN, self.bytes_of(GOLDEN)
        try:
            with Npz(data) as file:
                found = {key: file.array(key, limit=2 * len(data)) for key in _GOLDEN}
        except NpzError as error:
            raise UsageError(f"{path} holds no golden data", why=[str(error)]) from None
        tensors = {"input": self.manifest["inputs"], "output": self.manifest["outputs"]}
        sizes = {key: sum(t["bytes"] for t in each) for key, each in tensors.items()}
        count = len(found["input"]) if found["input"].ndim else 0
        for key, dtype in zip(_GOLDEN, (np.int8, np.int8, np.uint32), strict=True):
            shape = (count, sizes.get(key, len(self.manifest["steps"])))
            if found[key].dtype != dtype or found[key].shape != shape or not count:
                why = f"{key} is {found[key].shape} of {found[key].dtype}, not {shape}"
                raise UsageError(f"{path} is not of this network", why=[why], hints=[_AGAIN])
        return found


def write(path: Path, manifest: BuiltManifest, files: list[str]) -> Bundle:
    """Write the manifest for a folder that already holds ``files``; adds their hashes."""
    hashes = {name: sha256(path / name) for name in sorted(files)}
    body: Manifest = {**manifest, "schema": SCHEMA, "files": hashes}
    (path / MANIFEST).write_text(json.dumps(body, indent=1, sort_keys=True) + "\n")
    return Bundle(path, body)


def read(path: Path) -> Bundle:
    """Open a bundle; its manifest is checked, and that its files are there. Raises UsageError
    saying what is wrong."""
    file = path / MANIFEST
    try:
        manifest = read_json(file)
    except FileNotFoundError:
        raise UsageError(f"no bundle in {path}", hints=["deployer build makes one"]) from None
    except OSError as error:
        raise UsageError(f"cannot read {file}", why=[error.strerror or str(error)]) from None
    except ValueError as error:
        raise UsageError(f"not a bundle: {file}", why=[str(error)], hints=[_AGAIN]) from None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        stated = manifest.get("schema") if isinstance(manifest, dict) else None
        raise UsageError(f"bundle {path} has schema {stated}, not {SCHEMA}", hints=[_AGAIN])
    try:
        check_manifest(manifest, (GOLDEN,), OUTER)
    except UsageError as error:
        hints = [*error.hints, _AGAIN]
        raise UsageError(f"{file}: {error.what}", why=error.why, hints=hints) from None
    _check_files(path, manifest["files"])
    return Bundle(path, cast(Manifest, manifest))


def _check_files(path: Path, hashes: Mapping[str, str]) -> None:
    """Each is a file of the folder itself."""
    for name in hashes:
        if not (path / name).is_file():
            raise UsageError(f"bundle {path} lacks {name}", hints=[_AGAIN])
        if (path / name).is_symlink():
            raise UsageError(f"{path / name} leads out of the bundle", hints=[_AGAIN])


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

"""Bundles whose image is the fake device."""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from deployer import bundle as bundles
from deployer.bundle import Bundle
from fakes import fake_device

SAMPLES = 3
STEPS = ("widen", "mirror", "head")
IMAGE = "firmware.py"
_FAKE_QEMU = """#!/bin/sh
# Runs the image after -kernel, or the last argument, as QEMU would.
[ "$1" = --version ] && {{ echo "QEMU emulator version 0.0 (fake)"; exit 0; }}
echo "$0 $*" >> "{log}"
for last; do :; done
exec "$last"
"""


def make_bundle(
    folder: Path,
    *,
    runners: dict[str, Any] | None = None,
    manifest_id: str = "",
    target: str = "toy-twin",
    **config: Any,
) -> Bundle:
    """A bundle in ``folder``; ``config`` is the fake device's, ``manifest_id`` lies about the id.

    The golden numbers are those of a device without faults.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {**fake_device.CONFIG, **config}
    write_image(folder / IMAGE, settings)
    golden = golden_arrays(settings)
    np.savez(folder / bundles.GOLDEN, **golden)
    identity = manifest_id or settings["id"]
    manifest = _manifest(settings, identity, runners or {}) | {"target": target}
    return bundles.write(folder, manifest, [IMAGE, bundles.GOLDEN])


def resealed(bundle: Bundle, *more: str) -> Bundle:
    """The bundle with its files as they are now, and ``more``."""
    return bundles.write(bundle.path, bundle.manifest, [*bundle.manifest["files"], *more])


def write_image(path: Path, config: dict[str, Any]) -> None:
    """The fake device as a program of its own."""
    source = Path(fake_device.__file__).read_text()
    path.write_text(f"#!{sys.executable} -SE\n{source}\n\nmain({config!r})\n")
    path.chmod(0o755)


def golden_arrays(config: dict[str, Any]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    inputs = rng.integers(-128, 128, (SAMPLES, sum(config["inputs"])), dtype=np.int8)
    runs = [fake_device.steps(row.tobytes()) for row in inputs]
    return {
        "input": inputs,
        "output": np.array([np.frombuffer(run[-1], dtype=np.int8) for run in runs]),
        "crc": np.array([[zlib.crc32(value) for value in run] for run in runs], dtype=np.uint32),
    }


def fake_qemu(folder: Path, name: str) -> Path:
    """A program that stands in for QEMU; it logs its command line to ``folder``/log."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(_FAKE_QEMU.format(log=folder / "log"))
    path.chmod(0o755)
    return path


def _manifest(config: dict[str, Any], identity: str, runners: dict[str, Any]) -> dict[str, Any]:
    model = {"name": "toy net", "cname": "toy_net", "file": "toy.onnx", "sha256": "ab" * 32}
    return {
        "id": identity,
        "clock_hz": 1_000_000,
        "board": "toy",
        "firmware": IMAGE,
        "model": {**model, "parameters": 0, "macs": 0},
        "options": {
            "scheme": "multiply-shift",
            "calibration": {"calibrate": "minmax", "equalize": False, "bias_correction": False},
        },
        "toolchain": {"compiler": "none", "flags": []},
        "inputs": [{"name": f"in{i}", "bytes": n} for i, n in enumerate(config["inputs"])],
        "outputs": [{"name": f"out{i}", "bytes": n} for i, n in enumerate(config["outputs"])],
        "steps": [_step(i, name) for i, name in enumerate(STEPS)],
        "memory": _memory(),
        "runners": runners,
    }


def _step(index: int, name: str) -> dict[str, Any]:
    texts = dict.fromkeys(("op", "kernel", "weight_layout", "rule"), "")
    counts = dict.fromkeys(("macs", "output_bytes", "weight_bytes"), 0)
    tensor = {"bits": 8, "shape": [1, 4], "tiles": None}
    return {"index": index, "name": name, **texts, **counts, **tensor}


def _memory() -> dict[str, Any]:
    counts = ("arena", "weights", "code", "static", "stack", "input_copy")
    absent = ("waits", "copied_weights", "streamed", "hot_code")
    texts = {"status": "optimal", "solver": "none", "input_copy_in": "ram"}
    return {
        **dict.fromkeys(counts, 0),
        **dict.fromkeys(absent),
        **texts,
        "arena_by_memory": {"ram": 0},
        "limits": {"ram": 1024},
    }

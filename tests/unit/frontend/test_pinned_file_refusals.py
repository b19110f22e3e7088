"""The whole text of each refusal of a file, and of what lies beside a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.errors import DeployerError
from deployer.frontend.onnx_import import import_model
from models import conv_net, dense_net
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def _written(folder: Path) -> Iterator[tuple[str, Path]]:
    """Files that hold no model, or keep a part of it where nothing is."""
    data = conv_net().SerializeToString()
    for name, begin in {
        "empty": b"", "text": b"hello, this is no model", "broken off": data[:200],
        "lite": b"\x1c\x00\x00\x00TFL3" + bytes(40), "zip": b"PK\x03\x04" + bytes(40),
        "hdf": b"\x89HDF\r\n" + bytes(40), "lfs": b"version https://git-lfs.github.com/spec/v1\n",
    }.items():  # fmt: skip
        path = folder / f"{name}.onnx"
        path.write_bytes(begin)
        yield name, path
    (folder / "models").mkdir()
    yield "an empty folder", folder / "models"
    for name in "dbca":
        (folder / "models" / f"{name}.onnx").touch()
    yield "a folder", folder / "models"
    yield "nothing", folder / "nothing.onnx"
    for name, change in SIDES.items():
        path = folder / f"{name}.onnx"
        onnx.save(
            dense_net(), path, save_as_external_data=True, location=f"{name}.bin", size_threshold=0
        )
        model = onnx.load(path, load_external_data=False)
        change(path.with_suffix(".bin"), _entries(model))
        path.write_bytes(model.SerializeToString())
        yield name, path


def _entries(model: onnx.ModelProto) -> dict[str, Any]:
    return {entry.key: entry for entry in model.graph.initializer[1].external_data}


def _set(key: str, value: str) -> Callable[[Path, dict[str, Any]], object]:
    return lambda _, entries: setattr(entries[key], "value", value)


SIDES: dict[str, Callable[[Path, dict[str, Any]], object]] = {
    "missing": lambda side, _: side.unlink(),
    "short": lambda side, _: side.write_bytes(side.read_bytes()[:2000]),
    "absolute": _set("location", "/etc/hostname"),
    "above": _set("location", "../weights.bin"),
    "nowhere": _set("location", ""),
    "no number": _set("offset", "x"),
    "negative": _set("offset", "-4"),
    "too long": _set("length", "999999"),
    "negative length": _set("length", "-1"),
}


def test_files_are_refused_as_pinned(tmp_path: Path) -> None:
    lines = []
    for told, path in _written(tmp_path):
        with pytest.raises(DeployerError) as caught:
            import_model(path)
        lines += [f"== {told}", str(caught.value).replace(str(tmp_path), "FOLDER")]
    pinned(FOLDER / "refusals-files.txt", "\n".join(lines))

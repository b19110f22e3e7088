"""Bundles that nobody vetted, and bundles that change while they are in use."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deployer import bundle as bundles
from deployer.errors import UsageError
from fakes.bundles import IMAGE, make_bundle
from hil.measure import prove
from hil.runner import create

BOARD: dict[str, Any] = {"host": {}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "bundle"
    return make_bundle(folder, runners=BOARD, target="toy").path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "bundle")


def edited(folder: Path, edit: Callable[[dict[str, Any]], Any]) -> Path:
    body = json.loads((folder / bundles.MANIFEST).read_text())
    edit(body)
    (folder / bundles.MANIFEST).write_text(json.dumps(body))
    return folder


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Sets the value at a path, its last item."""

    def edit(body: Any) -> None:
        for key in path[:-2]:
            body = body[key]
        body[path[-2]] = path[-1]

    return edit


def test_a_bundle_is_read_back(folder: Path) -> None:
    found = bundles.read(folder)
    assert found.firmware == folder / IMAGE
    assert found.golden["input"].dtype == np.int8
    assert found.outer is None


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (put("firmware", "/bin/sh"), "firmware is"),
        (put("firmware", "../evil.elf"), "firmware is"),
        (put("firmware", ".."), "firmware is"),
        (put("firmware", 3), "firmware is 3"),
        (put("firmware", "other.elf"), "files has no hash of other.elf"),
        (lambda body: body["files"].pop(bundles.GOLDEN), "files has no hash of golden.npz"),
        (lambda body: body["files"].pop(IMAGE), "files has no hash of firmware.py"),
        (put("files", "../x", "0" * 64), "files: the name"),
        (put("files", IMAGE, "short"), "files.firmware.py is"),
        (put("files", []), "files is []"),
        (put("memory", "streamed", {"memory": "l3"}), "lacks the key 'memory.streamed."),
        (put("steps", []), "steps is []"),
        (put("steps", 0, "index", 7), "steps[0].index is 7"),
        (put("steps", 1, "macs", "many"), "steps[1].macs"),
        (put("outputs", 0, "bytes", -1), "outputs[0].bytes is -1"),
        (put("inputs", 0, {"name": "x"}), "lacks the key 'inputs[0].bytes'"),
        (put("clock_hz", None), "clock_hz is null"),
        (put("runners", "host", 1), "runners.host is 1"),
        (put("schema", 2), "schema 2, not 1"),
        (lambda body: body.pop("model"), "lacks the key 'model'"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused_by_key(
    folder: Path, edit: Callable[[dict[str, Any]], Any], said: str
) -> None:
    with pytest.raises(UsageError) as failure:
        bundles.read(edited(folder, edit))
    assert said in str(failure.value)
    assert "build it again" in failure.value.hints


@pytest.mark.parametrize(
    "text", ["[]", "3", "{", "[" * 100_000, '{"schema": NaN}', '{"schema": 1e999}', "\xff"]
)
def test_text_that_is_no_manifest_is_refused(folder: Path, text: str) -> None:
    (folder / bundles.MANIFEST).write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError):
        bundles.read(folder)


def test_firmware_behind_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / IMAGE).rename(tmp_path / "elsewhere")
    (folder / IMAGE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="leads out of the bundle"):
        bundles.read(folder)


def test_firmware_that_changes_after_it_was_opened_never_starts(folder: Path) -> None:
    found = bundles.read(folder)
    with create("host", found) as runner:
        runner.load(found)
        (folder / IMAGE).write_text("#!/bin/sh\ntouch started\n")
        with pytest.raises(UsageError, match="changed after the build"):
            runner.open()
    assert not Path("started").exists()


def test_golden_data_that_changes_after_it_was_opened_is_not_compared_with(folder: Path) -> None:
    found = bundles.read(folder)
    arrays = dict(np.load(folder / bundles.GOLDEN))
    arrays["output"][0, 0] ^= 1
    np.savez(folder / bundles.GOLDEN, **arrays)
    with create("host", found) as runner, pytest.raises(UsageError, match="changed after"):
        prove(found, runner)


@pytest.mark.parametrize(
    "change",
    [
        {"input": np.zeros((2, 3), np.int8)},
        {"output": np.zeros((3, 1), np.float32)},
        {"crc": np.zeros((3, 9), np.uint32)},
        {"crc": np.zeros(3, np.uint32)},
        {"input": np.zeros((0, 24), np.int8)},
    ],
)
def test_golden_data_of_another_network_is_refused(
    folder: Path, change: dict[str, np.ndarray]
) -> None:
    """Its hash is right: the whole bundle was made so."""
    np.savez(folder / bundles.GOLDEN, **{**dict(np.load(folder / bundles.GOLDEN)), **change})
    found = bundles.read(folder)
    found = bundles.write(folder, found.manifest, list(found.manifest["files"]))
    with pytest.raises(UsageError, match="not of this network"):
        _ = found.golden

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
from deployer_hil.measure import prove
from deployer_hil.runner import create
from fakes.bundles import IMAGE, make_bundle

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


def refusal(work: Callable[[], object]) -> UsageError:
    with pytest.raises(UsageError) as caught:
        work()
    return caught.value


def test_where_there_is_no_bundle_the_command_that_makes_one_is_told(tmp_path: Path) -> None:
    found = refusal(lambda: bundles.read(tmp_path))
    assert found.what == f"no bundle in {tmp_path}"
    assert found.hints == ("deployer build makes one",)


def test_a_manifest_that_cannot_be_read_is_named_with_the_reason(folder: Path) -> None:
    path = folder / bundles.MANIFEST
    path.write_text("{")
    found = refusal(lambda: bundles.read(folder))
    assert found.what == f"not a bundle: {path}"
    assert len(found.why) == 1
    assert found.hints == ("build it again",)
    path.unlink()
    path.mkdir()
    found = refusal(lambda: bundles.read(folder))
    assert (found.what, found.why) == (f"cannot read {path}", ("Is a directory",))


def test_a_key_is_named_with_the_file_and_what_it_takes(folder: Path) -> None:
    found = refusal(lambda: bundles.read(edited(folder, put("clock_hz", -1))))
    assert found.what == f"{folder / bundles.MANIFEST}: clock_hz is -1"
    assert found.hints[0].startswith("permitted: an integer from 0 to ")
    assert found.hints[1:] == ("build it again",)


@pytest.mark.parametrize("stated", [None, 0, 2, "1"])
def test_bundles_of_other_versions_say_which(folder: Path, stated: object) -> None:
    found = refusal(lambda: bundles.read(edited(folder, put("schema", stated))))
    assert found.what == f"bundle {folder} has schema {stated}, not 1"
    assert found.hints == ("build it again",)


def test_a_file_that_is_missing_is_named(folder: Path) -> None:
    opened = bundles.read(folder)
    (folder / IMAGE).unlink()
    assert refusal(lambda: opened.firmware).what == f"cannot read {folder / IMAGE}"
    found = refusal(lambda: bundles.read(folder))
    assert (found.what, found.hints) == (f"bundle {folder} lacks {IMAGE}", ("build it again",))


def test_files_are_told_from_those_that_were_built(folder: Path) -> None:
    opened = bundles.read(folder)
    assert opened.bytes_of(IMAGE) == (folder / IMAGE).read_bytes()
    (folder / IMAGE).write_text("other")
    found = refusal(lambda: opened.bytes_of(IMAGE))
    assert found.what == f"{folder / IMAGE} was changed after the build"
    assert found.hints == ("build it again",)


def test_a_bundle_says_for_which_board_and_runner_it_is(folder: Path) -> None:
    opened = bundles.read(folder)
    assert (opened.id, opened.board) == (opened.manifest["id"], opened.manifest["board"])
    assert opened.runner_options("host") == {}
    assert opened.runner_options("nobody") == {}
    put("runners", "host", {"port": 3})(opened.manifest)
    assert opened.runner_options("host") == {"port": 3}


def test_weights_that_are_fetched_lie_in_a_file_of_their_own(folder: Path) -> None:
    (folder / bundles.OUTER).write_bytes(b"123")
    plain = bundles.read(folder)
    opened = bundles.write(folder, plain.manifest, [*plain.manifest["files"], bundles.OUTER])
    assert opened.outer == folder / bundles.OUTER
    assert bundles.read(folder).manifest == opened.manifest
    (folder / bundles.OUTER).write_bytes(b"124")
    assert "changed after the build" in refusal(lambda: opened.outer).what


def test_golden_data_that_is_none_says_why(folder: Path) -> None:
    (folder / bundles.GOLDEN).write_bytes(b"hello")
    opened = bundles.read(folder)
    opened = bundles.write(folder, opened.manifest, list(opened.manifest["files"]))
    found = refusal(lambda: opened.golden)
    assert found.what == f"{folder / bundles.GOLDEN} holds no golden data"
    assert found.why == ("it is no npz archive: File is not a zip file",)


def test_golden_data_of_another_network_says_which_array(folder: Path) -> None:
    arrays = dict(np.load(folder / bundles.GOLDEN))
    count, size = arrays["input"].shape
    np.savez(folder / bundles.GOLDEN, **{**arrays, "input": arrays["input"][:, :-1]})
    opened = bundles.read(folder)
    opened = bundles.write(folder, opened.manifest, list(opened.manifest["files"]))
    found = refusal(lambda: opened.golden)
    assert found.what == f"{folder / bundles.GOLDEN} is not of this network"
    assert found.why == (f"input is ({count}, {size - 1}) of int8, not ({count}, {size})",)


def test_wide_tensors_have_whole_elements_and_steps_their_order(folder: Path) -> None:
    plain = json.loads((folder / bundles.MANIFEST).read_text())["outputs"][0]
    for size, fits in ((6, True), (7, False)):
        change = put("outputs", 0, {**plain, "dtype": "int16", "bytes": size})
        if fits:
            bundles.read(edited(folder, change))
            continue
        found = refusal(lambda change=change: bundles.read(edited(folder, change)))
        assert found.what.endswith("outputs[0].bytes is 7")
        assert found.hints[0] == "permitted: whole elements"
    edited(folder, put("outputs", 0, plain))
    found = refusal(lambda: bundles.read(edited(folder, put("steps", 0, "index", 1))))
    assert found.hints[0] == "permitted: 0: steps are in order"

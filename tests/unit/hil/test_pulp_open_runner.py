"""The runner of GVSoC's pulp-open, with a stand-in for gvsoc."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError
from deployer_hil.runner import create
from fakes.bundles import make_bundle

BOARD = {"pulp_open": {"target": "pulp-open"}}
# runs the image on its own stdin and stdout, as the model does by semihosting; logs its arguments
STAND_IN = """#!/bin/sh
echo "$@" >> "$FAKE_GVSOC_LOG"
if test "$FAKE_GVSOC_FAILS"; then echo "$FAKE_GVSOC_FAILS" >&2; exit 1; fi
for part in "$@"; do
    case "$part" in --binary=*) exec "${part#--binary=}" ;; esac
done
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return make_bundle(tmp_path_factory.mktemp("open") / "bundle", runners=BOARD, target="twin")


@pytest.fixture
def gvsoc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """gvsoc on the path; returns its log."""
    program = tmp_path / "bin" / "gvsoc"
    program.parent.mkdir()
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_GVSOC_LOG", str(tmp_path / "log"))
    monkeypatch.delenv("DEPLOYER_GVSOC", raising=False)
    return tmp_path / "log"


def test_cycles_are_simulated_and_the_model_is_named(bundle: Bundle) -> None:
    runner = create("pulp_open", bundle)
    assert (runner.caps.timing, runner.caps.kind) == ("cycles", "simulated")
    assert runner.tool == "GVSoC pulp-open"


def test_the_model_gets_the_image_and_a_folder_that_goes_with_it(
    bundle: Bundle, gvsoc: Path
) -> None:
    with create("pulp_open", bundle) as runner:
        runner.load(bundle)
        assert runner.open().read(1, 10)
        words = gvsoc.read_text().split()
        (folder,) = (word[11:] for word in words if word.startswith("--work-dir="))
        assert Path(folder).is_dir()
    assert not Path(folder).exists()
    assert "--target=pulp-open" in words
    assert f"--binary={bundle.firmware.absolute()}" in words
    assert words[-3:] == ["image", "flash", "run"]


def test_without_gvsoc_it_says_how_to_name_one(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("DEPLOYER_GVSOC", raising=False)
    with pytest.raises(BenchError, match="gvsoc, which runs GVSoC, is not installed") as caught:
        create("pulp_open", bundle).load(bundle)
    assert "DEPLOYER_GVSOC" in str(caught.value)


def test_what_gvsoc_says_when_it_fails_is_shown(
    bundle: Bundle, gvsoc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GVSOC_FAILS", "Couldn't find target: pulp-open")
    with create("pulp_open", bundle) as runner:
        runner.load(bundle)
        stream = runner.open()
        assert stream.read(1, 10) == b""
        assert stream.epitaph() == (
            "gvsoc ended with status 1",
            "stderr: Couldn't find target: pulp-open",
        )


def test_the_boards_own_image_is_refused(tmp_path: Path) -> None:
    """It is linked for other addresses and registers: the runner takes its twin's."""
    own = make_bundle(tmp_path / "own", runners={"pulp_open": {"twin": "twin"}}, target="toy")
    with pytest.raises(UsageError, match="built for toy, which does not run in pulp_open"):
        create("pulp_open", own)

"""``deployer gate`` on a kernel that really got slower and on runs that did not, emulated."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.pipeline import build_stage, itcm
from deployer.resources import data_root
from deployer_hil import Results
from models import residual_net

Run = Callable[..., Any]
KERNEL = "kernels/cortex_m/conv2d_s8__armv7em_rows.c"  # of one layer
LAYER = "conv_0"
ENTRY = "dpl_conv2d_s8__armv7em_rows(const dpl_conv2d_s8_args *a) {\n"
LOOP = "    for (volatile unsigned i = 0; i < {0}; i++) {{\n    }}\n"
INSTRUCTIONS_A_PASS = 6
SLOWER = 0.02
EQUAL_RUNS = 20


class Checkout:
    """A repository with the sources of images and a model, whose images are built from it."""

    def __init__(self, folder: Path, deployer: Run):
        self._folder, self._deployer = folder, deployer
        for name in ("kernels", "firmware"):
            shutil.copytree(data_root() / name, folder / name)
        onnx.save(residual_net(), folder / "net.onnx")
        (folder / ".gitignore").write_text("build*/\nresults.sqlite*\n*.json\n")
        self._git("init", "-q")

    def commit(self, subject: str) -> str:
        self._git("add", "-A")
        self._git("commit", "-q", "-m", subject)
        return self._git("rev-parse", "--short", "HEAD")

    def run(self, build: str, *more: str) -> None:
        """Build, run and keep the result."""
        words = ("-b", "nucleo-f767zi", "--golden", "1", "--json", "-o", self._folder / build)
        results = ("--results", self._folder / "results.sqlite")
        ran = self._deployer("run", *words, *results, *more, self._folder / "net.onnx")
        assert ran.status == 0, ran.err

    def gate(self, *more: object) -> Any:
        files = ("--baseline", self._folder / "base.json", self._folder / "results.sqlite")
        return self._deployer("gate", *more, *files)

    def counts(self) -> dict[str, int]:
        """Instructions of each layer of the newest result."""
        with Results(self._folder / "results.sqlite") as results:
            record = list(results.all())[-1].record
        assert (record.kind, record.golden.match) == ("counted", True)
        return {layer.name: layer.count or 0 for layer in record.layers}

    def slow_down(self, instructions: int) -> None:
        """The kernel counts to some number first."""
        file = self._folder / KERNEL
        text, loop = file.read_text(), LOOP.format(instructions // INSTRUCTIONS_A_PASS)
        assert text.count(ENTRY) == 1
        file.write_text(text.replace(ENTRY, ENTRY + loop))

    def _git(self, *words: str) -> str:
        own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
        command = ["git", "-C", str(self._folder), *own, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()


@pytest.fixture
def checkout(
    tmp_path: Path, deployer: Run, tool: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> Checkout:
    for program in ("git", "arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    for module in (build_stage, itcm):
        monkeypatch.setattr(module, "data_root", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    return Checkout(tmp_path, deployer)


def test_a_kernel_two_per_cent_slower_is_named_and_one_of_equal_speed_passes_each_time(
    checkout: Checkout,
) -> None:
    checkout.commit("Kernels as they were")
    checkout.run("build")
    before = checkout.counts()
    assert checkout.gate("--update-baseline", "first").status == 0
    for _ in range(EQUAL_RUNS):
        checkout.run("build", "--from", "run")
        passed = checkout.gate()
        assert (passed.status, passed.err) == (0, "")

    checkout.slow_down(round(SLOWER * before[LAYER]))
    commit = checkout.commit("Convolution by rows counts first")
    checkout.run("build-slow")
    after = checkout.counts()
    assert {name for name in after if after[name] != before[name]} == {LAYER}
    assert 0.01 < after[LAYER] / before[LAYER] - 1 < 0.03

    failed = checkout.gate("--junit", "gate.xml")
    assert (failed.status, failed.out) == (7, "")
    changed = f"{before[LAYER]:,} -> {after[LAYER]:,}"
    by = 100 * (after[LAYER] / before[LAYER] - 1)
    assert f"{LAYER}: instructions {changed} ({by:+.2f} %)" in failed.err
    assert re.findall(r"commit (\w+) (.*)", failed.err) == [
        (commit, "Convolution by rows counts first")
    ]
    assert not [name for name in before if name != LAYER and f"{name}: " in failed.err]
    assert f"{LAYER}" in Path("gate.xml").read_text()

"""The two lines of docs/lab.md on a bench that is an emulated nucleo."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from deployer.bundle import Bundle
from deployer_hil import locks

pytest_plugins = ["pytester"]

DOC = Path(__file__).parents[2] / "docs" / "lab.md"
LAB = '[bench.qemu-1]\nboard = "nucleo-f767zi"\nrunner = "qemu_system"\n'


def test_two_lines_prove_a_network_on_an_emulated_bench(
    pytester: pytest.Pytester, tool: Callable[[str], str], built: Callable[..., Bundle]
) -> None:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    bundle = built("nucleo-f767zi", "residual_net", runner="qemu_system")
    shown = re.search(r"## Tests of your own\n.*?```python\n(.*?)```", DOC.read_text(), re.DOTALL)
    assert shown
    pytester.makepyfile(test_users_board=shown[1])
    pytester.path.joinpath("lab.toml").write_text(LAB)
    quiet = ("-p", "no:cacheprovider", "--bundle", str(bundle.path))
    pytester.runpytest_inprocess(*quiet, "--bench", "qemu-1").assert_outcomes(passed=1)
    assert locks.holder_of("bench qemu-1") is None
    skipped = pytester.runpytest_inprocess(*quiet, "-rs", "--lab", "lab.toml", "--runner", "pyocd")
    skipped.assert_outcomes(skipped=1)
    skipped.stdout.fnmatch_lines(["*skipped: no board (lab.toml has no bench that runs*"])

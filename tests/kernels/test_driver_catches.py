"""The driver notices what a wrong kernel does: a right addition with one act of sabotage. The
acts use the names of kernels/include/dpl/body, so one serves every type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from catalogue.target import Outcome, Target, host, run

from deployer.kernelset.kernel import Kernel
from deployer.kernelset.select import by_symbol
from deployer.resources import data_root

ADD, WIDE = by_symbol("dpl_add_s8__ref"), by_symbol("dpl_add_s16__ref")
PLAIN = Target("plain", "gcc", ("-O1",), "port_hosted.c")
THREE_CORES = replace(PLAIN, flags=("-O1", "-DDPL_CORES=3"))

FIRST = "element *first = row_of(&a->output, 0);"
LAST = """element *last = row_of(&a->output, a->output.height - 1) + a->output.channels - 1
    + (a->output.width - 1) * a->output.pixel_pitch;"""
ACTS = {
    "wrong value": (f"right(a); {FIRST} *first = (element)~*first;", {"output"}),
    "byte before": (f"right(a); {FIRST} first[-1] = 0;", {"writes", "guard"}),
    "byte behind": (f"right(a); {LAST} last[1] = 0;", {"writes", "guard"}),
    "input changed": ("right(a); *row_of(&a->left, 0) ^= 1;", {"input"}),
    "row left out": ("args b = *a; b.output.height--; right(&b);", {"writes"}),
}
NO_SHARING = """for (int32_t y = 0; y < a->output.height; y++)
    for (int32_t x = 0; x < a->output.width; x++)
        run(a, row_of(&a->left, y) + x * a->left.pixel_pitch,
            row_of(&a->right, y) + x * a->right.pixel_pitch,
            row_of(&a->output, y) + x * a->output.pixel_pitch, a->output.channels);"""


def run_with(body: str, target: Target, work: Path, kernel: Kernel = ADD) -> Outcome:
    """Every case of an addition, its kernel replaced by ``body``; ``right`` is the true one."""
    right, wrong = data_root() / kernel.source, work / kernel.source
    wrong.parent.mkdir(parents=True)
    (work / "kernels/include").symlink_to(data_root() / "kernels/include")
    wrong.write_text(
        f'#define {kernel.symbol} right\n#include "{right}"\n#undef {kernel.symbol}\n'
        f"void {kernel.symbol}(const args *a);\n"
        f"void {kernel.symbol}(const args *a) {{ {body} }}\n"
    )
    return run(target, work, kernels=[kernel], sources=work)


@pytest.mark.parametrize("kernel", [ADD, WIDE], ids=lambda kernel: kernel.act)
@pytest.mark.parametrize("act", ACTS)
def test_sabotage_is_reported(
    tool: Callable[[str], str], tmp_path: Path, act: str, kernel: Kernel
) -> None:
    tool("gcc")
    body, kinds = ACTS[act]
    outcome = run_with(body, PLAIN, tmp_path, kernel)
    assert {said.split()[0] for said in outcome.failures.values()} == kinds
    assert len(outcome.failures) == len(outcome.trials)


@pytest.mark.parametrize("kernel", [ADD, WIDE], ids=lambda kernel: kernel.act)
def test_read_past_the_end_is_reported(
    tool: Callable[[str], str], tmp_path: Path, kernel: Kernel
) -> None:
    tool("gcc")
    body = f"right(a); {LAST} volatile element taken = last[1]; (void)taken;"
    with pytest.raises(AssertionError, match="AddressSanitizer"):
        run_with(body, host(1), tmp_path, kernel)


def test_work_done_by_every_core_is_reported(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("gcc")
    assert not run_with(NO_SHARING, PLAIN, tmp_path / "one").failures
    outcome = run_with(NO_SHARING, THREE_CORES, tmp_path / "three")
    assert {said.split()[0] for said in outcome.failures.values()} == {"writes"}
    assert len(outcome.failures) == len(outcome.trials)

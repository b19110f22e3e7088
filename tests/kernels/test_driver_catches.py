"""The driver notices what a wrong kernel does: a right addition with one act of sabotage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from catalogue.target import Outcome, Target, host, run

from deployer.kernelset.select import by_symbol
from deployer.resources import data_root

ADD = by_symbol("dpl_add_s8__ref")
PLAIN = Target("plain", "gcc", ("-O1",), "port_hosted.c")
THREE_CORES = replace(PLAIN, flags=("-O1", "-DDPL_CORES=3"))

FIRST = "int8_t *first = dpl_row_s8(&a->output, 0);"
LAST = """int8_t *last = dpl_row_s8(&a->output, a->output.height - 1) + a->output.channels - 1
    + (a->output.width - 1) * a->output.pixel_pitch;"""
ACTS = {
    "wrong value": (f"right(a); {FIRST} *first = (int8_t)~*first;", {"output"}),
    "byte before": (f"right(a); {FIRST} first[-1] = 0;", {"writes", "guard"}),
    "byte behind": (f"right(a); {LAST} last[1] = 0;", {"writes", "guard"}),
    "input changed": ("right(a); *dpl_row_s8(&a->left, 0) ^= 1;", {"input"}),
    "row left out": ("dpl_add_s8_args b = *a; b.output.height--; right(&b);", {"writes"}),
}
NO_SHARING = """for (int32_t y = 0; y < a->output.height; y++)
    for (int32_t x = 0; x < a->output.width; x++)
        run(a, dpl_row_s8(&a->left, y) + x * a->left.pixel_pitch,
            dpl_row_s8(&a->right, y) + x * a->right.pixel_pitch,
            dpl_row_s8(&a->output, y) + x * a->output.pixel_pitch, a->output.channels);"""


def run_with(body: str, target: Target, work: Path) -> Outcome:
    """Every case of the addition, its kernel replaced by ``body``; ``right`` is the true one."""
    right, wrong = data_root() / ADD.source, work / ADD.source
    wrong.parent.mkdir(parents=True)
    (work / "kernels/include").symlink_to(data_root() / "kernels/include")
    wrong.write_text(
        f'#define {ADD.symbol} right\n#include "{right}"\n#undef {ADD.symbol}\n'
        f"void {ADD.symbol}(const dpl_add_s8_args *a);\n"
        f"void {ADD.symbol}(const dpl_add_s8_args *a) {{ {body} }}\n"
    )
    return run(target, work, kernels=[ADD], sources=work)


@pytest.mark.parametrize("act", ACTS)
def test_sabotage_is_reported(tool: Callable[[str], str], tmp_path: Path, act: str) -> None:
    tool("gcc")
    body, kinds = ACTS[act]
    outcome = run_with(body, PLAIN, tmp_path)
    assert {said.split()[0] for said in outcome.failures.values()} == kinds
    assert len(outcome.failures) == len(outcome.trials)


def test_read_past_the_end_is_reported(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("gcc")
    body = f"right(a); {LAST} volatile int8_t taken = last[1]; (void)taken;"
    with pytest.raises(AssertionError, match="AddressSanitizer"):
        run_with(body, host(1), tmp_path)


def test_work_done_by_every_core_is_reported(tool: Callable[[str], str], tmp_path: Path) -> None:
    tool("gcc")
    assert not run_with(NO_SHARING, PLAIN, tmp_path / "one").failures
    outcome = run_with(NO_SHARING, THREE_CORES, tmp_path / "three")
    assert {said.split()[0] for said in outcome.failures.values()} == {"writes"}
    assert len(outcome.failures) == len(outcome.trials)

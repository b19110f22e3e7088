"""How often launches of seeded networks do what, and the costs a fit finds from made-up counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployer.analysis.launch import launches
from deployer.tools.bench.cost_fit import counts_of, fit
from deployer.tools.bench.cost_runs import Counted
from planned import pinned, planned

FOLDER = Path(__file__).parent / "pinned"
SPENT = {"call": 300, "row": 40, "element": 12, "mac": 3, "hop": 90, "read": 150}


@pytest.mark.parametrize("cores", [1, 8])
@pytest.mark.parametrize("name", ["patches", "residual", "pools"])
def test_the_terms_are_those_pinned(name: str, cores: int) -> None:
    rows = (
        f"{one.launch.output} {[s.kernel for s in one.launch.steps][:2]} {sorted(terms.items())}"
        for one, terms in _counted(name, cores)
    )
    pinned(FOLDER / f"{name}-{cores}-terms.txt", "\n".join(rows))


def test_cycles_are_told_an_instruction_of_each_kernel() -> None:
    counted = [one for one, _ in _counted("residual", 1)]
    found = fit(counted, 1)
    kernels = {one.launch.steps[0].kernel for one in counted if one.cycles}
    assert found.cpi.keys() == kernels
    assert all(value == pytest.approx(1.5) for value in found.cpi.values())
    assert found.launches == len(counted)
    assert found.worst < 0.01


def _counted(name: str, cores: int) -> Iterator[tuple[Counted, dict[tuple[str, str], float]]]:
    schedule = planned(name).schedule
    for launch in launches(schedule):
        if not launch.steps[0].kernel:
            continue
        empty = Counted(schedule.graph, launch, 0, 0.0)
        terms = counts_of(empty, cores)
        count = sum(SPENT.get(term, 0) * often for (_, term), often in terms.items())
        yield Counted(schedule.graph, launch, round(count), 1.5 * round(count)), terms

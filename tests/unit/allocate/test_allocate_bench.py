"""The public allocation instances: every one solved, proven and checked."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deployer.allocate.allocate import check, solve
from deployer.allocate.heuristics.bag import BAG, HEURISTICS
from deployer.allocate.instance import instance_of
from deployer.allocate.problem import problem_from_csv

FOLDER = Path(__file__).parents[4] / "shared" / "bench" / "allocation"
SETS = ("nas845", "nas845-shuffled", "nas2493-memorder")
ABOVE_THE_BOUND = ("c090", "c226", "c356", "c466", "c698", "c746")  # optimum above the live set


@pytest.fixture(scope="module")
def best(need: Callable[[str, bool], None]) -> dict[str, int]:
    """Best known height, proven, of every instance."""
    need("shared", FOLDER.is_dir())
    with (FOLDER / "manifest.csv").open() as file:
        return {row["name"]: int(row["best_known"]) for row in csv.DictReader(file)}


def archived(name: str, pick: Callable[[list[str]], list[str]]) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(FOLDER / f"{name}.zip") as archive:
        members = sorted(member for member in archive.namelist() if member.endswith(".csv"))
        for member in pick(members):
            yield member.removesuffix(".csv"), archive.read(member).decode()


def solves(best: dict[str, int], name: str, text: str) -> None:
    problem = problem_from_csv(text, alignment=1)
    plan = solve(problem)
    assert check(plan, problem) == ()
    assert (plan.arena, plan.status) == (best[name], "optimal"), name


def test_the_hand_made_networks(best: dict[str, int]) -> None:
    for path in sorted((FOLDER / "hand6").glob("*.csv")):
        solves(best, f"hand6/{path.stem}", path.read_text())


@pytest.mark.parametrize("name", SETS)
def test_every_cell_network(best: dict[str, int], name: str) -> None:
    for member, text in archived(name, list):
        solves(best, member, text)


@pytest.mark.parametrize("cell", ABOVE_THE_BOUND)
def test_an_optimum_above_the_live_set_is_proven(best: dict[str, int], cell: str) -> None:
    """Solved above already; here the bound itself must be the raised one."""
    name = f"nas845-shuffled/{cell}"
    ((_, text),) = archived("nas845-shuffled", lambda _: [f"{name}.csv"])
    problem = problem_from_csv(text, alignment=1)
    assert problem.bound < best[name] == solve(problem).bound


HEIGHTS = {  # MiB; table 2.5 of paper 001, which these instances reproduce
    "googlenet": (1.15, 1.15, 1.15, 1.15, 1.15),
    "inceptionv3": (1.98, 1.98, 2.05, 2.05, 1.98),
    "resnet18": (0.96, 0.96, 0.96, 0.96, 0.96),
    "mobilenetv1": (1.15, 1.15, 1.15, 1.15, 1.15),
    "mobilenetv2": (1.44, 1.44, 1.63, 1.63, 1.44),
    "densenet121": (1.91, 1.91, 2.11, 2.11, 1.72),
}


@pytest.mark.parametrize("name", HEIGHTS)
def test_the_heuristics_give_the_published_heights(name: str, best: dict[str, int]) -> None:
    text = (FOLDER / "hand6" / f"{name}.csv").read_text()
    instance = instance_of(problem_from_csv(text, alignment=1))
    found = [instance.height(HEURISTICS[heuristic](instance)) for heuristic in BAG]
    assert [round(height / 2**20, 2) for height in found] == list(HEIGHTS[name])

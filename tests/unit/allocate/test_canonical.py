"""The search for a packing of a given height: the compiled one, the one in Python, the truth."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings

from deployer.allocate import native_search, search
from deployer.allocate.canonical import PlainSearch
from deployer.allocate.heuristics.placing import place
from deployer.allocate.instance import Instance, instance_of
from deployer.allocate.native_search import NativeSearch, can_hold, library_path, search_library
from deployer.allocate.problem import Problem
from deployer.allocate.search import ORDERS, in_turns, pack, searching
from deployer.allocate.task import End, Task, task_of
from deployer.errors import BenchError
from deployer.ir.plan import Buffer
from unit.allocate.test_allocate_solvers import rectangles
from unit.allocate.test_pinned_hard_instances import gaps
from unit.allocate.test_search import crowd
from unit.ir.strategies import STEADY, problems

PLENTY = 100_000
SOURCES = Path(native_search.__file__).parent / "canonical"


@pytest.fixture(scope="module")
def native(need: Callable[[str, bool], None]) -> Callable[[Task], NativeSearch]:
    found = search_library()
    need("gcc", found is not None)
    return lambda task: NativeSearch(task, found)


def lowest(instance: Instance) -> int:
    """By every order in which buffers can be dropped into the first gap: one gives an optimum."""
    orders = permutations(range(instance.count))
    return min(instance.height(place(instance, order)) for order in orders)


def is_sound(instance: Instance, offsets: tuple[int, ...], height: int) -> bool:
    ends = [offset + size for offset, size in zip(offsets, instance.sizes, strict=True)]
    apart = all(
        ends[i] <= offsets[j] or ends[j] <= offsets[i]
        for i, j in instance.conflicts()
        if instance.sizes[i] and instance.sizes[j]
    )
    return apart and min(offsets, default=0) >= 0 and max(ends, default=0) <= height


@settings(STEADY, max_examples=60)
@given(problems(max_buffers=6, largest=9, alignment=1))
def test_an_answer_is_sound_and_none_is_the_truth(problem: Problem) -> None:
    instance = instance_of(problem)
    best = lowest(instance)
    for height in range(instance.bound, best + 2):
        found = pack(instance, height, PLENTY)
        assert (found.offsets is not None) == (height >= best)
        if found.offsets is None:
            assert height < found.least <= best
        else:
            assert is_sound(instance, found.offsets, height)


def tasks() -> Iterator[Task]:
    """At the bound, where some have no packing, and beside it."""
    instances = [crowd(seed) for seed in range(8)] + [gaps(seed) for seed in (7, 8, 36)]
    instances += [instance_of(rectangles(24 + 4 * seed, seed)) for seed in range(6)]
    for instance in instances:
        for height in (instance.bound, instance.bound + 3):
            yield task_of(instance, height, 400)[0]


def test_both_searches_visit_the_same_nodes(native: Callable[[Task], NativeSearch]) -> None:
    ends = set()
    for task in tasks():
        plain, quick = PlainSearch(task), native(task)
        for turn in range(8):
            order, limit = ORDERS[turn % 4], 10 << turn // 2
            told = plain.run(order, limit)
            assert quick.run(order, limit) == told
            assert quick.least == plain.least
            assert told[0] != End.FOUND or quick.offsets == plain.offsets
            ends.add(told[0])
        quick.close()
    assert ends == set(End)


@settings(STEADY, max_examples=60)
@given(problems())
def test_both_searches_end_alike(native: Callable[[Task], NativeSearch], problem: Problem) -> None:
    instance = instance_of(problem)
    for height in (instance.bound, instance.bound + 5):
        task, _ = task_of(instance, height, 300)
        plain, quick = PlainSearch(task), native(task)
        assert in_turns(plain, task.count, 300) == in_turns(quick, task.count, 300)
        assert (plain.least, plain.offsets) == (quick.least, quick.offsets[: len(plain.offsets)])
        quick.close()


def test_the_compiled_search_keeps_within_its_arrays(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    program = tmp_path / "checks"
    flags = ["-std=c11", "-O1", "-g1", "-Wall", "-Wextra", "-Werror"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{SOURCES}"]
    sources = [*sorted(SOURCES.glob("*.c")), Path(__file__).parent / "search_checks.c"]
    subprocess.run([tool("gcc"), *flags, "-o", program, *sources], check=True)
    runs, limit = 8, 40
    for task in tasks():
        plain = PlainSearch(task)
        told = [plain.run(ORDERS[turn % 4], limit << turn // 4) for turn in range(runs)]
        wanted = [f"{end} {nodes}" for end, nodes in told] + [str(plain.least)]
        wanted += map(str, plain.offsets if told[-1][0] == End.FOUND else ())
        assert _run(program, task, limit, runs) == wanted


def _run(program: Path, task: Task, limit: int, runs: int) -> list[str]:
    columns = (task.first, task.end, task.twin, task.sizes, task.spans)
    numbers = [task.height, task.budget, limit, runs, task.sections, task.count]
    numbers += [value for row in zip(*columns, strict=True) for value in row]
    given = " ".join(map(str, numbers))
    done = subprocess.run([program], input=given, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


def test_without_a_compiler_the_answer_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [pack(crowd(seed), crowd(seed).bound, 2000) for seed in range(8)]
    monkeypatch.setattr(search, "search_library", lambda: None)
    assert [pack(crowd(seed), crowd(seed).bound, 2000) for seed in range(8)] == found


@pytest.mark.parametrize("why", ["no compiler", "a compiler that refuses"])
def test_what_cannot_be_compiled_is_done_in_python(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> Path:
        raise BenchError("the search for packings does not compile")

    if why == "no compiler":
        monkeypatch.setattr(native_search, "COMPILER", "no-such-compiler")
    else:
        monkeypatch.setattr(native_search, "library_path", refuse)
    search_library.cache_clear()
    try:
        assert search_library() is None
        with searching(task_of(crowd(1), 30, 10)[0]) as found:
            assert isinstance(found, PlainSearch)
    finally:
        search_library.cache_clear()


def test_numbers_beyond_64_bits_are_left_to_python() -> None:
    large = 10**18
    rows = (Buffer("a", 0, 3, 9 * large), Buffer("b", 1, 2, large), Buffer("c", 2, 9, large))
    instance = instance_of(Problem(rows, (("sram", 100 * large),), 1))
    assert not can_hold(task_of(instance, 10 * large, 100)[0])
    found = pack(instance, 10 * large, 100)
    assert found.offsets is not None
    assert is_sound(instance, found.offsets, 10 * large)


def test_the_library_is_made_once_for_its_sources(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    tool("gcc")
    assert library_path(tmp_path) == library_path(tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".so"]


def test_buffers_of_no_bytes_lie_at_the_bottom() -> None:
    rows = (Buffer("a", 0, 3, 4), Buffer("none", 1, 2, 0), Buffer("b", 2, 5, 4))
    found = pack(instance_of(Problem(rows, (("sram", 100),), 1)), 8, 100)
    assert found.offsets is not None
    assert found.offsets[1] == 0


def test_hard_rectangles_are_solved_at_their_bound() -> None:
    """Nothing is left over in them; the heuristics miss all by a tenth or more."""
    for seed in range(1, 9):
        instance = instance_of(rectangles(36, seed))
        found = pack(instance, instance.bound, 20_000)
        assert found.offsets is not None, seed
        assert is_sound(instance, found.offsets, instance.bound)


def test_the_order_of_buffers_may_change_the_packing_but_not_the_proof() -> None:
    for seed in range(6):
        instance = crowd(seed)
        order = random.Random(seed).sample(range(instance.count), instance.count)
        rows = [(instance.lowers[i], instance.uppers[i], instance.sizes[i]) for i in order]
        mixed = instance_of(
            Problem(
                tuple(Buffer(f"b{k}", *row) for k, row in enumerate(rows)), (("sram", 9_999),), 1
            )
        )
        for height in range(instance.bound, instance.bound + 3):
            first, second = (pack(each, height, PLENTY) for each in (instance, mixed))
            assert (first.offsets is None) == (second.offsets is None)

"""Which kernels go into the memory for code: never more than it holds, and those that do most."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.analysis.cost import node_macs
from deployer.board.load import load_board
from deployer.build.objects import CodeSize
from deployer.codegen.linker import linker_script
from deployer.errors import UsageError
from deployer.pipeline.itcm import CALL_BYTES, ITCM_FILE, choose_itcm, work_by_source
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.schedule.order import schedule
from unit.ir.nets import resnet8
from unit.ir.strategies import STEADY

UNIT = 8


NETWORK = schedule(resnet8(), ["cortex_m", "ref"])
SOURCES = sorted(work_by_source(NETWORK))
SIZES = st.builds(CodeSize, st.integers(0, 6000), st.integers(0, 9))


def taken(size: CodeSize) -> int:
    return -(-(size.bytes + CALL_BYTES * size.calls) // UNIT) * UNIT


@settings(STEADY, max_examples=50)
@given(st.lists(SIZES, min_size=len(SOURCES), max_size=len(SOURCES)), st.integers(0, 20_000))
def test_the_choice_fits_and_no_other_does_more(sizes: list[CodeSize], room: int) -> None:
    table, work = dict(zip(SOURCES, sizes, strict=True)), work_by_source(NETWORK)
    chosen = choose_itcm(NETWORK, table, room)
    assert sum(table[name].bytes for name in chosen) <= room
    every = (some for n in range(len(SOURCES) + 1) for some in combinations(SOURCES, n))
    fitting = (some for some in every if sum(taken(table[name]) for name in some) <= room // 8 * 8)
    most = max(sum(work[name] for name in some) for some in fitting)
    assert sum(work[name] for name in chosen) == most


def test_work_is_that_of_the_steps() -> None:
    work, graph = work_by_source(NETWORK), NETWORK.graph
    done = {node.name: node_macs(graph, node) for node in graph.nodes}
    written = {node.name: graph.values[node.output].elements for node in graph.nodes}
    names = [step.node for step in NETWORK.steps]
    assert sum(work.values()) == len(SOURCES) + sum(done[n] + written[n] for n in names)
    assert "conv2d" in max(work, key=work.__getitem__)


def test_an_empty_room_takes_nothing() -> None:
    assert choose_itcm(NETWORK, {name: CodeSize(100, 0) for name in SOURCES}, 0) == ()


@pytest.mark.parametrize("board", ["gap8", "rpi3", "host"])
def test_boards_without_such_a_memory_refuse(board: str) -> None:
    with pytest.raises(UsageError, match="--hot-code itcm") as caught:
        make_job(Path("net.onnx"), board, options=Options(hot_code="itcm"))
    assert caught.value.exit_status == 2
    assert "--hot-code off" in str(caught.value)


@pytest.mark.parametrize("name", ["nucleo-f767zi", "qemu-mps2-an500"])
def test_hot_code_is_counted_where_it_runs_and_in_the_image(name: str) -> None:
    script = linker_script(load_board(name), {}, itcm_file=ITCM_FILE)
    assert f"INCLUDE {ITCM_FILE}" in script
    assert "ASSERT(SIZEOF(.dpl_itcm) <= LENGTH(itcm)" in script
    assert "SIZEOF(.vectors) + SIZEOF(.dpl_itcm) + SIZEOF(.text)" in script
    assert script.index(".dpl_itcm ORIGIN(itcm) + 256 :") < script.index(".text :")
    assert "hot" not in linker_script(load_board(name), {})


def test_a_script_of_a_board_without_such_a_memory_is_refused() -> None:
    with pytest.raises(UsageError, match=r"\[place\] hot"):
        linker_script(load_board("gap8"), {}, itcm_file=ITCM_FILE)

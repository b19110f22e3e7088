"""Boards with other sizes of memory."""

from __future__ import annotations

import pytest

from deployer.board.load import load_board
from deployer.errors import UsageError
from deployer.tools.bench.tiles_networks import model_of, require_known
from deployer.tools.bench.tiles_setting import Setting, inner_memory, require_runner, resized
from unit.tools.bench.tiled_rows import KIB, board


def test_only_the_sizes_change() -> None:
    found = resized(board(), Setting("dory", outer=256 * KIB, inner=32 * KIB))
    assert (found.memory("l2").size, found.memory("l1").size) == (256 * KIB, 32 * KIB)
    assert found.memory("l2").base == board().memory("l2").base
    assert resized(board(), Setting("cost")) == board()


def test_a_larger_memory_leaves_as_much_free_while_it_is_loaded() -> None:
    chip = load_board("gap8")
    kept = chip.memory("l2").size - chip.memory("l2").loaded
    larger = resized(chip, Setting("cost", outer=4096 * KIB)).memory("l2")
    assert larger.size - larger.loaded == kept > 0
    smaller = resized(chip, Setting("cost", outer=256 * KIB)).memory("l2")
    assert smaller.loaded == chip.memory("l2").loaded


def test_an_inner_memory_full_of_stacks_is_refused() -> None:
    with pytest.raises(UsageError, match="no room for tiles"):
        resized(board(), Setting("cost", inner=8 * KIB))


def test_an_unknown_tiler_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="dory"):
        resized(board(), Setting("best"))


def test_a_flat_board_has_no_tiles() -> None:
    with pytest.raises(UsageError, match="no memory of level 1"):
        inner_memory(load_board("nucleo-f767zi"))


@pytest.mark.parametrize("runner", ["pyocd", "qemu_system"])
def test_a_runner_must_run_the_board_s_own_image(runner: str) -> None:
    with pytest.raises(UsageError, match=runner):
        require_runner(board(), runner)
    require_runner(board(), "gap8_sim")


def test_a_model_is_a_network_or_a_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    require_known(("resnet8", __file__))
    with pytest.raises(UsageError, match="cifar10"):
        require_known(("resnet88",))
    path, options = model_of("cifar10", tmp_path)
    assert path.is_file()
    assert options.calibration is not None

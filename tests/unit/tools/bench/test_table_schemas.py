"""What tables say of themselves to programs that read them."""

from __future__ import annotations

import pytest

from deployer.tools.bench import (
    board_time_table,
    counts_gate,
    model_time_table,
    tiled_kernels_table,
    tiles_facts,
)


@pytest.mark.parametrize(
    "module",
    [board_time_table, counts_gate, model_time_table, tiled_kernels_table, tiles_facts],
    ids=lambda module: module.__name__,
)
def test_files_of_this_version_are_of_the_schema_documented(module: object) -> None:
    """A reader of an earlier file refuses another number (docs/bench.md)."""
    assert module.SCHEMA == 1  # type: ignore[attr-defined]

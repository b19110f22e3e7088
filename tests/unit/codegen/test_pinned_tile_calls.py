"""What steps in tiles by chance set, load and store: every form of transfer there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deployer.codegen import tile_step
from deployer.codegen.network import generate
from planned import pinned
from unit.codegen.test_tiles_c import NETS, SEEDS, kernel_named, planned, tiles_of

FOLDER = Path(__file__).parent / "pinned"
INSIDE = re.compile(r"^ +(.*\S)$", re.M)  # of a function or a struct
TRANSFERS = (
    *("dpl_dma_in", "dpl_dma_in_lines", "dpl_dma_out", "dpl_dma_out_lines", "dpl_load_boxes"),
    *("dpl_store_boxes", "dpl_load_padded_rows", "dpl_load_padded_boxes"),
)


def _source(net: str, seed: int, *, padded: bool) -> str:
    order, plan = planned(net)
    tiles = tiles_of(net, seed, padded=padded)
    return generate(order, plan, version="0", options=(), tiles=tiles)["network.c"]


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    found = {}
    for padded in (False, True):
        monkeypatch.setattr(
            tile_step,
            "by_symbol",
            lambda symbol, padded=padded: kernel_named(symbol, padded=padded),
        )
        for net in NETS:
            for seed in SEEDS:
                name = f"{net} {seed} {'padded' if padded else 'plain'}"
                found[name] = _source(net, seed, padded=padded)
    return found


def test_what_tiles_set_and_move_is_pinned(sources: dict[str, str]) -> None:
    """Each line once."""
    lines = dict.fromkeys(
        line for name, source in sources.items() for line in [f"== {name}", *INSIDE.findall(source)]
    )
    pinned(FOLDER / "tile-calls.txt", "\n".join(lines))


def test_every_form_of_transfer_is_among_them(sources: dict[str, str]) -> None:
    whole = "\n".join(sources.values())
    assert not [name for name in TRANSFERS if f" {name}(" not in whole]

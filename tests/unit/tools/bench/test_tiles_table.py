"""Tables of networks in tiles: sums, rates, and who is faster."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deployer.board.points import at_point
from deployer.tools.bench.row import FAILED
from deployer.tools.bench.tiles import TilesRun
from deployer.tools.bench.tiles_facts import tiles_table_facts
from deployer.tools.bench.tiles_table import tiles_markdown
from unit.tools.bench.tiled_rows import board, coarse, row, run, too_large


def tables(text: str) -> list[list[dict[str, str]]]:
    """The rows of each table, by column."""
    found = []
    for part in text.split("\n\n"):
        lines = [line for line in part.splitlines() if line.startswith("|")]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        if cells:
            found.append([dict(zip(cells[0], each, strict=True)) for each in cells[2:]])
    return found


def test_a_row_tells_cycles_rate_time_and_estimate() -> None:
    (found,) = tables(tiles_markdown(tiles_table_facts(board(), [row(1200, 2400, 400)])))[0]
    assert found["cycles, gap8_sim"] == "4,000"
    assert found["MAC/cycle"] == "3.00"
    assert found["ms"] == f"{1000 * 4000 / 175e6:.3g}"
    assert found["estimated"] == "3,000"
    assert found["in tiles"] == "90%"
    assert found["simulated / estimated"] == "1.20"
    assert found["waits"] == "10.0%"
    assert (found["l1"], found["l2"], found["outcome"]) == ("64 KiB", "512 KiB", "exact")


def test_runners_stand_side_by_side() -> None:
    both = row(1000, 2000, 0, more=(run(1050, 2100, 0, runner="gvsoc"),))
    (found,) = tables(tiles_markdown(tiles_table_facts(board(), [both])))[0]
    assert (found["cycles, gap8_sim"], found["cycles, gvsoc"]) == ("3,000", "3,150")
    assert found["of the first"] == "105.0%"


def test_what_does_not_fit_is_a_row_that_says_so() -> None:
    fits, found = tables(tiles_markdown(tiles_table_facts(board(), [row(1, 1, 1), too_large()])))[0]
    assert fits["outcome"] == "exact"
    assert found["outcome"] == "**does not fit** the plan needs / more"
    assert found["l1"] == "22 KiB"
    assert not found["cycles, gap8_sim"]


def test_a_runner_that_fails_leaves_the_other_one_s_figures() -> None:
    failed = TilesRun("gvsoc", FAILED, "gapy is not here")
    worst = replace(row(1000, 2000, 0, more=(failed,)), outcome=FAILED)
    (found,) = tables(tiles_markdown(tiles_table_facts(board(), [worst])))[0]
    assert found["outcome"] == "**failed** gvsoc gapy is not here"
    assert (found["cycles, gap8_sim"], found["cycles, gvsoc"]) == ("3,000", "")


def test_kinds_tell_where_the_estimate_is_off() -> None:
    conv, table = tables(tiles_markdown(tiles_table_facts(board(), [row(1500, 2000, 400)])))[1]
    assert (conv["layers"], conv["cycles"], conv["estimated"]) == ("2", "3,500", "3,000")
    assert conv["simulated / estimated"] == f"{3500 / 3000:.2f}"
    assert (conv["least"], conv["most"]) == ("1.00 net second", "1.50 net first")
    assert (table["estimated"], table["simulated / estimated"]) == ("", "no tiles")


def test_tilers_are_compared_in_one_setting_only() -> None:
    theirs = coarse(row(900, 2600, 0, tiler="dory"))
    facts = tiles_table_facts(board(), [row(1000, 2000, 0), theirs, row(9, 9, 9, inner=32)])
    (pair,) = facts["against"]
    assert (pair["tiler"], pair["ours"], pair["theirs"]) == ("dory", 3000, 3500)
    assert (pair["layers"], pair["slower"]) == (2, 1)
    assert pair["worst"] == (pytest.approx(1000 / 900), "first")
    assert pair["best"] == (pytest.approx(2000 / 2600), "second")
    (found,) = tables(tiles_markdown(facts))[2]
    assert found["worst"] == "+11.1% first"


def test_layers_that_are_cut_alike_are_not_compared() -> None:
    facts = tiles_table_facts(board(), [row(1000, 2000, 0), row(900, 2600, 0, tiler="dory")])
    (pair,) = facts["against"]
    assert (pair["layers"], pair["slower"], pair["worst"]) == (0, 0, None)
    (found,) = tables(tiles_markdown(facts))[2]
    assert (found["cut otherwise"], found["worst"]) == ("0", "")


def test_layers_in_which_ours_is_slower_are_told() -> None:
    alike = tiles_table_facts(board(), [row(1000, 2100, 9), row(900, 2000, 8, tiler="dory")])
    assert (
        "net, 64 KiB of 512 KiB: layers slower than dory: 0 with other tiles, "
        "2 with the same tiles (worst +11.1% first)\n"
    ) in tiles_markdown(alike)
    assert alike["against"][0]["slower_layers"]["otherwise"] == []
    theirs = coarse(row(900, 2600, 8, tiler="dory"))
    otherwise = tiles_markdown(tiles_table_facts(board(), [row(1000, 2000, 9), theirs]))
    assert "1 with other tiles (worst +11.1% first), 0 with the same tiles\n" in otherwise


def test_layers_are_compared_by_name_and_shape() -> None:
    """A tiler whose layers fit otherwise may have others, in parts."""
    theirs = row(1, 2600, 8, tiler="dory")
    first = {**theirs.layers[0], "name": "first.0", "shape": [1, 4, 8, 16]}
    others = replace(theirs, layers=(first, *theirs.layers[1:]))
    (pair,) = tiles_table_facts(board(), [row(1000, 2700, 9), others])["against"]
    assert [name for _, name in pair["slower_layers"]["alike"]] == ["second"]
    shorter = replace(
        theirs, layers=({**theirs.layers[0], "shape": [1, 4, 8, 16]}, *others.layers[1:])
    )
    (pair,) = tiles_table_facts(board(), [row(1000, 2000, 9), shorter])["against"]
    assert pair["slower_layers"] == {"otherwise": [], "alike": [], "fetched": []}


def test_layers_that_wait_for_weights_are_told_apart() -> None:
    ours, theirs = row(1000, 2100, 9), coarse(row(900, 2000, 8, tiler="dory"))
    late = replace(theirs, streamed={"bytes": 4, "stalled": 100, "stalls": {"first": 100}})
    facts = tiles_table_facts(board(), [ours, late])
    assert facts["against"][0]["worst"] == (pytest.approx(2100 / 2000), "second")
    assert (
        "1 with other tiles (worst +5.0% second), 0 with the same tiles, "
        "1 that wait for weights (worst +11.1% first)\n"
    ) in tiles_markdown(facts)


def test_fetched_weights_and_stalls_are_part_of_the_estimate() -> None:
    streamed = replace(row(1500, 2500, 0), streamed={"bytes": 4096, "stalled": 1000, "stalls": {}})
    facts = tiles_table_facts(board(), [streamed, row(1000, 2000, 0)])
    one, other = tables(tiles_markdown(facts))[0]
    assert (one["fetched, B"], one["stalls"], one["estimated"]) == ("4,096", "25.0%", "4,000")
    assert one["simulated / estimated"] == "1.00"
    assert (other["fetched, B"], other["estimated"]) == ("", "3,000")


def test_layers_on_demand() -> None:
    facts = tiles_table_facts(board(), [row(1000, 4000, 50)])
    assert "4x8x16" not in tiles_markdown(facts)
    first, _, table = tables(tiles_markdown(facts, layers=True))[2]
    assert (first["tile"], first["tiles"], first["cycles"]) == ("4x8x16", "2", "1,000")
    assert (first["busy"], first["waits"], first["MAC/cycle"]) == ("75%", "10%", "4.00")
    assert (table["tile"], table["cycles"]) == ("", "50")


def test_facts_are_json() -> None:
    facts = json.loads(json.dumps(tiles_table_facts(board(), [row(1, 2, 3), too_large()])))
    assert facts["clock_hz"] == 175_000_000
    assert facts["stacks"] == 8 * 1024
    assert facts["rows"][0]["runs"][0]["cycles"] == 6
    assert tiles_markdown(facts) == tiles_markdown(
        tiles_table_facts(board(), [row(1, 2, 3), too_large()])
    )


def test_clocks_that_differ_are_told() -> None:
    """Of an operating point at which the core that leads is faster than those that it leads."""
    both = at_point(board(), "250-175MHz")
    facts = tiles_table_facts(both, [row(1750, 0, 0)])
    (found,) = tables(text := tiles_markdown(facts))[0]
    assert found["ms"] == "0.01"
    assert "ms at 175 MHz, the core that leads and the outer memory at 250 MHz." in text
    assert "ms at 175 MHz.\n" in tiles_markdown(tiles_table_facts(board(), [row(1750, 0, 0)]))
    assert facts["point"] == "250-175MHz"

"""What checks, runs and lists of tools print, 120 columns wide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deployer.cli.render_lists import print_tools
from deployer.cli.render_report import print_report
from deployer.cli.render_survey import print_survey
from planned import CASES, pinned, planned, surveyed

FOLDER = Path(__file__).parent / "pinned"
GOLDEN = {"match": True, "elements": 12_345, "samples": 3, "first_differing_layer": None}
ACCURACY = {
    "samples": 40,
    "float": 0.925,
    "host_integer": None,
    "device": 0.9,
    "agreement": 0.975,
    "differing_samples": 2,
}


def report(name: str, **changes: Any) -> dict[str, Any]:
    """Of a case as its plan has it, with numbers that nobody measured."""
    found, facts = planned(name), surveyed(name).facts
    rows = [
        {**row, "sqnr_db": None if i == 1 else 30.0 + i, "match": i != 2, "count": 1000 * i + 7}
        for i, row in enumerate(facts["layers"])
    ]
    return {
        "board": found.job.board.name,
        "target": "twin",
        "image": {"of": "twin", "note": "linked for twin"},
        "runner": "qemu_system",
        "model": facts["model"],
        "options": {
            "scheme": "multiply-shift",
            "calibration": {"calibrate": "minmax", "equalize": True, "bias_correction": True},
        },
        "widths": "int8",
        "toolchain": {"compiler": "gcc 1.2"},
        "counter": {"kind": "counted", "unit": "cycles", "clock_hz": 216_000_000},
        "golden": GOLDEN,
        "float": {"samples": 3, "sqnr_db": 31.26, "top1_agreement": 0.5, "synthetic": True},
        "accuracy": ACCURACY,
        "warnings": ["calibrated on noise"],
        "memory": _memory(facts),
        "restructured": facts["restructured"],
        "shared": facts["shared"],
        "layers": rows,
        **changes,
    }


def _memory(facts: dict[str, Any]) -> dict[str, Any]:
    return {
        "stack_used": 1500,
        "ram_network": 80_000,
        "arena": facts["arena"]["bytes"],
        "status": facts["arena"]["status"],
        "arena_by_memory": facts["arena"]["by_memory"],
        "waits": facts["arena"]["waits"],
        "stack": 4096,
        "ram": 90_000,
        "static": 5000,
        "input_copy": 800,
        "input_copy_in": "sram",
        "flash": 200_000,
        "weights": 150_000,
        "code": 50_000,
        "copied_weights": {"by_memory": {"dtcm": 4000, "sram": 20}, "saves": 12_345},
        "streamed": facts["streamed"],
        "spilled": facts["spilled"],
        "hot_code": {"functions": ["a", "b"], "bytes": 2048, "memory": "itcm"},
        "limits": {"flash": 2 << 20, "sram": 393_216},
    }


@pytest.mark.parametrize("name", ["patches", "fetched", "residual", "spilled"])
def test_a_report_prints_what_is_pinned(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(report(name))
    pinned(FOLDER / f"{name}-report.txt", capsys.readouterr().out)


def test_what_is_not_known_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    full = report("residual")
    bare = dict.fromkeys(("copied_weights", "hot_code", "streamed", "waits", "stack_used"))
    print_report(
        report(
            "residual",
            target="nucleo-f767zi",
            image=None,
            accuracy=None,
            warnings=[],
            shared=None,
            memory={**full["memory"], **bare},
            counter={"kind": "none", "unit": "", "clock_hz": 0},
            device={},
            golden={**GOLDEN, "match": False, "first_differing_layer": "conv_0"},
        )
    )
    pinned(FOLDER / "residual-bare-report.txt", capsys.readouterr().out)


def test_tools_print_what_is_pinned(capsys: pytest.CaptureFixture[str]) -> None:
    shown = {"enables": "emulated runs", "install": "apt install it"}
    versions = ("QEMU emulator version 8.2.2 (Debian 1:8.2.2+ds)", "", "gcc 13", "unknown")
    rows = [{"name": f"tool {i}", "version": text, **shown} for i, text in enumerate(versions)]
    print_tools(rows, ["probe: none", "serial port: [none]"])
    pinned(FOLDER / "tools.txt", capsys.readouterr().out)


@pytest.mark.parametrize("name", CASES)
def test_a_check_prints_what_is_pinned(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = surveyed(name)
    print_survey(found.facts, found.profile)
    pinned(FOLDER / f"{name}.txt", capsys.readouterr().out)

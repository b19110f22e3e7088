"""``deployer check``: everything about a network at once, whether it fits, does not, or cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import onnx
import pytest

from deployer.resources import data_root
from deployer.tools.zoo.build import draw, save
from models import ModelBuilder, residual_net

Run = Callable[..., Any]
BOARD = ("-b", "nucleo-f767zi")


def saved(model: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "net.onnx"
    onnx.save(model, path)
    return path


def too_large(side: int = 256, neurons: int = 1750) -> onnx.ModelProto:
    """Two maps of 1 MiB and 3 MiB of weights: neither RAM nor flash of the board."""
    s = ModelBuilder(1)
    x = s.conv(s.input(1, 3, side, side), (16, 3, 1, 1))
    x = s.conv(s.relu(x), (16, 16, 1, 1), strides=[side, side])
    return s.model(s.gemm(s.gemm(s.node("Flatten", x), 16, neurons), neurons, neurons))


def unsupported() -> onnx.ModelProto:
    """Three nodes of two operators, and one that breaks a constraint; two know their module."""
    s = ModelBuilder(1)
    x = s.conv(s.input(1, 4, 8, 8), (4, 4, 3, 3))
    x = s.node("Hardmax", s.node("LpNormalization", s.node("LpNormalization", x)))
    model = s.model(s.node("Softmax", x, axis=0))
    for node, scope in zip(
        model.graph.node[1:3], ("features.0.act", "features.1.act"), strict=True
    ):
        entry = node.metadata_props.add()
        entry.key, entry.value = "pkg.torch.onnx.name_scopes", str(["", scope, "sin"])
    return model


@pytest.fixture
def facts(deployer: Run, tmp_path: Path) -> Callable[[onnx.ModelProto], tuple[Any, dict[str, Any]]]:
    """The outcome of check --json, and what it printed."""

    def call(model: onnx.ModelProto) -> tuple[Any, dict[str, Any]]:
        done = deployer("check", *BOARD, "--json", saved(model, tmp_path))
        return done, json.loads(done.out)

    return call


def test_a_network_that_fits_is_told_in_full(facts: Any) -> None:
    done, told = facts(residual_net())
    assert done.status == 0
    assert (told["fits"], told["refusal"], told["other_boards"]) == (True, None, [])
    assert sum(told["operators"].values()) == len(told["layers"])
    assert sum(row["macs"] for row in told["layers"]) == told["model"]["macs"]
    assert sum(row["macs_share"] for row in told["layers"]) == pytest.approx(1)
    assert told["arena"]["bytes"] >= told["arena"]["bound"]
    peaks = [row for row in told["layers"] if row["peak"]]
    assert [row["name"] for row in peaks] == [told["arena"]["peak"]["layer"]]
    assert peaks[0]["alive_bytes"] == sum(told["arena"]["peak"]["alive"].values())
    assert peaks[0]["alive_bytes"] == max(row["alive_bytes"] for row in told["layers"])
    assert all(row["excess"] == row["used"] - row["size"] <= 0 for row in told["memories"])


def test_ram_and_flash_are_refused_together_with_all_layers(facts: Any) -> None:
    done, told = facts(too_large())
    assert done.status == 4
    assert told["fits"] is False
    assert len(told["layers"]) == 4
    over = {row["memory"] for row in told["memories"] if row["excess"] > 0}
    assert {"flash", "sram"} <= over
    assert all(f"'{name}'" in told["refusal"]["what"] for name in over)
    why = "\n".join(told["refusal"]["why"])
    assert "alive together" in why
    assert "largest weights" in why
    assert "alive together: relu_1_out" in why
    assert told["other_boards"] == ["host", "rpi3", "rpi3-32"]
    assert "error: net does not fit" in done.err


def wide(side: int = 400) -> onnx.ModelProto:
    """Maps of 1.6 MB that no patches bring below 512 KiB, since the input alone takes more."""
    s = ModelBuilder(1)
    x = s.conv(s.input(1, 4, side, side), (10, 4, 3, 3))
    return s.model(s.conv(s.relu(x), (4, 10, 3, 3), strides=[8, 8]))


def errors(text: str) -> list[str]:
    lines = text.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("error: ")) :]


@pytest.mark.parametrize(
    ("model", "large"),
    [(too_large(64, 500), True), (wide(136), False)],
    ids=["too_large", "wide"],
)
@pytest.mark.parametrize("asked", [(), ("--restructure", "off"), ("--ram", "4KiB")])
def test_a_run_is_refused_in_the_words_of_a_check(
    deployer: Run, tmp_path: Path, model: onnx.ModelProto, large: bool, asked: tuple[str, ...]
) -> None:
    """On a board of an eighth: a map of 64 KiB and 250 KiB of weights, or an input of 72 KiB."""
    board = small_board(tmp_path, flash="128KiB", sram="48KiB", dtcm="16KiB")
    path = saved(model, tmp_path)
    check = deployer("check", *board, *asked, path)
    run = deployer("run", *board, *asked, "-o", tmp_path, path)
    assert (check.status, run.status) == (4, 4)
    assert errors(run.err) == errors(check.err)
    assert ("flash needs" in run.err) == large


def small_board(folder: Path, **sizes: str) -> tuple[str, ...]:
    """Options that name the nucleo with other sizes of memories."""
    text = (data_root() / "boards" / "nucleo-f767zi.toml").read_text()
    text = text.replace('"nucleo-f767zi"', '"small"', 1)
    for name, size in sizes.items():
        text, count = re.subn(
            rf'("{name}"\n(?:.*\n)*?size +)= ".*"', rf'\1= "{size}"', text, count=1
        )
        assert count == 1
    (folder / "small.toml").write_text(text)
    return "--board-dir", str(folder), "-b", "small"


def test_activations_that_would_fit_are_told_with_the_option(deployer: Run, tmp_path: Path) -> None:
    board = small_board(tmp_path, flash="64KiB")
    path = tmp_path / "net.onnx"
    save(draw("upydnet", resolution=(96, 80)), path)
    told = json.loads(deployer("check", *board, "--json", path).out)
    near, refusal = told["nearest"], told["refusal"]
    used = {row["memory"]: row["used"] for row in near["memories"]}
    enough = f"sram is enough with {near['options']}: {used['sram']:,} B of 393,216 B"
    assert enough in refusal["why"]
    assert refusal["what"] == "net does not fit 'flash' and 'sram' on small"
    assert not any("an input of about" in hint for hint in refusal["hints"])
    again = json.loads(deployer("check", *board, "--json", *near["options"].split(), path).out)
    assert {row["memory"]: row["used"] for row in again["memories"]} == used
    assert again["refusal"]["what"] == "net does not fit 'flash' on small"


def test_the_figure_of_what_never_fits_is_that_of_the_best_plan(facts: Any) -> None:
    _, told = facts(wide())
    near, why = told["nearest"], told["refusal"]["why"]
    over = [row for row in near["memories"] if row["excess"] > 0]
    for row, line in zip(over, why, strict=False):
        assert line.startswith(f"{row['memory']} needs {row['used']:,} B of {row['size']:,} B")
    asked = [f"{r['memory']} needs {r['used']:,} B" for r in told["memories"] if r["excess"] > 0]
    before = f"with {near['options']}, the best plan found; without it {', '.join(asked)}"
    assert why[len(over)] == before
    assert sum(row["excess"] for row in over) < sum(
        max(row["excess"], 0) for row in told["memories"]
    )


def test_int8_that_would_fit_is_told_to_who_asked_for_more(
    deployer: Run, small_model: Path, tmp_path: Path
) -> None:
    least = "--bits", "16", "--restructure", "off", "--optimize", "ram"
    facts = json.loads(deployer("check", *BOARD, "--json", *least, small_model).out)
    size = facts["arena"]["bytes"] - 1024
    board = small_board(tmp_path, sram=f"{size}B", dtcm="8KiB")
    assert deployer("check", *board, small_model).status == 0
    done = deployer("check", *board, "--bits", "16", "--restructure", "off", small_model)
    assert done.status == 4
    assert "with int8 activations it fits: --bits 8" in done.err


def test_what_does_not_fit_is_printed_before_the_error(deployer: Run, tmp_path: Path) -> None:
    done = deployer("check", *BOARD, saved(too_large(), tmp_path))
    assert done.status == 4
    assert "conv_0" in done.out
    assert "peak" in done.out
    assert "as it is, it fits host, rpi3, rpi3-32" in done.out
    assert "error: net does not fit" in done.err
    assert "alive together" in done.err


def test_every_unsupported_node_with_its_module_and_a_way_out(facts: Any) -> None:
    done, told = facts(unsupported())
    assert done.status == 3
    reasons = told["refusal"]["reasons"]
    assert [reason["operator"] for reason in reasons] == [
        *("LpNormalization", "LpNormalization", "Hardmax", "Softmax")
    ]
    assert [reason["module"] for reason in reasons][:2] == ["features.0.act", "features.1.act"]
    assert "axis=0" in reasons[3]["problem"]
    assert all(reason["node"] and reason["hint"] for reason in reasons)
    assert told["refusal"]["exit_status"] == 3
    assert "cannot be deployed" in done.err


def test_unsupported_nodes_are_grouped_under_their_reason(deployer: Run, tmp_path: Path) -> None:
    done = deployer("check", *BOARD, saved(unsupported(), tmp_path))
    assert done.status == 3
    assert done.out.count("LpNormalization: not supported") == 1
    assert "lpnormalization_1  in features.0.act" in done.out
    assert "lpnormalization_2  in features.1.act" in done.out
    assert done.out.count("try:") == 3
    assert "4 of 5 nodes" in done.err


def test_nodes_without_a_kernel_are_listed_together(
    facts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deployer.kernelset import ref

    select = import_module("deployer.kernelset.select")

    kept = tuple(kernel for kernel in ref.KERNELS if kernel.op not in {"Add", "AveragePool"})
    monkeypatch.setattr(select, "_FAMILIES", {"ref": kept, "cortex_m": ()})
    done, told = facts(residual_net())
    assert done.status == 3
    operators = [reason["operator"] for reason in told["refusal"]["reasons"]]
    assert operators == ["Add", "Add", "AveragePool"]


def test_a_file_that_is_no_model_has_no_table(deployer: Run, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(b"not a model")
    done = deployer("check", *BOARD, path)
    assert (done.status, done.out) == (3, "")
    assert json.loads(deployer("check", *BOARD, "--json", path).out)["refusal"]["reasons"] == []


def test_a_plan_that_was_made_is_drawn(deployer: Run, small_model: Path, tmp_path: Path) -> None:
    done = deployer("run", *BOARD, "--until", "allocate", "-o", tmp_path, small_model)
    assert done.status == 0, done.err
    job, page = tmp_path / "residual-nucleo-f767zi", tmp_path / "page.html"
    done = deployer("inspect", job, "-o", page)
    assert (done.status, done.out.strip()) == (0, str(page))
    text = page.read_text()
    assert "residual on nucleo-f767zi" in text
    assert "dtcm 131,072 B" in text  # it waits least

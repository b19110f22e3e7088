"""--kernels cmsis-nn: networks through a stand-in with CMSIS-NN's arithmetic.

And through the library itself where DEPLOYER_CMSIS_NN=LIB.a,INCLUDE names a build for single
rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deployer.board.model import Board
from deployer.build.cmsis_nn import VARIABLE, Library
from deployer.cli.main import main
from deployer.errors import BenchError, MismatchError, UsageError
from deployer.kernelset.select import by_symbol
from deployer.pipeline.job import Job, make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import require_match, run_job
from deployer.pipeline.stages import execute
from deployer.tools.zoo.build import save
from deployer.tools.zoo.builder import NetworkBuilder
from emulated.test_reference_models import MODELS
from fakes.cmsis_nn_library import HEADERS, build, given_library
from fakes.cmsis_nn_network import called_layers

BOARD = "nucleo-f767zi"
OPERATORS = {"Conv2d", "DepthwiseConv2d", "FullyConnected", "Add", "MaxPool", "AveragePool"}
OTHERS = {"ConvTranspose2d", "Mul"}


@pytest.fixture(scope="module")
def library(twin: Board, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Library]:
    """library(*defines, cflags): the stand-in, for single rounding unless told otherwise."""

    def made(*defines: str, cflags: tuple[str, ...] = ()) -> Library:
        folder = tmp_path_factory.mktemp("library")
        return build(folder, cflags or twin.toolchain.cflags, *(defines or ("SINGLE",)))

    return made


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every operator that is called, twice where it can be, and Concats of what they make."""
    s = NetworkBuilder("every", norm=False, slope=0.2)
    x = called_layers(s)
    path = tmp_path_factory.mktemp("network") / "every.onnx"
    save(s.network(output=s.dense(s.pooled(x), 5)), path)
    return path


def job_of(model: Path, given: Library, folder: Path, **options: Any) -> Job:
    chosen = Options(
        kernels="cmsis-nn",
        cmsis_nn_lib=given.archive,
        cmsis_nn_include=given.include,
        equalize="off",
        bias_correction="off",
        golden_samples=2,
        **options,
    )
    return make_job(model, BOARD, options=chosen, output=folder)


def proved(job: Job) -> dict[str, Any]:
    return run_job(job, execute(job))


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, {"q31", "mean", "i32", "shift"}),
        ({"scheme": "power-of-two"}, {"i32", "shift"}),
        ({"requant": "q32"}, {"q32", "i32", "shift"}),
    ],
    ids=["q31", "power-of-two", "q32"],
)
def test_every_layer_is_bit_exact(
    options: dict[str, str],
    rules: set[str],
    library: Callable[..., Library],
    network: Path,
    tmp_path: Path,
) -> None:
    report = proved(job_of(network, library(), tmp_path, **options))
    require_match(report)
    layers = report["layers"]
    assert all(layer["match"] for layer in layers)
    assert {layer["rule"] for layer in layers if layer["rule"]} == rules
    called = {layer["op"] for layer in layers if "cmsis_nn" in layer["kernel"]}
    assert called == (OPERATORS | OTHERS) - ({"AveragePool"} if options else set())


@pytest.mark.parametrize("name", MODELS)
def test_reference_networks_are_bit_exact_through_the_library(
    name: str,
    twin: Board,
    need: Callable[[str, bool], None],
    shared_models: Path,
    tmp_path: Path,
) -> None:
    model = shared_models / MODELS[name][0]
    library = given_library(need, tmp_path)
    report = proved(job_of(model, library, tmp_path, calibration=model.parent / "golden.npz"))
    require_match(report)
    for layer in report["layers"]:
        assert layer["match"]
        assert ("cmsis_nn" in layer["kernel"]) == (layer["op"] in OPERATORS), layer


def test_a_restructured_network_uses_own_kernels_inside(
    library: Callable[..., Library], network: Path, tmp_path: Path
) -> None:
    job = job_of(network, library(), tmp_path, optimize="ram")
    store = execute(job)
    require_match(run_job(job, store))
    schedule = store.get("schedule")
    inside = {name for region in schedule.graph.regions for name in region.nodes}
    kernels = {step.node: step.kernel for step in schedule.steps if step.kernel}
    assert inside & set(kernels)
    assert all(by_symbol(kernels[name]).family != "cmsis_nn" for name in inside & set(kernels))
    assert any(by_symbol(kernel).family == "cmsis_nn" for kernel in kernels.values())


def test_double_rounding_is_told_from_its_outputs(
    library: Callable[..., Library], network: Path, tmp_path: Path
) -> None:
    report = proved(job_of(network, library("DOUBLE"), tmp_path))
    with pytest.raises(MismatchError) as error:
        require_match(report)
    assert "CMSIS_NN_USE_SINGLE_ROUNDING" in str(error.value.hints)


def test_a_release_without_a_function_is_named(
    library: Callable[..., Library], network: Path, tmp_path: Path
) -> None:
    with pytest.raises(BenchError, match=r"lib\.a lacks functions") as error:
        execute(job_of(network, library("SINGLE", "OLD"), tmp_path))
    assert "arm_fully_connected_per_channel_s8" in str(error.value.why)


def test_another_floating_point_abi_is_named(
    library: Callable[..., Library], network: Path, tmp_path: Path
) -> None:
    soft = library("SINGLE", cflags=("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=soft"))
    with pytest.raises(BenchError, match="floating-point ABI") as error:
        execute(job_of(network, soft, tmp_path))
    assert "-mfloat-abi=hard" in str(error.value.hints)


def test_headers_of_something_else_are_named(
    library: Callable[..., Library], network: Path, tmp_path: Path
) -> None:
    (tmp_path / "arm_nnfunctions.h").write_text("/* none */\n")
    odd = Library(library().archive, tmp_path)
    with pytest.raises(BenchError, match="headers in"):
        execute(job_of(network, odd, tmp_path / "build"))


def test_the_id_follows_the_library(
    library: Callable[..., Library], network: Path, tmp_path: Path
) -> None:
    found = [
        execute(job_of(network, each, tmp_path / str(i))).get("build").id
        for i, each in enumerate([library(), library(), library("SINGLE", "WRONG=1")])
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no library is given"),
        (["--cmsis-nn-lib", "absent.a", "--cmsis-nn-include", str(HEADERS)], "no file absent.a"),
        (["--cmsis-nn-lib", __file__, "--cmsis-nn-include", str(HEADERS)], "is not a library"),
        (["--cmsis-nn-lib", __file__, "--cmsis-nn-include", "absent"], "no file absent"),
        (["--cmsis-nn-lib", __file__], "no headers are given"),
    ],
)
def test_what_is_no_library_is_refused(
    arguments: list[str],
    said: str,
    network: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(SystemExit) as stop:
        main(["run", "-b", BOARD, "--kernels", "cmsis-nn", *arguments, str(network)])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("board", "options", "said"),
    [
        ("host", {}, "Cortex-M"),
        ("gap8", {}, "Cortex-M"),
        (BOARD, {"bits": 16}, "--bits 16"),
    ],
)
def test_boards_and_widths_it_is_not_for(
    board: str, options: dict[str, int], said: str, tmp_path: Path
) -> None:
    chosen = Options(
        kernels="cmsis-nn", cmsis_nn_lib=tmp_path, cmsis_nn_include=tmp_path, **options
    )
    with pytest.raises(UsageError, match=said):
        make_job(tmp_path / "net.onnx", board, options=chosen)

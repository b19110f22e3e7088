"""The adapters to CMSIS-NN equal numerics on every case, and state the library's own scratch.

With a stand-in of its arithmetic, and with the library itself where DEPLOYER_CMSIS_NN=LIB.a,INCLUDE
names a build for single rounding.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from catalogue.suite import cases
from catalogue.target import DRIVER, Outcome, Target, cortex_m7, run, start

from deployer.board.load import load_board
from deployer.build.cmsis_nn import Library
from deployer.kernelset.cmsis_nn import KERNELS
from deployer.kernelset.kernel import Kernel, KernelCase
from fakes.cmsis_nn_library import bare_image, build, given_library

KINDS = {"Conv2d": 0, "DepthwiseConv2d": 1, "AveragePool": 2, "ConvTranspose2d": 3}


def target_with(library: Library) -> Target:
    plain = cortex_m7()
    return replace(
        plain,
        flags=(*plain.flags, "-isystem", str(library.include)),
        libraries=(str(library.archive), *plain.libraries),
    )


@pytest.fixture(scope="module", params=["stand-in", "upstream"])
def outcome(
    request: pytest.FixtureRequest,
    tool: Callable[[str], str],
    need: Callable[[str, bool], None],
    tmp_path_factory: pytest.TempPathFactory,
) -> Outcome:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    work = tmp_path_factory.mktemp("cases")
    if request.param == "upstream":
        library = given_library(need, work)
    else:
        library = build(work, load_board("nucleo-f767zi").toolchain.cflags, "SINGLE")
    return run(target_with(library), work, kernels=KERNELS)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.symbol)
def test_adapter_equals_numerics(kernel: Kernel, outcome: Outcome) -> None:
    ran = sum(trial.kernel == kernel for trial in outcome.trials)
    failed = outcome.of(kernel)
    assert ran >= 100
    assert not failed, f"{len(failed)} of {ran} cases, first: {failed[0]}"


def row_of(kernel: Kernel, case: KernelCase) -> tuple[int, ...]:
    """As driver/cmsis_nn_sizes.c reads it. Dilations and outputs are square there."""
    _, height, width, channels = case.in_shapes[0]
    depth = channels // case.groups
    return (
        *(KINDS[case.op], height, width, channels, *case.kernel, depth, *case.stride),
        *(case.pads.top, case.pads.left, case.dilation[0], case.out_shape[2]),
        *(case.out_channels, kernel.scratch(case)),
    )


def asked_right(case: KernelCase) -> bool:
    """Dilations are square, and of a transposed convolution the window is as wide as it strides:
    else the library takes one for the other, and asks for less than it needs."""
    wide = case.op != "ConvTranspose2d" or case.kernel[1] >= max(case.stride)
    return wide and case.dilation[0] == case.dilation[1]


def test_scratch_is_what_the_library_asks_for(
    need: Callable[[str, bool], None], tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in ("arm-none-eabi-gcc", "qemu-system-arm"):
        tool(program)
    library = given_library(need, tmp_path)
    rows = [
        row_of(kernel, case.seen)
        for kernel in KERNELS
        if kernel.op in KINDS
        for case in cases(kernel.op, "s8", "", True)
        if kernel.takes(case.seen) and asked_right(case.seen)
    ]
    assert len({row[-1] for row in rows}) > 20
    blob = tmp_path / "rows.bin"
    words = [len(rows), *(word for row in rows for word in row)]
    blob.write_bytes(struct.pack(f"<{len(words)}i", *words))
    image = tmp_path / "sizes.elf"
    bare_image(library, DRIVER / "cmsis_nn_sizes.c", image)
    said = start(cortex_m7(), image, blob)
    assert said.split() == ["DONE", str(len(rows))]

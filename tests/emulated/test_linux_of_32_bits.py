"""The kernels for NEON on a Raspberry Pi that runs a 32-bit system: ARMv7, golden integers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.prove import run_job
from deployer.pipeline.stages import execute
from deployer.resources import data_root
from models import depthwise_net, residual_net

# what a board file of 32 bits states, in place of what that of 64 bits does
OTHERWISE = {
    '"rpi3"': '"pi-32"',
    '"aarch64-linux-gnu-"': '"arm-linux-gnueabihf-"',
    '"gcc-aarch64-linux-gnu libc6-dev-arm64-cross"': '"gcc-arm-linux-gnueabihf"',
    '["-mcpu=cortex-a53"]': '["-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard"]',
    '"qemu-aarch64"': '"qemu-arm"',
    '["-cpu", "cortex-a53"]': '["-cpu", "cortex-a7"]',
}


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("net", [residual_net, depthwise_net])
def test_the_kernels_compute_the_golden_integers_on_armv7(
    net: Callable[[], onnx.ModelProto], bits: int, tool: Callable[[str], str], tmp_path: Path
) -> None:
    for program in ("arm-linux-gnueabihf-gcc", "qemu-arm"):
        tool(program)
    text = (data_root() / "boards" / "rpi3.toml").read_text()
    for old, new in OTHERWISE.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "pi-32.toml").write_text(text)
    onnx.save(net(), tmp_path / "net.onnx")
    options = Options(golden_samples=2, bits=bits, threads=2)
    job = make_job(
        tmp_path / "net.onnx", "pi-32", options=options, output=tmp_path, board_dir=tmp_path
    )
    report = run_job(job, execute(job))
    assert report["golden"]["match"], report["golden"]
    assert all("__armv8a" in layer["kernel"] for layer in report["layers"])

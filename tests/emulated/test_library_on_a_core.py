"""A library's networks on an emulated Cortex-M7, in a program without an operating system."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import onnx

from deployer.board.load import load_board
from deployer.pipeline.job import make_job
from deployer.pipeline.library import Entry, export_library
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from models import all_nets

ROOT = Path(__file__).parents[2]
DRIVER = ROOT / "tests" / "kernels" / "driver"
BOARD = "nucleo-f767zi"
MAIN = r"""
#include <string.h>
#include "port.h"
#include "example/samples.h"
#include "network.h"
#define TRY(net)                                                                                   \
    static int32_t net##_wrong(void) {                                                             \
        static int8_t found[sizeof net##_sample_output];                                           \
        const int fine = net##_init(NULL, 0) == DPL_OK &&                                          \
                         net##_run(net##_sample_input, found) == DPL_OK &&                         \
                         memcmp(found, net##_sample_output, sizeof found) == 0;                    \
        put_text(fine ? #net " equal\n" : #net " wrong\n");                                        \
        return !fine;                                                                              \
    }
TRY(residual_net)
TRY(depthwise_net)
int32_t run_cases(const int32_t *blob) {
    (void)blob;
    return residual_net_wrong() + depthwise_net_wrong() + residual_net_wrong();
}
"""


def test_networks_that_share_an_arena_compute_the_golden_integers(
    tmp_path: Path, tool: Callable[[str], str]
) -> None:
    gcc, qemu = tool("arm-none-eabi-gcc"), tool("qemu-system-arm")
    net, image = tmp_path / "net", tmp_path / "image.elf"
    entries = [entry(name, tmp_path) for name in ("residual_net", "depthwise_net")]
    export_library(entries, net, arena="shared")
    (tmp_path / "main.c").write_text(MAIN)
    flags = ["-std=c11", "-O2", "-nostdlib", "-ffreestanding", f"-T{DRIVER / 'mps2.ld'}"]
    flags += [*load_board(BOARD).toolchain.cflags, "-fno-tree-loop-distribute-patterns"]
    flags += [f"-I{folder}" for folder in (net, DRIVER, ROOT / "kernels" / "include")]
    sources = (tmp_path / "main.c", DRIVER / "port_mps2.c", *sorted(net.glob("*.c")))
    subprocess.run([gcc, *flags, *sources, "-lc", "-lgcc", "-o", image], check=True)
    machine = [qemu, "-M", "mps2-an500", "-display", "none", "-kernel", image]
    machine += ["-semihosting-config", "enable=on,target=native"]
    ran = subprocess.run(
        machine, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False
    )
    said = (ran.stdout + ran.stderr).splitlines()
    assert said == ["residual_net equal", "depthwise_net equal", "residual_net equal"]


def entry(name: str, folder: Path) -> Entry:
    onnx.save(all_nets()[name], folder / f"{name}.onnx")
    job = make_job(folder / f"{name}.onnx", BOARD, options=Options(), output=folder)
    return Entry(name, job, execute(job, last="generate"))

"""What the catalogue states of each kernel, but for rules: those are in golden/kernels.txt."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from deployer.kernelset.code import code_bytes
from deployer.kernelset.kernel import Kernel
from deployer.kernelset.select import families
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"


def test_what_is_stated_of_each_kernel_is_pinned() -> None:
    lines = []
    for family, kernels in families().items():
        lines += [f"== {family}", *(_told(kernel) for kernel in kernels)]
    pinned(FOLDER / "entries.txt", "\n".join(lines))


def _told(kernel: Kernel) -> str:
    stated = ((field.name, getattr(kernel, field.name)) for field in fields(Kernel))
    plain = [f"{name}={value!r}" for name, value in stated if not callable(value)]
    return f"{' '.join(plain)}: {code_bytes([kernel])} B, {', '.join(kernel.sources)}"

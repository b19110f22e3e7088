"""Library mode: the C of one network, ready to drop into another project."""

from __future__ import annotations

import shutil
from pathlib import Path

from deployer.codegen.network import kernel_sources
from deployer.errors import UsageError
from deployer.ir.plan import MemoryPlan, Schedule
from deployer.pipeline.artifacts import Generated
from deployer.pipeline.store import Store, write_folder
from deployer.resources import data_root


def export_library(store: Store, target: Path) -> None:
    """Write network.c/.h, weights.c/.h, the kernels and headers they need to ``target``.

    Everything compiles with ``cc -std=c11 -O2 -I. -c *.c``; nothing else is needed. Raises
    UsageError for a network whose weights are fetched.
    """
    plan: MemoryPlan = store.get("allocate")
    if plan.stream is not None:
        raise UsageError(
            f"no library of a network whose weights are fetched from {plan.stream.memory}",
            why=["who fetches them is the harness; a library's user would have to"],
            hints=[
                "deployer build makes the firmware",
                "a smaller network: all of it in one memory",
            ],
        )
    write_folder(target, lambda folder: _fill(store, folder))


def _fill(store: Store, folder: Path) -> None:
    generated: Generated = store.get("generate")
    schedule: Schedule = store.get("schedule")
    for name, text in generated.files.items():
        if name.endswith((".c", ".h")):
            (folder / name).write_text(text)
    root = data_root()
    for source in kernel_sources(schedule):
        shutil.copy(root / source, folder)
    shutil.copytree(root / "kernels" / "include" / "dpl", folder / "dpl")
    for header in ("dpl_net.h", "dpl_place.h", "dpl_constants.h", "dpl_crc32.h"):
        shutil.copy(root / "firmware" / "include" / header, folder)

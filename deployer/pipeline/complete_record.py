"""A record of the rig with what the compiler knows of the same run, so that it stands alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from deployer import __version__
from deployer.analysis import launches
from deployer.ir import Schedule
from deployer.pipeline.facts import Report
from deployer_hil import RunRecord

_GIT_SECONDS = 10
_BYTES = ("ram", "ram_network", "flash", "arena", "static", "stack", "stack_used", "weights")


def completed(
    record: RunRecord,
    report: Report,
    schedule: Schedule,
    model: Path,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> RunRecord:
    """With options, bytes, accuracy, versions, the time, the commit of the model's folder, and of
    each layer its MACs and the bytes that it reads and writes."""
    memory = {name: report["memory"].get(name) for name in _BYTES}
    toolchain = report["toolchain"]
    return replace(
        record,
        layers=tuple(
            replace(layer, macs=row["macs"], moved=read + row["weight_bytes"] + row["output_bytes"])
            for layer, row, read in zip(
                record.layers, report["layers"], bytes_read(schedule), strict=True
            )
        ),
        options=report["options"],
        memory={name: int(value) for name, value in memory.items() if isinstance(value, int)},
        accuracy=report["accuracy"],
        made={
            "deployer": __version__,
            "time": now().isoformat(timespec="seconds"),
            "commit": commit_of(model.resolve().parent),
            "compiler": toolchain["compiler"],
            "flags": " ".join(toolchain["flags"]),
        },
    )


def bytes_read(schedule: Schedule) -> Iterator[int]:
    """Of each launch: the activations that it reads and does not write itself, each once."""
    graph = schedule.graph
    nodes = {node.name: node for node in graph.nodes}
    for launch in launches(schedule):
        own = [nodes[step.node] for step in launch.steps]
        written = {name for node in own for name in node.outputs}
        read = {name for node in own for name in graph.activations(node)} - written
        yield sum(graph.values[name].bytes for name in read)


def commit_of(folder: Path) -> str:
    """HEAD of the git repository around ``folder``, with "+" where files differ from it; "" where
    there is none."""
    head = _git(folder, "rev-parse", "HEAD")
    if not head:
        return ""
    return head + ("+" if _git(folder, "status", "--porcelain", "--untracked-files=no") else "")


def commits_between(folder: Path, since: str, until: str) -> list[str]:
    """Hash and subject of each commit behind ``since`` up to ``until``, the newest first; [] where
    ``folder`` is in no repository that has both."""
    ends = [commit.rstrip("+") for commit in (since, until)]
    if not all(ends) or not all(set(end) <= set("0123456789abcdef") for end in ends):
        return []
    return _git(folder, "log", "--format=%h %s", f"{ends[0]}..{ends[1]}").splitlines()


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

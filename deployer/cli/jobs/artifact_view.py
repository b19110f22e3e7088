"""Text of one artifact, found by what lies at a path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from deployer import bundle
from deployer.bundle_facts import RestructureFacts
from deployer.errors import DeployerError, UsageError
from deployer.files import existing
from deployer.ir import Graph, MemoryPlan, Schedule, TilePlan, load_sound, serde, show
from deployer.pipeline import file_text
from deployer.units import command_line

# what to show of a stage folder, first match
_HEADS = (
    bundle.MANIFEST,
    "plan.json",
    "schedule.json",
    "tiles.json",
    "graph.json",
    "network.c",
    "report.json",
)


def artifact_text(path: Path) -> str:
    """The artifact at ``path``. Raises UsageError when there is none."""
    existing(path, "file or folder")
    if not path.is_dir():
        return _file_text(path)
    for name in _HEADS:
        if (path / name).exists():
            return _file_text(path / name)
    stages = sorted(child for child in path.iterdir() if child.name[0].isdigit())
    if stages:
        lines = ["stages here:", *(f"  {command_line(['inspect'], str(s))}" for s in stages)]
        page = command_line(["inspect", "-o", f"{path.resolve().name}.html"], str(path))
        return "\n".join([*lines, f"as a page: {page}"])
    raise UsageError(f"no artifact in {path}", hints=["name a folder like build/m-b/4-allocate"])


def _file_text(path: Path) -> str:
    if path.suffix in {".c", ".h", ".ld", ".csv", ".S"}:
        return file_text(path)
    if path.name == bundle.MANIFEST:
        return _manifest_text(bundle.read(path.parent))
    if path.name in {"report.json", "record.jsonl"}:
        return _json_text(path)
    if path.suffix != ".json":
        raise UsageError(f"cannot show {path.name}", hints=["name a .json, .csv, .c or .h file"])
    item = load_sound(path)
    if isinstance(item, TilePlan):
        return show.tiles_text(item, _schedule_of(path))
    return _object_text(item)


def _schedule_of(tiles: Path) -> Schedule | None:
    """The schedule of the job whose tiles these are; None when it is not there."""
    path = tiles.parents[1] / "3-schedule" / "schedule.json"
    found = load_sound(path) if path.is_file() else None
    return found if isinstance(found, Schedule) else None


def _object_text(item: Any) -> str:
    if isinstance(item, Graph):
        return show.graph_text(item)
    if isinstance(item, Schedule):
        return show.schedule_text(item)
    if isinstance(item, MemoryPlan):
        return show.plan_text(item)
    raise UsageError(f"cannot show a {type(item).__name__}")


def _manifest_text(opened: bundle.Bundle) -> str:
    manifest = opened.manifest
    memory = manifest["memory"]
    lines = [
        f"bundle {opened.id}: {manifest['model']['name']} for {opened.board}",
        f"  image      {manifest['firmware']} for {manifest['target']}",
        f"  compiler   {manifest['toolchain']['compiler']}",
        f"  flags      {' '.join(manifest['toolchain']['flags'])}",
        f"  arena      {memory['arena']:,} B, {memory['status']} ({memory['solver']})",
        *_restructured_lines(manifest.get("restructured")),
        f"  weights    {memory['weights']:,} B",
        f"  code       {memory['code']:,} B",
        f"  static     {memory['static']:,} B",
        f"  samples    {len(opened.golden['input'])} golden inputs, hashes intact",
    ]
    return "\n".join(lines)


def _restructured_lines(facts: RestructureFacts | None) -> list[str]:
    """Before and after, then a line a region."""
    if facts is None:
        return []
    rows = (f"    {r['first']} to {r['last']}: {r['title']}" for r in facts["regions"])
    return [f"  plain      arena {facts['arena_before']:,} B; restructured:", *rows]


def _json_text(path: Path) -> str:
    text = file_text(path)
    try:
        if path.suffix == ".jsonl":
            lines = text.splitlines()
            return "\n".join(json.dumps(json.loads(line), indent=1) for line in lines)
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise serde.unreadable(path, [str(error)]) from None
    return text


@contextmanager
def viewed(path: Path) -> Iterator[None]:
    """What cannot be shown of a file is the file's fault: somebody may have edited it."""
    try:
        yield
    except (DeployerError, click.ClickException, click.exceptions.Exit):
        raise
    except Exception as error:
        raise UsageError(
            f"cannot show {path}",
            why=[f"{type(error).__name__}: {error}"],
            hints=["if it was edited, run its stage again"],
        ) from error

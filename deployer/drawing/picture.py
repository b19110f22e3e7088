"""Pictures of artifacts as files: ``deployer inspect PATH -o FILE``."""

from __future__ import annotations

import re
from pathlib import Path

from deployer.analysis import Profile
from deployer.drawing.arena import arena_svg
from deployer.drawing.memory import memory_svg
from deployer.drawing.network import graph_svg
from deployer.drawing.page import page
from deployer.drawing.scene import Scene
from deployer.drawing.svg import markup
from deployer.errors import UsageError
from deployer.files import write_file
from deployer.ir import MemoryPlan

SUFFIXES = (".svg", ".html")
NETWORK, MEMORY, ARENA = "network", "memory", "arena"


def draw(output: Path, scene: Scene, *, what: str = "") -> None:
    """Write the picture of ``scene``, an SVG of ``what`` (see ``svg_text``) or a page; an earlier
    file stays when this fails.

    Raises UsageError for another suffix, nothing to draw, or a file that cannot be written.
    """
    suffix = known_suffix(output)
    text = page(scene) if suffix == ".html" else svg_text(scene, what)
    write_file(output, text, parents=True)


def named_subject(output: Path) -> str:
    """The picture that the file's name means: network.svg, job-memory.svg, arena.svg; "" if
    nothing."""
    words = re.split(r"[^a-z]+", output.stem.lower())
    return next((word for word in words if word in (NETWORK, MEMORY, ARENA)), "")


def known_suffix(output: Path) -> str:
    """The suffix of a picture; raises UsageError for another one."""
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"no picture of kind {output.suffix or output.name!r}",
            hints=[f"name a file that ends in {' or '.join(SUFFIXES)}"],
        )
    return suffix


def svg_text(scene: Scene, what: str = "") -> str:
    """Memory before and after planning, the arena over time, or the network: ``what``, by default
    the arena of a memory plan and the network of anything else."""
    if what == MEMORY:
        board = scene.board.name if scene.board else ""
        return markup(memory_svg(profile_in(scene), board))
    if what == ARENA or (not what and isinstance(scene.subject, MemoryPlan)):
        return markup(arena_svg(_plan_in(scene), scene.graph, scene.board))
    graph = scene.graph
    if graph is None:
        raise UsageError("a picture of the network needs its graph")
    return markup(graph_svg(graph, scene.schedule))


def _plan_in(scene: Scene) -> MemoryPlan:
    """Raises UsageError when there is none."""
    if scene.plan is None:
        raise UsageError(
            "the arena over time needs a memory plan",
            hints=["name a job's folder like build/m-b that got as far as 4-allocate, or a board"],
        )
    return scene.plan


def profile_in(scene: Scene) -> Profile:
    """Raises UsageError when there is no schedule to take it from."""
    if scene.profile is None:
        raise UsageError(
            "memory before and after needs a schedule",
            hints=["name a model, or a job's folder like build/m-b that got as far as 3-schedule"],
        )
    return scene.profile

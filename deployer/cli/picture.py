"""Pictures of artifacts as files: ``deployer inspect PATH -o FILE``."""

from __future__ import annotations

from pathlib import Path

from deployer.analysis.profile import Profile
from deployer.cli.picture_arena import arena_svg
from deployer.cli.picture_graph import graph_svg
from deployer.cli.picture_memory import memory_svg
from deployer.cli.picture_page import page
from deployer.cli.picture_svg import markup
from deployer.cli.scene import Scene
from deployer.errors import UsageError
from deployer.files import write_file
from deployer.ir.plan import MemoryPlan

SUFFIXES = (".svg", ".html")


def draw(output: Path, scene: Scene, *, memory: bool = False) -> None:
    """Write the picture of ``scene``, with ``memory`` an SVG of that before and after planning; an
    earlier file stays when this fails.

    Raises UsageError for another suffix, nothing to draw, or a file that cannot be written.
    """
    suffix = known_suffix(output)
    write_file(output, page(scene) if suffix == ".html" else svg_text(scene, memory=memory))


def known_suffix(output: Path) -> str:
    """The suffix of a picture; raises UsageError for another one."""
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"no picture of kind {output.suffix or output.name!r}",
            hints=[f"name a file that ends in {' or '.join(SUFFIXES)}"],
        )
    return suffix


def svg_text(scene: Scene, *, memory: bool = False) -> str:
    """Memory before and after; or the arena of a memory plan; or the network of anything else."""
    if memory:
        board = scene.board.name if scene.board else ""
        return markup(memory_svg(profile_in(scene), board))
    if isinstance(scene.subject, MemoryPlan):
        return markup(arena_svg(scene.subject, scene.graph, scene.board))
    graph = scene.graph
    if graph is None:
        raise UsageError("a picture of the network needs its graph")
    return markup(graph_svg(graph, scene.schedule))


def profile_in(scene: Scene) -> Profile:
    """Raises UsageError when there is no schedule to take it from."""
    if scene.profile is None:
        raise UsageError(
            "memory before and after needs a schedule",
            hints=["name a model, or a job's folder like build/m-b that got as far as 3-schedule"],
        )
    return scene.profile

"""Pictures of artifacts as files: ``deployer inspect PATH -o FILE``."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from deployer.cli.picture_arena import arena_svg
from deployer.cli.picture_graph import graph_svg
from deployer.cli.picture_page import page
from deployer.cli.picture_svg import markup
from deployer.cli.scene import Scene, scene_at
from deployer.errors import UsageError
from deployer.ir.plan import MemoryPlan

SUFFIXES = (".svg", ".html")


def draw(path: Path, output: Path, *, board: str = "", board_dir: Path | None = None) -> None:
    """Write the picture of what lies at ``path``; an earlier file stays when this fails.

    Raises UsageError for another suffix, nothing to draw, or a file that cannot be written.
    """
    if output.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"no picture of kind {output.suffix or output.name!r}",
            hints=[f"name a file that ends in {' or '.join(SUFFIXES)}"],
        )
    scene = scene_at(path, board, board_dir)
    _replace(output, page(scene) if output.suffix.lower() == ".html" else svg_text(scene))


def svg_text(scene: Scene) -> str:
    """The arena of a memory plan; the network of anything else."""
    if isinstance(scene.subject, MemoryPlan):
        return markup(arena_svg(scene.subject, scene.graph, scene.board))
    graph = scene.graph
    if graph is None:
        raise UsageError("a picture of the network needs its graph")
    return markup(graph_svg(graph, scene.schedule))


def _replace(output: Path, text: str) -> None:
    """Write beside ``output``, then rename."""
    try:
        handle, aside = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.chmod(aside, 0o644)
            os.replace(aside, output)
        except BaseException:
            os.unlink(aside)
            raise
    except OSError as error:
        raise UsageError(
            f"cannot write {output}", why=[error.strerror or str(error)], hints=["another -o"]
        ) from None

"""Pictures of networks, of memory over time and of sweeps, as SVG, HTML or text."""

from deployer.drawing.memory_text import memory_text
from deployer.drawing.picture import MEMORY, draw, known_suffix, named_subject, profile_in
from deployer.drawing.scene import Scene, scene_at, scene_of_model, surveyed
from deployer.drawing.sweep import check_plot, draw_sweep

__all__ = [
    "MEMORY",
    "Scene",
    "check_plot",
    "draw",
    "draw_sweep",
    "known_suffix",
    "memory_text",
    "named_subject",
    "profile_in",
    "scene_at",
    "scene_of_model",
    "surveyed",
]

from .front import draw_front
from .picture import MEMORY, draw, known_suffix, named_subject, profile_in
from .scene import Scene, scene_at, scene_of_model, surveyed
from .sweep import check_plot, draw_sweep
from .text_over_time import memory_text

__all__ = [
    "MEMORY",
    "Scene",
    "check_plot",
    "draw",
    "draw_front",
    "draw_sweep",
    "known_suffix",
    "memory_text",
    "named_subject",
    "profile_in",
    "scene_at",
    "scene_of_model",
    "surveyed",
]

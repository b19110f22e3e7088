"""What stands in for a runner's tools and hardware where the runner contract is tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class StandIn:
    """Each module of ``deployer_hil.runners`` states one as ``STAND_IN``; tests/fakes/stand_ins.py
    puts it in place. The image is then a program of this machine that answers as firmware does.

    ``board``: what a board file says under ``[runners.NAME]``. ``own_image``: the runner takes the
    board's own image, no emulated twin's. ``programs``: names it finds on PATH, each replaced by a
    program that starts the image among its arguments. ``located_by``: the function of the module
    that gives the program's path where PATH does not. ``image``: bytes that it looks for in the
    image. ``package``: a Python package it needs; without it the contract is skipped. ``listens``:
    it connects to an image that listens, at the address that its option ``tcp`` states.

    A ``create`` that takes a ``loader`` gets one that starts the image behind a PTY.
    """

    board: Mapping[str, object] = field(default_factory=dict)
    own_image: bool = False
    programs: tuple[str, ...] = ()
    located_by: str = ""
    image: bytes = b""
    package: str = ""
    listens: bool = False

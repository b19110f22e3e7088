"""What a training starts from: the plain integer network and the float graph it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deployer.ir import Graph
from deployer.quantize import Progress, QuantOptions, Samples, Scheme, choose_scheme, quantize
from deployer.tools.train.stated import Shadow, first_shadows, stated_graph


@dataclass(frozen=True, eq=False)
class Start:
    """``real`` is the float graph that ``plain`` was made of: the imported one or, where
    equalization is on or wins, the same function with channels evened out. ``stated`` is it with
    the scales of ``plain``."""

    real: Graph
    plain: Graph
    stated: Graph
    shadows: Mapping[str, Shadow]
    scheme: Scheme
    equalized: bool


def starting_point(
    real: Graph, calibration: Samples, quant: QuantOptions, progress: Progress
) -> Start:
    found = quantize(real, calibration, quant, progress=progress)
    stated = stated_graph(found.real, found.graph)
    return Start(
        real=found.real,
        plain=found.graph,
        stated=stated,
        shadows=first_shadows(stated, found.graph),
        scheme=choose_scheme(quant, close=True),  # as for any graph that states its scales
        equalized=found.report.decisions.equalize,
    )

"""Does the simulation compute what the integer pipeline computes?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from deployer.ir import Graph
from deployer.numerics import chunks, trace
from deployer.tools.train.loop import chosen_device
from deployer.tools.train.objective import Lesson
from deployer.tools.train.options import Device
from deployer.tools.train.stated import Shadow
from deployer.tools.train.student import Student, parameters_of


def simulated_share(
    stated: Graph,
    integer: Graph,
    shadows: Mapping[str, Shadow],
    wanted: Lesson,
    device_name: Device,
) -> float:
    """The share of all elements of all layers on which simulation and pipeline agree."""
    device = chosen_device(device_name)
    student = Student(stated, integer, parameters_of(shadows, device), device)
    equal = total = 0
    for chunk in chunks(integer, wanted.inputs):
        steps = {
            name: torch.tensor(x, dtype=torch.float32, device=device) for name, x in chunk.items()
        }
        with torch.no_grad():
            pairs = zip(trace(integer, chunk), student.trace(steps), strict=True)
            for (_, expected), (_, found) in pairs:
                equal += int(np.count_nonzero(expected == found.cpu().numpy()))
                total += expected.size
    return equal / total

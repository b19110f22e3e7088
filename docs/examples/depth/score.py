"""Depth errors of a float network, its plain integers and the fine-tuned ones, on one data set.

    python score.py float.onnx --calibration train.npz --data test.npz --tuned tuned

The integers are those ``deployer run`` puts on a board, computed on the host.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.numerics.interpret import dequantize, quantize, run
from deployer.pipeline.tuned import tuned_for
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.quantize import quantize as to_integers
from deployer.quantize.samples import Samples, load_samples

FAR = 10.0  # metres, as in make_data.py


def errors(inverse: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Root mean squared error of the depth in metres, and the share of pixels within a factor of
    1.25 of the true depth. Both arrays hold inverse depths."""
    depth, true = 1 / np.clip(inverse, 1 / FAR, None), 1 / truth
    ratio = np.maximum(depth / true, true / depth)
    rmse = np.sqrt(np.square(depth - true, dtype=np.float64).mean())
    return float(rmse), float((ratio < 1.25).mean())


def outputs(graph: Graph, samples: Samples) -> np.ndarray:
    """Real numbers, from a float or an integer graph."""
    name = graph.outputs[0]
    quant = graph.values[name].quant
    if quant is None:
        return run(graph, samples.arrays)[name]
    steps = {key: quantize(x, graph.values[key].q) for key, x in samples.arrays.items()}
    return dequantize(run(graph, steps)[name], quant)


def networks(model: Path, calibration: Path, tuned: Path) -> dict[str, Graph]:
    """The rows of the table."""
    real = import_model(model)
    samples = load_samples(real, calibration, input_scale=1 / 255).first(256)
    options = QuantOptions(scheme="power-of-two")
    trained = tuned_for(real, tuned)
    return {
        "float": real,
        "plain int8": to_integers(real, samples, options).graph,
        "tuned int8": to_integers(trained, samples, options, reference=real).graph,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Depth errors before and after fine-tuning.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--calibration", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tuned", type=Path, required=True)
    given = parser.parse_args()
    truth = np.load(given.data)["inverse"][:, 0]
    print("network      RMSE [m]   delta < 1.25")
    for label, graph in networks(given.model, given.calibration, given.tuned).items():
        samples = load_samples(graph, given.data, input_scale=1 / 255)
        rmse, close = errors(outputs(graph, samples)[..., 0], truth)
        print(f"{label:12} {rmse:8.4f}   {close:12.2%}")


if __name__ == "__main__":
    main()

"""Train the float weights of an ONNX depth network, in its own file format.

    deployer zoo upydnet --resolution 32 -o untrained.onnx
    python train.py untrained.onnx train.npz -o float.onnx

The network is run straight from the file's nodes (convolutions, transposed ones, leaky ReLU,
concatenation), and the trained weights go back into it, so no second definition of it is needed.
The loss is reverse Huber (berHu), as in section 3.4.3 of the µPyD-Net paper.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch.nn import functional

_ALPHA = 0.2  # of berHu: the share of the largest error from which it is quadratic


def weights_of(model: Any) -> dict[str, torch.Tensor]:
    """The initializers as leaves to train."""
    return {
        tensor.name: torch.tensor(numpy_helper.to_array(tensor), requires_grad=True)
        for tensor in model.graph.initializer
    }


def run(model: Any, weights: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """The network's only output for a batch of its only input."""
    live = {**weights, model.graph.input[0].name: x}
    for node in model.graph.node:
        attrs = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        live[node.output[0]] = apply(node.op_type, attrs, [live[name] for name in node.input])
    return live[model.graph.output[0].name]


def apply(op: str, attrs: dict[str, Any], inputs: list[torch.Tensor]) -> torch.Tensor:
    if op == "LeakyRelu":
        return functional.leaky_relu(inputs[0], attrs["alpha"])
    if op == "Concat":
        return torch.cat(inputs, dim=attrs["axis"])
    pads, stride = attrs["pads"], attrs["strides"]
    if op == "ConvTranspose" and not any(pads):
        return functional.conv_transpose2d(*inputs, stride=stride, groups=attrs["group"])
    if op == "Conv":
        top, left, bottom, right = pads
        x = functional.pad(inputs[0], (left, right, top, bottom))
        return functional.conv2d(x, *inputs[1:], stride=stride, groups=attrs["group"])
    raise SystemExit(f"this script cannot train a network with {op}")


def berhu(found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    error = (found - wanted).abs()
    limit = _ALPHA * error.detach().amax()
    return torch.where(error <= limit, error, (error**2 + limit**2) / (2 * limit)).mean()


def train(model: Any, data: Any, *, epochs: int, batch: int, lr: float, seed: int) -> None:
    """Change the initializers of ``model``; the rate falls to zero along half a cosine."""
    torch.manual_seed(seed)
    images = torch.tensor(data["image"]).float() / 255
    inverses = torch.tensor(data["inverse"])
    weights = weights_of(model)
    optimizer = torch.optim.Adam(weights.values(), lr=lr)
    steps = -(-len(images) // batch)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * steps)
    for epoch in range(1, epochs + 1):
        began, total = time.monotonic(), 0.0
        for index in torch.randperm(len(images)).split(batch):
            optimizer.zero_grad()
            loss = berhu(run(model, weights, images[index]), inverses[index])
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(index)
        print(f"epoch {epoch}: loss {total / len(images):.4f}, {time.monotonic() - began:.1f} s")
    for tensor in model.graph.initializer:
        array = weights[tensor.name].detach().numpy()
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a depth network on inverse depth.")
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.003)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    model, data = onnx.load(given.model), np.load(given.data)
    numbers = {"epochs": given.epochs, "batch": given.batch, "lr": given.lr, "seed": given.seed}
    train(model, data, **numbers)
    onnx.save(model, given.output)


if __name__ == "__main__":
    main()

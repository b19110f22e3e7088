"""Draw rooms, their true depth and the maps of a network in float32, int16 and int8 (PNG).

    python picture.py float.onnx --calibration tune.npz --data test.npz -o depth.png

Near is bright. Integers are those ``deployer run`` puts on a board, computed on the host. The last
lines tell how far the maps are from the true depth, and from the float network's. Needs Pillow.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from score import FAR, errors, outputs

from deployer.frontend.onnx_import import import_model
from deployer.ir.graph import Graph
from deployer.quantize.quantize import QuantOptions
from deployer.quantize.quantize import quantize as to_integers
from deployer.quantize.samples import Samples, load_samples

NEAR = 1.0  # metres, as in make_data.py
_SIDE, _GAP, _TITLE = 96, 6, 16  # pixels


def networks(real: Graph, samples: Samples) -> Iterator[tuple[str, Graph]]:
    yield "float32", real
    for bits in (16, 8):
        yield f"int{bits}", to_integers(real, samples, QuantOptions(bits=bits)).graph


def grey(inverse: np.ndarray) -> np.ndarray:
    """uint8 of inverse depths (H, W): black at FAR, white at NEAR."""
    share = (inverse - 1 / FAR) / (1 / NEAR - 1 / FAR)
    return np.rint(np.clip(share, 0, 1) * 255).astype(np.uint8)


def sheet(columns: dict[str, list[np.ndarray]]) -> Image.Image:
    """A column a title, a room a row; maps (H, W) are grey, images (H, W, 3) are not."""
    step, rows = _SIDE + _GAP, len(next(iter(columns.values())))
    page = Image.new("RGB", (step * len(columns) - _GAP, _TITLE + step * rows - _GAP), "white")
    pen = ImageDraw.Draw(page)
    for column, (title, shown) in enumerate(columns.items()):
        pen.text((column * step + 1, 2), title, fill="black")
        for row, pixels in enumerate(shown):
            tile = Image.fromarray(pixels).resize((_SIDE, _SIDE), Image.Resampling.NEAREST)
            page.paste(tile, (column * step, _TITLE + row * step))
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw depth maps of three precisions.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--calibration", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--rooms", type=int, default=4)
    given = parser.parse_args()
    data, real = np.load(given.data), import_model(given.model)
    truth = data["inverse"][:, 0]
    columns = {
        "image": list(data["image"][: given.rooms].transpose(0, 2, 3, 1)),
        "true depth": [grey(room) for room in truth[: given.rooms]],
    }
    samples = load_samples(real, given.calibration, input_scale=1 / 255).first(256)
    reference: np.ndarray | None = None
    print("network      RMSE [m]   from float32 [1/m]")
    for title, graph in networks(real, samples):
        test = load_samples(graph, given.data, input_scale=1 / 255)
        maps = outputs(graph, test)[..., 0]
        reference = maps if reference is None else reference
        columns[title] = [grey(room) for room in maps[: given.rooms]]
        apart = np.sqrt(np.square(maps - reference, dtype=np.float64).mean())
        print(f"{title:12} {errors(maps, truth)[0]:8.4f}   {apart:18.5f}")
    sheet(columns).save(given.output, optimize=True)


if __name__ == "__main__":
    main()

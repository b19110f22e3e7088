"""Sample inputs: read from an npz in the model's layout, or made up when the user has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from deployer.errors import UsageError
from deployer.ir import Graph
from deployer.npz import Header
from deployer.numerics import dequantize
from deployer.quantize.npz import SampleFile

SYNTHETIC_NOTE = (
    "calibrated on synthetic noise: the ranges, and so the accuracy, say nothing about real "
    "inputs; give real samples with --calibration FILE.npz"
)
_INPUT_KEYS = ("input", "inputs", "x", "image", "images", "data")
_MAX_SYNTHETIC_ELEMENTS = 1 << 26  # elements of all samples together
_LABEL_KEYS = ("label", "labels", "y")


@dataclass(frozen=True, eq=False)
class Samples:
    """Float32 batches by input name, NHWC or NC as the graph has them, samples along axis 0.

    ``source`` names where they come from; ``sha256`` is the file's, None for synthetic ones.
    """

    arrays: Mapping[str, np.ndarray]
    source: str
    sha256: str | None
    synthetic: bool = False

    @property
    def count(self) -> int:
        return len(next(iter(self.arrays.values())))

    def first(self, limit: int) -> Samples:
        """At most ``limit`` samples, from the front."""
        arrays = {name: array[:limit] for name, array in self.arrays.items()}
        return Samples(arrays, self.source, self.sha256, self.synthetic)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples with, where the file states them, one int64 label each; negative means unknown."""

    samples: Samples
    labels: np.ndarray | None


def load_samples(
    graph: Graph,
    path: Path,
    *,
    input_scale: float = 1.0,
    input_offset: float = 0.0,
    limit: int | None = None,
) -> Samples:
    """The samples in an npz, as ``x · input_scale + input_offset``.

    Arrays are keyed by input name; a model with one input also takes input, inputs, x, image,
    images or data. They have the ONNX model's shape with the samples along axis 0; axes of length
    1 may be missing. Integers of the type that the model itself takes are what it reads in them.
    Raises UsageError naming the file, what is wrong and how to mend it.
    """
    return load_dataset(
        graph, path, input_scale=input_scale, input_offset=input_offset, limit=limit
    ).samples


def load_dataset(
    graph: Graph,
    path: Path,
    *,
    input_scale: float = 1.0,
    input_offset: float = 0.0,
    limit: int | None = None,
) -> Dataset:
    """``load_samples`` with the labels of the arrays label, labels or y, if there are any."""
    with SampleFile(Path(path)) as file:
        keys = {name: _input_key(graph, file, name) for name in graph.inputs}
        count = _common_count(graph, file, keys)
        arrays = {
            name: _read(graph, name, file, key, limit, (input_scale, input_offset))
            for name, key in keys.items()
        }
        labels = _labels(file, set(keys.values()), count, limit)
        digest = file.sha256
    return Dataset(Samples(arrays, Path(path).name, digest), labels)


def _read(
    graph: Graph,
    name: str,
    file: SampleFile,
    key: str,
    limit: int | None,
    scaling: tuple[float, float],
) -> np.ndarray:
    """The samples of one input as the graph has them, scaled, then shifted."""
    shape, (scale, offset) = model_shape(graph, name), map(np.float32, scaling)
    count, start = file.sizes(key, shape, limit), 0
    found = _room(file, key, (count, *graph.values[name].shape[1:]))
    for part in file.samples(key, shape, limit):
        rows = device_layout(graph, name, _real(graph, name, file.header(key), part))
        found[start : start + len(rows)] = rows * scale + offset
        start += len(rows)
    return found


def _room(file: SampleFile, key: str, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.empty(shape, np.float32)
    except MemoryError:
        raise file.error(
            f"this machine has no memory for {key!r} of {file.path}",
            why=[f"{shape} of float32"],
            hints=["fewer samples"],
        ) from None


def _real(graph: Graph, name: str, stored: Header, batch: np.ndarray) -> np.ndarray:
    """Samples of one input in the model's layout, float32."""
    kind = stored.dtype.name
    if kind != graph.meta.get(f"model_type/{name}"):
        return batch
    quant = graph.values[name].q
    zero = quant.zero_point + (128 if kind == "uint8" else 0)
    return np.asarray((batch - np.float32(zero)) * np.float32(quant.tensor_scale))


def synthetic_samples(graph: Graph, *, seed: int = 0, count: int = 16) -> Samples:
    """Seeded noise: enough to build firmware, not to judge it.

    Standard normal, or over the whole range of an input that states its quantization. Fewer than
    ``count`` samples where the inputs are very large.
    """
    generator = np.random.default_rng(seed)
    elements = sum(graph.values[name].elements for name in graph.inputs)
    count = min(count, max(1, _MAX_SYNTHETIC_ELEMENTS // max(elements, 1)))
    arrays = {}
    for name in graph.inputs:
        value, shape = graph.values[name], (count, *graph.values[name].shape[1:])
        if value.quant is None:
            arrays[name] = generator.standard_normal(shape, dtype=np.float32)
        else:
            arrays[name] = dequantize(generator.integers(-128, 128, shape), value.quant)
    return Samples(arrays, f"synthetic, seed {seed}", None, synthetic=True)


def model_shape(graph: Graph, name: str) -> tuple[int, ...]:
    """The input's shape in the ONNX model, batch first."""
    stated = graph.meta.get(f"model_shape/{name}")
    if stated is not None:
        return tuple(int(extent) for extent in stated.split(","))
    shape = graph.values[name].shape
    return (shape[0], shape[3], *shape[1:3]) if _channels_second(graph, name) else shape


def device_layout(graph: Graph, name: str, array: np.ndarray) -> np.ndarray:
    """A batch in the model's layout as the graph has it: channels come last."""
    if _channels_second(graph, name) or graph.meta.get(f"model_layout/{name}") == "NCL":
        array = np.moveaxis(array, 1, -1)
    return np.ascontiguousarray(array.reshape(len(array), *graph.values[name].shape[1:]))


def _channels_second(graph: Graph, name: str) -> bool:
    """Whether the model's input is an NCHW image; some models hold NHWC themselves."""
    layout = graph.meta.get(f"model_layout/{name}", "NCHW")
    return len(graph.values[name].shape) == 4 and layout == "NCHW"


def _input_key(graph: Graph, file: SampleFile, name: str) -> str:
    if name in file.keys:
        return name
    common = [key for key in _INPUT_KEYS if key in file.keys]
    if len(graph.inputs) > 1 or not common:
        accepted = [name] if len(graph.inputs) > 1 else [name, *_INPUT_KEYS]
        raise file.error(
            f"no samples for input {name!r} in {file.path}",
            why=[f"the file holds: {', '.join(file.keys) or 'nothing'}"],
            hints=[f"name the array one of: {', '.join(dict.fromkeys(accepted))}"],
        )
    if len(common) > 1:
        raise file.error(
            f"several arrays of {file.path} could be the samples: {', '.join(common)}",
            hints=[f"name the right one {name!r}, like the model's input"],
        )
    return common[0]


def _common_count(graph: Graph, file: SampleFile, keys: Mapping[str, str]) -> int:
    for name, key in keys.items():
        file.sizes(key, model_shape(graph, name), 1)
    counts = {name: file.header(key).shape[0] for name, key in keys.items()}
    if len(set(counts.values())) > 1:
        raise file.error(
            f"the inputs in {file.path} have different numbers of samples",
            why=[f"{name}: {count}" for name, count in counts.items()],
        )
    return next(iter(counts.values()))


def _labels(file: SampleFile, used: set[str], count: int, limit: int | None) -> np.ndarray | None:
    key = next((key for key in _LABEL_KEYS if key in file.keys and key not in used), None)
    if key is None:
        return None
    head, error = file.header(key), partial(_no_labels, file, key, count)
    if head.dtype.kind not in "iuf" or head.shape not in {(count,), (count, 1)}:
        raise error(head)
    if head.bytes > file.most:
        raise file.error(f"{key!r} of {file.path} is too large", why=[f"its shape is {head.shape}"])
    wanted = count if limit is None else min(count, limit)
    flat = np.concatenate([part.reshape(-1) for part in file.rows(key, wanted)])
    if head.dtype.kind == "f" and not (np.abs(flat) < 2.0**63).all():
        raise error(head)
    if head.dtype.kind == "f" and not bool((flat == np.rint(flat)).all()):
        raise error(head)
    return flat.astype(np.int64)


def _no_labels(file: SampleFile, key: str, count: int, found: Header) -> UsageError:
    return file.error(
        f"the labels {key!r} in {file.path} are not one class number a sample",
        why=[f"shape {found.shape}, type {found.dtype}, for {count} samples"],
        hints=["labels are integers of shape (samples,); one-hot: use argmax(axis=1)"],
    )

"""What makes samples or labels look wrong, in words that a user is warned with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from deployer.quantize.samples import SYNTHETIC_NOTE, Samples


def sample_doubts(samples: Samples) -> tuple[str, ...]:
    """Of samples that are to set ranges: made up, of one value, all alike, or only one."""
    if samples.synthetic:
        return (SYNTHETIC_NOTE,)
    told = [_doubt(name, array, samples.source) for name, array in samples.arrays.items()]
    found = [text for text in told if text]
    if samples.count == 1:
        found.append(
            f"{samples.source} holds one sample: the ranges, and so the accuracy, are those of "
            "this one input; give some dozens, samples along the first axis"
        )
    return tuple(found)


def _doubt(name: str, array: np.ndarray, source: str) -> str:
    least, most = float(array.min()), float(array.max())
    flat = array.reshape(len(array), -1)
    if least == most:
        what = "zero" if not least else f"the constant {least:g}"
        said = f"every value of {name!r} in {source} is {what}"
    elif len(flat) > 1 and (flat == flat[0]).all():
        said = f"all {len(flat)} samples of {name!r} in {source} are alike"
    else:
        return ""
    return f"{said}: the ranges, and so the accuracy, say nothing about real inputs"


def label_doubts(labels: np.ndarray | None, classes: int, source: str) -> tuple[str, ...]:
    """Of labels for a network whose first output has ``classes`` elements."""
    return () if labels is None else tuple(_of_labels(labels, classes, source))


def _of_labels(labels: np.ndarray, classes: int, source: str) -> Iterator[str]:
    wrong, known = int((labels >= classes).sum()), labels[labels >= 0]
    if not len(known):
        yield f"no label in {source} is known (all are negative): there is no accuracy to tell"
    elif wrong:
        first = "; they count from 0" if labels.min() == 1 and labels.max() == classes else ""
        yield (
            f"{wrong} of {len(labels)} labels in {source} are none of the {classes} classes, "
            f"0 to {classes - 1}: they count as wrong{first}"
        )
    elif len(known) > 1 and (known == known[0]).all():
        yield f"every label in {source} is {known[0]}: the accuracy is that of one class"


def classes_of(outputs: Mapping[str, np.ndarray]) -> int:
    """Elements of a sample of the first output."""
    first = next(iter(outputs.values()))
    return int(np.prod(first.shape[1:]))

"""What a user may choose for a fine-tuning, and the refusals of what cannot work."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires

from deployer.choices import Word
from deployer.errors import UsageError
from deployer.tools.train.augment import CHANGES


class Optimizer(Word):
    ADAM = "adam"
    SGD = "sgd"


class Rounding(Word):
    """Of the shadow weights at the end of an epoch."""

    STOCHASTIC = "stochastic"
    NEAREST = "nearest"


class Device(Word):
    """``AUTO``: the GPU where there is one."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


@dataclass(frozen=True)
class TrainOptions:
    """``lr`` is in quantization steps of the weights, so it suits every layer and scheme alike; it
    falls linearly to zero over the epochs.

    ``rounding`` is what happens to the shadow weights at the end of an epoch: they are put on their
    grid by stochastic rounding, or left as they are and only read rounded to the nearest.
    ``holdout`` is the share of the samples that is not trained on but picks the best epoch.
    ``augment`` samples are made of those trained on, by the changes of train.augment.CHANGES that
    ``augment_with`` lists.
    """

    epochs: int = 20
    batch: int = 16
    lr: float = 0.001
    optimizer: Optimizer = Optimizer.ADAM
    rounding: Rounding = Rounding.STOCHASTIC
    holdout: float = 0.2
    seed: int = 0
    device: Device = Device.AUTO
    augment: int = 0
    augment_with: tuple[str, ...] = CHANGES


def check_options(options: TrainOptions, samples: int) -> None:
    """Raise UsageError for options out of range, naming every one of them."""
    wrong = [*_wrong(options), *_wrong_samples(options)]
    if wrong:
        raise UsageError("these fine-tuning options cannot work", why=wrong)
    if samples < 2:
        raise UsageError(
            f"fine-tuning needs at least 2 samples, there is {samples}",
            why=["one to train on and one to choose the best epoch by"],
            hints=["give more with --samples FILE.npz; labels are not needed"],
        )


def _wrong(options: TrainOptions) -> Iterator[str]:
    if options.epochs < 1 or options.batch < 1:
        yield f"epochs {options.epochs}, batch {options.batch}: both are at least 1"
    if not 0 < options.lr < float("inf"):
        yield f"lr {options.lr}: more than 0 steps an update"
    if not 0 < options.holdout < 1:
        yield f"holdout {options.holdout}: a share between 0 and 1"
    if options.seed < 0:
        yield f"seed {options.seed}: not negative"
    choices = (("optimizer", Optimizer), ("rounding", Rounding), ("device", Device))
    for field, known in choices:
        if getattr(options, field) not in tuple(known):
            yield f"{field} {getattr(options, field)!r}: one of {', '.join(known)}"


def _wrong_samples(options: TrainOptions) -> Iterator[str]:
    if options.augment < 0:
        yield f"augment {options.augment}: a number of samples"
    unknown = sorted(set(options.augment_with) - set(CHANGES))
    if unknown or not options.augment_with:
        yield f"augment with {', '.join(unknown) or 'nothing'}: any of {', '.join(CHANGES)}"


def held_out(options: TrainOptions, samples: int) -> int:
    """How many samples choose the best epoch: at least one, and one is left to train on."""
    return min(max(1, round(samples * options.holdout)), samples - 1)


def require_torch() -> None:
    """Raise UsageError when PyTorch is not installed."""
    if importlib.util.find_spec("torch") is None:
        raise UsageError(
            "fine-tuning needs PyTorch, which is not installed",
            hints=[install_line()],
        )


def install_line() -> str:
    """Installs what the extra ``train`` asks for, however deployer came here: no index has to know
    deployer."""
    return shlex.join([sys.executable, "-m", "pip", "install", *_required()])


def _required() -> list[str]:
    """Of the extra; that of the sources themselves where nothing is installed."""
    try:
        found = requires("cnn-deployer") or []
    except PackageNotFoundError:
        found = []
    wanted = [text.partition(";") for text in found]
    return [
        name.strip() for name, _, mark in wanted if re.search(r"extra == ['\"]train['\"]", mark)
    ] or ["torch"]

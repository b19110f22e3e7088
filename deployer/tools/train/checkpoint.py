"""Where a training stands, on disk: whole at any moment, and enough to go on bit for bit."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deployer.errors import UsageError
from deployer.ir import Graph
from deployer.tools.train.objective import Lesson
from deployer.tools.train.options import TrainOptions
from deployer.tools.train.stated import Shadow
from deployer.tools.train.tuned_facts import EpochFacts

NAME = "checkpoint.pt"
_VERSION = 1


@dataclass(frozen=True)
class Epoch:
    """``number`` counts from 1; 0 is the state before training, which has no training loss.

    ``loss`` is the mean over the epoch's batches, ``held_out`` the integer pipeline's on the
    samples that are not trained on.
    """

    number: int
    loss: float | None
    held_out: float
    seconds: float

    @property
    def facts(self) -> EpochFacts:
        """As JSON types."""
        return {
            "number": self.number,
            "loss": self.loss,
            "held_out": self.held_out,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, eq=False)
class State:
    """After ``history[-1]``: the shadows, the optimizer, and the best shadows so far."""

    shadows: Mapping[str, Shadow]
    optimizer: Mapping[str, Any]
    history: tuple[Epoch, ...]
    best: Mapping[str, Shadow]

    @property
    def best_epoch(self) -> Epoch:
        return min(self.history, key=lambda epoch: epoch.held_out)


def fingerprint(stated: Graph, wanted: Lesson, options: TrainOptions) -> str:
    """Of everything that decides the course of a training but the number of epochs."""
    digest = hashlib.sha256(repr(replace(options, epochs=0)).encode())
    for name, value in sorted(stated.values.items()):
        digest.update(repr((name, value)).encode())
    for arrays in (stated.constants, wanted.inputs, wanted.targets):
        for name, array in sorted(arrays.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def save(state: State, folder: Path, identity: str) -> None:
    """Write aside, then rename: an interrupted write leaves the earlier checkpoint."""
    aside = folder / f".{NAME}.new"
    body = {
        "version": _VERSION,
        "identity": identity,
        "shadows": _tensors(state.shadows),
        "optimizer": state.optimizer,
        "history": [asdict(epoch) for epoch in state.history],
        "best": _tensors(state.best),
    }
    torch.save(body, aside)
    os.replace(aside, folder / NAME)


def load(folder: Path, identity: str) -> State:
    """What ``save`` wrote. Raises UsageError when it is missing, broken or another training's."""
    path = folder / NAME
    try:
        body = torch.load(path, map_location="cpu", weights_only=True)
        if body["version"] != _VERSION or body["identity"] != identity:
            raise _other(path)
        history = tuple(Epoch(**epoch) for epoch in body["history"])
        return State(_shadows(body["shadows"]), body["optimizer"], history, _shadows(body["best"]))
    except FileNotFoundError:
        raise UsageError(
            f"no training to resume in {folder}", hints=["leave --resume out to start one"]
        ) from None
    except UsageError:
        raise
    except Exception as error:  # torch.load raises whatever its unpickler met
        raise UsageError(f"not a readable checkpoint: {path}", why=[str(error)[:200]]) from None


def _other(path: Path) -> UsageError:
    return UsageError(
        f"{path} belongs to another training",
        why=["the model, the samples or an option differs; only --epochs may"],
        hints=["repeat the first call's options, or give another folder with -o"],
    )


def _tensors(shadows: Mapping[str, Shadow]) -> dict[str, list[torch.Tensor]]:
    return {
        name: [torch.tensor(shadow.weight), torch.tensor(shadow.bias)]
        for name, shadow in shadows.items()
    }


def _shadows(tensors: Mapping[str, list[torch.Tensor]]) -> dict[str, Shadow]:
    return {name: Shadow(*(t.numpy() for t in pair)) for name, pair in tensors.items()}

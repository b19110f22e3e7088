"""Whose fault it is when a stage fails over artifacts of an earlier process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from deployer.errors import DeployerError, UsageError
from deployer.pipeline.store import STAGES, Store


@contextmanager
def edited(store: Store, stage: str, first: str) -> Iterator[None]:
    """What fails over artifacts that somebody edited is a UsageError; ``first`` is the stage from
    which on this process made them. Where all before it are as they were written, and where the
    machine has no memory, the error stays what it is."""
    try:
        yield
    except (DeployerError, MemoryError):
        raise
    except Exception as error:
        before = STAGES[: STAGES.index(first)]
        if all(map(store.as_written, before)):
            raise
        raise UsageError(
            f"stage {stage} cannot go on from what is in {store.folder}",
            why=[f"{type(error).__name__}: {error}"],
            hints=[f"a file there was edited: run from stage {before[-1]} or an earlier one again"],
        ) from error

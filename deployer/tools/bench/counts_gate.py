"""Counted instructions of networks on file, and whether a run still takes no more of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from deployer.errors import BenchError, ThresholdError, UsageError
from deployer.files import write_file
from deployer.tools.bench.facts import CountsFile, InstructionCounts
from deployer.tools.bench.model_time import ModelTime

SCHEMA = 1
ALLOWED_SHARE = 0.01  # more instructions of a layer or network, as a share


@dataclass(frozen=True)
class Gate:
    """``path`` None lets everything pass; ``rewrite`` makes it the new measure."""

    path: Path | None
    rewrite: bool = False

    def prepare(self) -> None:
        """Raise UsageError for a file that cannot serve, before anything is built."""
        if self.path is None:
            if self.rewrite:
                raise UsageError("--rewrite needs --gate FILE")
        elif not self.rewrite:
            read_counts(self.path)
        elif not self.path.parent.is_dir():
            raise UsageError(f"there is no folder {self.path.parent}")

    def judge(self, timed: Sequence[ModelTime]) -> str:
        """What to tell of it; the file is written, or read and compared. Raises ThresholdError when
        something takes more, BenchError when another compiler counted."""
        if self.path is None:
            return ""
        if self.rewrite:
            return _write(self.path, timed)
        kept = read_counts(self.path)
        _same_compiler(self.path, kept, timed)
        if more := [line for network in timed for line in _excess(kept, network)]:
            raise ThresholdError(
                f"over {ALLOWED_SHARE:.0%} more instructions than in {self.path}",
                why=more,
                hints=["where that is meant: the same command with --rewrite"],
            )
        count = sum(len(network.layers) for network in timed)
        return f"{count} layers within {ALLOWED_SHARE:.0%} of {self.path}"


def counts_of(timed: Sequence[ModelTime]) -> CountsFile:
    """The file's content."""
    return {
        "schema": SCHEMA,
        "kind": "counted instructions, one warm inference",
        "compiler": _compilers(timed)[0],
        "networks": {network.name: _network(network) for network in timed},
    }


def read_counts(path: Path) -> CountsFile:
    """Raises UsageError for a file that is none of ``counts_of``."""
    try:
        found = json.loads(path.read_text())
        if found["schema"] != SCHEMA:
            raise UsageError(f"{path} has schema {found['schema']}, not {SCHEMA}")
        if not (isinstance(found["compiler"], str) and isinstance(found["networks"], dict)):
            raise TypeError("compiler or networks")
    except OSError as error:
        why = [error.strerror or str(error)]
        raise UsageError(f"cannot read {path}", why=why, hints=["--rewrite makes it"]) from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} holds no counts", why=[str(error)]) from None
    return cast(CountsFile, found)


def _network(network: ModelTime) -> InstructionCounts:
    layers = {
        f"{layer.time.index} {layer.name}": layer.time.instructions for layer in network.layers
    }
    per_mac = round(network.instructions / max(network.macs, 1), 4)
    return {
        "macs": network.macs,
        "instructions": network.instructions,
        "instructions_per_mac": per_mac,
        "layers": layers,
    }


def _compilers(timed: Sequence[ModelTime]) -> list[str]:
    return sorted({network.compiler for network in timed})


def _same_compiler(path: Path, kept: CountsFile, timed: Sequence[ModelTime]) -> None:
    now = _compilers(timed)
    if now != [kept["compiler"]]:
        raise BenchError(
            f"{path} was counted with another compiler",
            why=[f"then {kept['compiler']}, now {', '.join(now)}"],
            hints=["count with the same compiler, or make a file of your own with --rewrite"],
        )


def _excess(kept: CountsFile, network: ModelTime) -> Iterator[str]:
    """A line for each thing that takes more than it may."""
    now = _network(network)
    then = kept["networks"].get(network.name)
    if then is None or list(then["layers"]) != list(now["layers"]):
        yield f"{network.name}: {'other layers than' if then else 'not'} in the file"
        return
    yield from _more(network.name, then["instructions"], now["instructions"])
    for key, count in now["layers"].items():
        yield from _more(f"{network.name} {key}", then["layers"][key], count)


def _more(what: str, then: int, now: int) -> Iterator[str]:
    if now > then * (1 + ALLOWED_SHARE):
        yield f"{what}: {now:,}, was {then:,} ({now / max(then, 1) - 1:+.1%})"


def _write(path: Path, timed: Sequence[ModelTime]) -> str:
    """Networks of the file that did not run stay, when the same compiler counted them."""
    body = counts_of(timed)
    if path.exists():
        kept = read_counts(path)
        if kept["compiler"] == body["compiler"]:
            body["networks"] = {**kept["networks"], **body["networks"]}
    write_file(path, json.dumps(body, indent=1) + "\n")
    return f"{path} written: {len(body['networks'])} networks"

"""The file of a matrix: which models on which boards with which options.

[[matrix]]
models = ["resnet8.onnx", "kws.onnx"]
boards = ["nucleo-f767zi", "rpi3"]
[matrix.options]                     # of deployer run; a list is tried item by item
scheme = ["multiply-shift", "power-of-two"]
golden = 2
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from deployer.errors import UsageError
from deployer.schema import Each, Named, Rule, Table, read_toml, text
from deployer_hil.matrix.cell import Cell

_NOT_OPTIONS = ("output", "results", "runner", "json", "until", "from", "board", "bench")
_NAME = text(r"[a-z][a-z0-9_-]*", "the name of an option, without its dashes", most=60)
_SCALARS = (str, int, float)
_PLAIN = Rule("a text, a number, true or false", lambda v: isinstance(v, _SCALARS))
_OPTION = Rule(
    "a text, a number, true or false, or a list of them",
    lambda v: (
        isinstance(v, _SCALARS)
        or (isinstance(v, list) and bool(v) and all(isinstance(item, _SCALARS) for item in v))
    ),
)
_NAMES = Each(text(r".+", "a name", most=1000), least=1)
_MATRIX = Table(
    {"models": _NAMES, "boards": _NAMES},
    {"runner": text(r"\w*", "a runner"), "options": Named(_OPTION, key=_NAME)},
)
_PATH = text(r".+", "a path", most=1000)
_FILE = Table({"matrix": Each(_MATRIX, least=1)}, {"results": _PATH, "output": _PATH})


@dataclass(frozen=True)
class MatrixFile:
    """Paths in it are relative to its ``folder``. ``digest``: of its cells."""

    folder: Path
    cells: tuple[Cell, ...]
    results: Path
    output: Path

    @property
    def digest(self) -> str:
        return _digest(sorted(cell.id for cell in self.cells))


def read_matrix(path: Path, *, version: str) -> MatrixFile:
    """Every combination, in the file's order. ``version``: of what runs them. Raises UsageError
    naming the key at fault, or a model that is not there."""
    given = read_toml(path)
    try:
        _FILE.check(given, "")
        _check_options(given["matrix"])
    except UsageError as error:
        what = f"{path} is no matrix: {error.what}"
        raise UsageError(what, why=error.why, hints=error.hints) from None
    folder = path.resolve().parent
    cells = [cell for each in given["matrix"] for cell in _cells(each, folder, version)]
    unique = {cell.id: cell for cell in cells}
    return MatrixFile(
        folder,
        tuple(unique.values()),
        folder / given.get("results", "results.sqlite"),
        folder / given.get("output", "build"),
    )


def _check_options(matrices: Sequence[Mapping[str, Any]]) -> None:
    for index, each in enumerate(matrices):
        for name in each.get("options", {}):
            if name in _NOT_OPTIONS:
                raise UsageError(
                    f"matrix[{index}].options has {name!r}, which the matrix decides",
                    hints=["leave it out; models, boards, runner, results and output have keys"],
                )


def _cells(each: Mapping[str, Any], folder: Path, version: str) -> Iterator[Cell]:
    choices = {name: _listed(value) for name, value in each.get("options", {}).items()}
    for model, board in product(each["models"], each["boards"]):
        for values in product(*choices.values()):
            words = [word for pair in zip(choices, values, strict=True) for word in _words(*pair)]
            yield _cell(model, board, each.get("runner", ""), words, folder, version)


def _cell(
    model: str, board: str, runner: str, words: Sequence[str], folder: Path, version: str
) -> Cell:
    file = folder / model
    if not file.is_file():
        raise UsageError(f"no such model: {file}")
    contents = [_sha256(folder / word) for word in words if (folder / word).is_file()]
    shaped = [_sha256(file), board, runner, list(words), contents, version]
    return Cell(_digest(shaped), model, board, runner, tuple(words))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _words(name: str, value: Any) -> list[str]:
    """As the command line has it; a flag is there or not."""
    option = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        return [option] if value else []
    return [option, str(value)]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _digest(body: Any) -> str:
    return hashlib.sha256(json.dumps(body).encode()).hexdigest()[:16]

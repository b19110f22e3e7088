"""Instances of memory allocation: public ones from a folder, or the zoo's networks."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deployer.allocate import Problem, is_instance, problem_to_csv
from deployer.analysis import lifetimes
from deployer.errors import UsageError
from deployer.frontend import import_model
from deployer.ir import Graph
from deployer.restructure import as_int8
from deployer.tools.zoo import draw, save

NETWORKS = ("googlenet", "inception-v3", "resnet18", "mobilenetv1", "mobilenetv2", "densenet121")
ZOO = "zoo"
_CSV_BYTES = 64 << 20  # of one table in an archive


@dataclass(frozen=True)
class Entry:
    """A table of ``id,lower,upper,size`` and the set it belongs to."""

    group: str
    name: str
    text: str


def entries_of(folder: Path) -> tuple[Entry, ...]:
    """Every instance below ``folder`` by name; a sub-folder or a zip archive is a set."""
    if not folder.is_dir():
        raise UsageError(f"no folder {folder}")
    found = [*_loose(folder), *_archived(folder)]
    if not found:
        raise UsageError(f"no instance in {folder}", hints=["tables with id,lower,upper,size"])
    return tuple(sorted(found, key=lambda entry: (entry.group, entry.name)))


def _loose(folder: Path) -> Iterator[Entry]:
    for path in folder.rglob("*.csv"):
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        if is_instance(text):
            inner = path.relative_to(folder)
            group = folder.resolve().name if inner.parent == Path() else inner.parent.as_posix()
            yield Entry(group, path.stem, text)


def _archived(folder: Path) -> Iterator[Entry]:
    for path in folder.rglob("*.zip"):
        try:
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    if not member.filename.endswith(".csv"):
                        continue
                    if member.file_size > _CSV_BYTES:
                        raise UsageError(
                            f"{member.filename} of {path} is too large",
                            why=[f"{member.file_size:,} bytes, of which {_CSV_BYTES:,} are read"],
                        )
                    text = archive.read(member).decode("utf-8-sig", "replace")
                    if is_instance(text):
                        yield Entry(path.stem, Path(member.filename).stem, text)
        except (zipfile.BadZipFile, zlib.error, OSError, RuntimeError) as error:
            raise UsageError(f"cannot read {path}", why=[str(error)]) from None


def zoo_entries() -> Iterator[Entry]:
    """The six networks of paper 001, table 2.3, from the zoo, a byte an element.

    The paper leaves the input out; so does this. A Reshape shares its input's bytes here, and
    there are no local-response normalisations, so a few lists differ from the public ones.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in NETWORKS:
            path = Path(folder) / f"{name}.onnx"
            save(draw(name), path)
            yield Entry(ZOO, name, tensor_list(import_model(path)))


def tensor_list(graph: Graph) -> str:
    """The activations of ``graph`` but its inputs, as 8-bit integers."""
    buffers = [b for b in lifetimes(as_int8(graph)) if b.id not in graph.inputs]
    return problem_to_csv(Problem(tuple(buffers), ()))

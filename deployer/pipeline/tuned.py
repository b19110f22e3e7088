"""What ``deployer finetune`` hands over: a float graph that states its quantization."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from deployer.bundle import sha256
from deployer.errors import UsageError
from deployer.ir import Graph, load_sound, serde
from deployer.pipeline.options import as_option

NAME = "tuned.json"
TEACHER = "teacher.json"
_PREFIX = "tuned/"
_SCHEME, _REQUANT, _SOFTMAX, _SHAPES = (
    f"{_PREFIX}{field}" for field in ("scheme", "requant", "softmax", "input_shapes")
)


def save_tuned(graph: Graph, folder: Path, *, options: Any, teacher: Graph) -> Path:
    """Write ``graph`` with the ``options`` (pipeline.options) it holds for, and the float graph it
    was trained against, whose layers correspond; array files first, each aside and renamed."""
    meta = {
        _SCHEME: options.scheme,
        _REQUANT: options.requant,
        _SOFTMAX: options.softmax,
        _SHAPES: _shapes_text(options.input_shapes),
    }
    _write(teacher, folder / TEACHER)
    return _write(replace(graph, meta={**graph.meta, **meta}), folder / NAME)


def _write(graph: Graph, path: Path) -> Path:
    aside = path.with_name(f".new-{path.name}")
    serde.save(graph, aside)
    for suffix in (".npz", ".json"):
        aside.with_suffix(suffix).replace(path.with_suffix(suffix))
    return path


def load_tuned(folder: Path) -> Graph:
    """The graph ``save_tuned`` wrote to ``folder``. Raises UsageError when it is not one."""
    path = folder / NAME if folder.is_dir() else folder
    if not path.is_file():
        raise UsageError(
            f"no fine-tuned network in {folder}",
            hints=["make one: deployer finetune --samples FILE.npz -o FOLDER MODEL"],
        )
    graph = load_sound(path)
    if not isinstance(graph, Graph) or _SCHEME not in graph.meta:
        raise UsageError(
            f"{path} is not a fine-tuned network", hints=["give the folder finetune wrote to"]
        )
    return graph


def reference_for(imported: Graph, folder: Path) -> Graph:
    """What to compare the layers of the tuned network with: the same function as ``imported``,
    with channels evened out where it was trained so. Folders without one have the imported's."""
    path = (folder if folder.is_dir() else folder.parent) / TEACHER
    if not path.is_file():
        return imported
    graph = load_sound(path)
    if not isinstance(graph, Graph) or _shape_of(graph) != _shape_of(imported):
        raise UsageError(
            f"{path} does not belong to {imported.name}", hints=["run deployer finetune again"]
        )
    return graph


def settled_options(tuned: Graph) -> dict[str, Any]:
    """The pipeline options the network was tuned with: it holds for no others."""
    words = {"scheme": _SCHEME, "requant": _REQUANT, "softmax": _SOFTMAX}
    return {
        **{name: as_option(name, tuned.meta[key]) for name, key in words.items()},
        "input_shapes": _shapes_from(tuned.meta[_SHAPES]),
    }


def tuned_for(imported: Graph, folder: Path) -> Graph:
    """The tuned network in ``folder``, once sure that it comes from the model just imported.

    Raises UsageError when it was made from another file or by another version of the importer.
    """
    tuned = load_tuned(folder)
    if tuned.meta.get("model_sha256") != imported.meta.get("model_sha256"):
        raise UsageError(
            f"{folder} was fine-tuned from another model than {imported.name}",
            why=[f"it was {tuned.meta.get('model_file', tuned.name)}, with other contents"],
            hints=["give the model it was tuned from, or run deployer finetune again"],
        )
    if _shape_of(tuned) != _shape_of(imported):
        raise UsageError(
            f"{folder} was fine-tuned with another version of deployer",
            why=["the model is the same, but is imported into other layers now"],
            hints=["run deployer finetune again"],
        )
    return tuned


def digest(folder: Path) -> str:
    """SHA-256 of the tuned arrays."""
    path = folder / NAME if folder.is_dir() else folder
    return sha256(path.with_suffix(".npz"))


def _shape_of(graph: Graph) -> list[tuple[str, str, str, tuple[int, ...]]]:
    return [(n.name, n.op, n.output, graph.values[n.output].shape) for n in graph.nodes]


def _shapes_text(shapes: Any) -> str:
    return ";".join(f"{name}={','.join(map(str, dims))}" for name, dims in shapes)


def _shapes_from(text: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
    pairs = [part.rpartition("=") for part in text.split(";") if part]
    return tuple((name, tuple(map(int, dims.split(",")))) for name, _, dims in pairs)

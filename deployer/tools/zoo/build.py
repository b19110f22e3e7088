"""A network of the zoo: drawn, counted, written to a file."""

from __future__ import annotations

from pathlib import Path

from deployer.choices import GraphStyle
from deployer.errors import UsageError
from deployer.files import write_file
from deployer.tools.zoo.builder import NetworkBuilder
from deployer.tools.zoo.catalog import Entry, find
from deployer.tools.zoo.emit import to_onnx
from deployer.tools.zoo.layers import Network, Shape
from deployer.tools.zoo.styles import STYLES

_MAX_WIDTH = 8.0
_MAX_PIXELS = 4096  # pixels of an axis
_MAX_CLASSES = 100_000
_MAX_BYTES = (1 << 31) - (1 << 22)  # of weights: a protobuf message holds less than 2 GiB


def draw(
    name: str,
    *,
    width: float = 1.0,
    resolution: tuple[int, int] | None = None,
    classes: int | None = None,
) -> Network:
    """The network, without weights. ``resolution``: height and width, by default the usual ones.

    Raises UsageError for a name, width, resolution or number of classes that cannot be.
    """
    entry = find(name)
    if not 0 < width <= _MAX_WIDTH:
        raise UsageError(f"--width {width:g} cannot be", hints=[f"above 0, up to {_MAX_WIDTH:g}"])
    builder = NetworkBuilder(
        name,
        width=width,
        classes=_classes(name, entry, classes),
        norm=entry.norm,
        act=entry.act,
        slope=entry.slope,
    )
    x = builder.input(*_input(name, entry, resolution))
    outputs = entry.draw(builder, x)
    return builder.network(**({"output": outputs} if isinstance(outputs, str) else outputs))


def save(
    network: Network,
    path: Path,
    *,
    style: GraphStyle = GraphStyle.PLAIN,
    seed: int = 0,
    batch_norm: bool = False,
) -> None:
    """Write the network with the weights of ``seed``; the same arguments give the same bytes.

    ``batch_norm`` leaves batch norms separate. Raises UsageError for an unknown style, a negative
    seed, more weights than a file holds, or a path that cannot be written.
    """
    if style not in STYLES:
        raise UsageError(f"unknown style {style!r}", hints=[f"one of {', '.join(STYLES)}"])
    if seed < 0:
        raise UsageError(f"--seed {seed} cannot be", hints=["0 or more"])
    _check_size(network)
    model = to_onnx(network, STYLES[style], seed=seed, batch_norm=batch_norm)
    write_file(path, model.SerializeToString(deterministic=True))


def _classes(name: str, entry: Entry, classes: int | None) -> int:
    if classes is None:
        return entry.classes
    if not entry.classes:
        raise UsageError(f"{name} has no classes", hints=["leave --classes out"])
    if not 1 <= classes <= _MAX_CLASSES:
        raise UsageError(f"--classes {classes} cannot be", hints=[f"1 to {_MAX_CLASSES:,}"])
    return classes


def _input(name: str, entry: Entry, resolution: tuple[int, int] | None) -> Shape:
    height, width = resolution or entry.input[1:]
    shown = f"{height}x{width}"
    if not 1 <= min(height, width) <= max(height, width) <= _MAX_PIXELS:
        raise UsageError(f"--resolution {shown} cannot be", hints=[f"1 to {_MAX_PIXELS} each way"])
    if height % entry.multiple or width % entry.multiple:
        near = "x".join(str(_round(extent, entry.multiple)) for extent in (height, width))
        why = f"it halves and doubles them: both are multiples of {entry.multiple}"
        hints = [f"--resolution {near}"]
        raise UsageError(f"{name} cannot take an input of {shown}", why=[why], hints=hints)
    return entry.input[0], height, width


def _round(extent: int, multiple: int) -> int:
    return max(1, round(extent / multiple)) * multiple


def _check_size(network: Network) -> None:
    numbers = network.parameters
    if 4 * numbers > _MAX_BYTES:
        raise UsageError(
            f"{network.name} is too large for an ONNX file",
            why=[f"{numbers:,} weights take {4 * numbers:,} B; a file holds less than 2 GiB"],
            hints=["a smaller --width or --resolution"],
        )

"""Types of options: what a user writes after ``--name`` and what it becomes."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    _Type = click.ParamType[Any]
    _Words = click.Choice[Any]
else:
    _Type, _Words = click.ParamType, click.Choice  # generic since click 8.4


class ShapeType(_Type):
    """``name=1,3,96,96``."""

    name = "name=dims"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[int, ...]]:
        name, _, dims = str(value).partition("=")
        try:
            shape = tuple(int(dim) for dim in dims.split(","))
        except ValueError:
            self.fail(f"{value!r} is not NAME=D,D,…, such as input=1,3,96,96", param, ctx)
        return name, shape


class WidthType(_Type):
    """``conv1=16``."""

    name = "name=bits"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        name, _, bits = str(value).rpartition("=")
        if not name or bits not in ("8", "16"):
            self.fail(f"{value!r} is not NAME=8 or NAME=16", param, ctx)
        return name, int(bits)


class GoalType(_Type):
    """``sqnr=35``, ``top1=99%`` or ``ram=64KiB``."""

    name = "goal"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from deployer.quantize import parse_goal

        return parse_goal(value) if isinstance(value, str) else value


class SizeType(_Type):
    """``300KiB``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from deployer.units import parse_size

        if not isinstance(value, str):
            return value
        size = int(value) if value.isdigit() else parse_size(value)
        return size or self.fail("nothing fits 0 bytes", param, ctx)


class RatioType(_Type):
    """``0.5`` or ``1/255``."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            return float(Fraction(str(value)))
        except (ValueError, ZeroDivisionError):
            self.fail(f"{value!r} is not a number such as 0.5 or 1/255", param, ctx)


class ChoiceParamType(_Words):
    """The values of an enumeration, and its members for them."""

    def __init__(self, words: type[StrEnum]):
        super().__init__([word.value for word in words])
        self.words = words

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> StrEnum:
        return self.words(super().convert(str(value), param, ctx))


class ListType(_Type):
    """Values of ``of``, commas between: ``64KiB,32KiB``."""

    def __init__(self, of: _Type):
        self.of = of
        self.name = f"{of.name},..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return tuple(self.of.convert(part, param, ctx) for part in value)
        parts = [part.strip() for part in value.split(",")]
        if not all(parts):
            self.fail(f"{value!r} has an empty part", param, ctx)
        return tuple(dict.fromkeys(self.of.convert(part, param, ctx) for part in parts))


class ResolutionType(_Type):
    """``96``, or ``256x512`` for height and width."""

    name = "N or HxW"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        height, _, width = str(value).partition("x")
        try:
            return int(height), int(width or height)
        except ValueError:
            self.fail(f"{value!r} is not a size such as 96 or 256x512", param, ctx)

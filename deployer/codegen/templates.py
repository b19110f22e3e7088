"""Texts of templates: generated C, and linker scripts."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from deployer.codegen.statement import Expression
from deployer.resources import data_root

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(file: str, /, **names: object) -> str:
    """The text of a template under firmware/templates, where lines of statements leave no line."""
    return _text(data_root() / "firmware" / "templates", file, names, trims=True)


def rendered_script(file: str, /, **names: object) -> str:
    """The text of a linker script's template under boards."""
    return _text(data_root() / "boards", file, names, trims=False)


def _text(folder: Path, file: str, names: dict[str, object], *, trims: bool) -> str:
    text: str = _environment(folder, trims).get_template(file).render(**names)
    return text


@cache  # with the templates it has compiled
def _environment(folder: Path, trims: bool) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=trims,
        lstrip_blocks=trims,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.finalize = partial(_written, environment)
    return environment


def _written(environment: Environment, value: object) -> object:
    """What a template prints of ``value``: of an expression, what the macro of its form writes."""
    if not isinstance(value, Expression):
        return value
    forms = environment.get_template("expressions.j2").module
    return getattr(forms, value.form)(*value.given)

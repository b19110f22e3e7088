"""The pages of a report, from templates that escape every name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent / "site"
_SHARED = ("style.css", "common.js")


@dataclass(frozen=True)
class Page:
    """``name``: of its template, its own script and HTML file. ``needs``: scripts that it shares
    with other pages. ``plots``: whether it draws any."""

    name: str
    title: str
    needs: tuple[str, ...] = ()
    plots: bool = True

    @property
    def file(self) -> str:
        return f"{self.name}.html"

    @property
    def scripts(self) -> tuple[str, ...]:
        return (*self.needs, f"{self.name}.js")


PAGES = (
    Page("index", "Runs", plots=False),
    Page("trends", "Trends", needs=("commits.js",)),
    Page("memory", "Memory", needs=("commits.js",)),
    Page("layers", "Layers", needs=("runcounts.js",)),
    Page("pareto", "Pareto"),
    Page("compare", "Compare", needs=("runcounts.js",)),
)


def page_files(about: Mapping[str, str]) -> dict[str, str]:
    """The HTML of every page, its script, and what all share. ``about``: what the foot says."""
    scripts = {name for page in PAGES for name in page.scripts}
    files = {name: (_FOLDER / name).read_text(encoding="utf-8") for name in {*_SHARED, *scripts}}
    for page in PAGES:
        template = _environment().get_template(f"{page.name}.html.j2")
        files[page.file] = template.render(page=page, pages=PAGES, about=about)
    return files


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )

"""Small helpers to write SVG: elements, text of an estimated width, the same bytes every time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from deployer.printed import printed_lines

_CHARACTER_EMS = 0.6  # of the font size: the width of a character, on the safe side
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def tag(
    name: str, /, *children: ET.Element, text: str = "", **attributes: str | float
) -> ET.Element:
    """An element. ``class_`` becomes ``class``, ``stroke_width`` ``stroke-width``."""
    made = ET.Element(name)
    for key, value in attributes.items():
        made.set(key.rstrip("_").replace("_", "-"), _attribute(value))
    made.text = clean(text) or None
    made.extend(children)
    return made


def drawing(
    width: float, height: float, children: Iterable[ET.Element], *, title: str, about: str, css: str
) -> ET.Element:
    """A whole ``svg`` with its accessible title and description, on a background."""
    root = tag(
        "svg",
        tag("title", text=title),
        tag("desc", text=about),
        tag("style", text=css),
        tag("rect", class_="back", x=0, y=0, width=width, height=height),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        role="img",
        aria_label=title,
    )
    root.set("viewBox", f"0 0 {number(width)} {number(height)}")
    return root


def write(x: float, y: float, text: str, class_: str = "", **attributes: str | float) -> ET.Element:
    """Text whose baseline begins at (x, y)."""
    return tag("text", text=text, x=x, y=y, class_=f"t {class_}".rstrip(), **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> ET.Element:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def text_width(text: str, size: float) -> float:
    """Pixels that ``text`` takes at a font of ``size`` pixels, rather too many than too few."""
    return len(text) * size * _CHARACTER_EMS


def number(value: float) -> str:
    """At most two decimals, no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def clean(text: str) -> str:
    """``text`` without what XML cannot hold, nor what changes how the rest reads."""
    return _NOT_XML.sub("?", printed_lines(text))


def markup(root: ET.Element) -> str:
    """The document of ``root``, a line per element."""
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode", short_empty_elements=True) + "\n"


def _attribute(value: str | float) -> str:
    return clean(value) if isinstance(value, str) else number(value)

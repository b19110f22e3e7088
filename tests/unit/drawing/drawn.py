"""What a drawing holds, read back from its markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import pairwise

from deployer.drawing.svg import markup

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Rect:
    name: str
    x: float
    y: float
    width: float
    height: float

    def inside(self, width: float, height: float) -> bool:
        within_x = self.x >= 0 and self.x + self.width <= width + 0.01
        return within_x and self.y >= 0 and self.y + self.height <= height + 0.01

    def meets(self, other: Rect) -> bool:
        """Whether the two share more than a hundredth of a pixel of rounding."""
        wide = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        tall = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return wide > 0.02 and tall > 0.02


def parsed(root: ET.Element) -> ET.Element:
    """The drawing as a reader of the file sees it."""
    return ET.fromstring(markup(root))


def size(root: ET.Element) -> tuple[float, float]:
    return float(root.get("width", 0)), float(root.get("height", 0))


def rects(root: ET.Element, css: str) -> list[Rect]:
    """Rectangles of a class; their name is the data-buffer or the tooltip."""
    return [
        Rect(
            item.get("data-buffer") or item.findtext(f"{SVG}title") or "",
            *(float(item.get(key, 0)) for key in ("x", "y", "width", "height")),
        )
        for item in root.iter(f"{SVG}rect")
        if css in (item.get("class") or "").split()
    ]


def buffers(root: ET.Element) -> list[Rect]:
    drawn = [item for item in root.iter(f"{SVG}rect") if item.get("data-buffer")]
    keys = ("x", "y", "width", "height")
    return [
        Rect(item.get("data-buffer", ""), *(float(item.get(key, 0)) for key in keys))
        for item in drawn
    ]


def texts(root: ET.Element) -> list[str]:
    return [item.text or "" for item in root.iter(f"{SVG}text")]


def stacked(boxes: list[Rect]) -> bool:
    """One below the other, in the order given."""
    return all(a.y + a.height <= b.y for a, b in pairwise(boxes))

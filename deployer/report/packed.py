"""Facts as scripts that a page loads from its own folder: JSON, deflated, in base64.

A page that is opened from a file may load scripts, and nothing else. In base64 no name can end
a script or begin one.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any


def script(name: str, facts: Any) -> str:
    """A script that hands ``facts`` to the page under ``name``."""
    text = json.dumps(facts, separators=(",", ":"), allow_nan=False)
    packed = base64.b64encode(zlib.compress(text.encode(), 6)).decode()
    return f'report.put("{name}", "{packed}");\n'


def unpacked(text: str) -> Any:
    """What ``script`` packed."""
    return json.loads(zlib.decompress(base64.b64decode(text.split('"')[3])))

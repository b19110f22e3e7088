"""Scripts of a site: facts that a page loads from its own folder, and the plotting library.

A page that is opened from a file may load scripts, and nothing else. Facts are JSON, deflated, in
base64: no name in them can end a script or begin one. The library is Vega, from the package
vl-convert-python.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import zlib
from typing import Any

from deployer.errors import UsageError

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_NOTICE = (
    "/* Vega, Vega-Lite and Vega-Embed, (c) University of Washington Interactive Data Lab, with\n"
    "   what they need; licence: BSD-3-Clause. */\n"
)


def script(name: str, facts: Any) -> str:
    """A script that hands ``facts`` to the page under ``name``."""
    text = json.dumps(facts, separators=(",", ":"), allow_nan=False)
    packed = base64.b64encode(zlib.compress(text.encode(), 6)).decode()
    return f'report.put("{name}", "{packed}");\n'


def unpacked(text: str) -> Any:
    """What ``script`` packed."""
    return json.loads(zlib.decompress(base64.b64decode(text.split('"')[3])))


def require_library() -> None:
    """Raise UsageError when the package is not installed."""
    if importlib.util.find_spec("vl_convert") is None:
        raise UsageError(
            "a report needs vl-convert-python, which is not installed",
            why=["it brings Vega, which draws the plots"],
            hints=[
                "pip install 'vl-convert-python>=1.7'",
                "or, from a checkout: pip install '.[report]'",
            ],
        )


def plotting_script() -> str:
    """JavaScript that defines ``vegaEmbed``; about 900 KB."""
    require_library()
    import vl_convert

    return _NOTICE + str(vl_convert.javascript_bundle(_SNIPPET))

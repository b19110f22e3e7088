"""The plotting library: Vega, from the package vl-convert-python, as one script."""

from __future__ import annotations

import importlib.util

from deployer.errors import UsageError

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_NOTICE = (
    "/* Vega, Vega-Lite and Vega-Embed, (c) University of Washington Interactive Data Lab, with\n"
    "   what they need; licence: BSD-3-Clause. */\n"
)


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

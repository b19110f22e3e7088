"""What the plots look like, as specifications of Vega-Lite. Their rows come with the page.

Colours are those of the text, so that plots follow dark screens and paper; what differs, differs
in shape or dash, too.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]

_INK = "currentColor"
_ACCENT = "#1f77b4"
_AXIS = {
    "labelColor": _INK,
    "titleColor": _INK,
    "domainColor": _INK,
    "tickColor": _INK,
    "gridColor": _INK,
    "gridOpacity": 0.12,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
}
_LEGEND = {"labelColor": _INK, "titleColor": _INK, "orient": "top", "labelFontSize": 12}
_CONFIG = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": _AXIS,
    "legend": _LEGEND,
    "mark": {"color": _ACCENT},
    "text": {"color": _INK, "fontSize": 11},
}
_EXACT = {
    "field": "exact",
    "type": "nominal",
    "title": None,
    "scale": {"domain": ["exact", "differs"], "range": ["circle", "cross"]},
}


def charts() -> dict[str, Spec]:
    """By the name that pages ask for."""
    return {
        "trend": _trend(),
        "layers": _layers(),
        "roofline": _roofline(),
        "pareto": _pareto(),
        "change": _change(),
    }


def _plot(height: int | Spec, layers: list[Spec], **encoding: Spec) -> Spec:
    return {
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": _CONFIG,
        "encoding": encoding,
        "layer": layers,
    }


def _quantity(field: str, **more: Any) -> Spec:
    axis = {"format": "~s", "tickCount": 8, **more.pop("axis", {})}
    return {"field": field, "type": "quantitative", "title": field, "axis": axis, **more}


def _figure(field: str) -> Spec:
    """Around the values, which may all be one: a format without digits would round that one."""
    size = "abs(datum.value) >= 1e6 ? '.7~s' : ',.7~r'"
    axis = {"labelExpr": f"format(datum.value, {size})"}
    return _quantity(field, scale={"zero": False, "nice": True}, axis=axis)


def _names(field: str, **axis: Any) -> Spec:
    """In the order of the rows."""
    return {"field": field, "type": "nominal", "sort": None, "title": None, "axis": axis}


def _told() -> Spec:
    """The text of a row that a pointer shows."""
    return {"field": "told", "type": "nominal"}


def _trend() -> Spec:
    commits = _names("commit", labelAngle=-40, labelOverlap=True, labelLimit=90)
    spread = {"mark": {"type": "rule", "strokeWidth": 5, "opacity": 0.35, "color": _ACCENT}}
    marks = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    return _plot(
        180,
        [
            {**spread, "encoding": {"y": {"field": "low"}, "y2": {"field": "high"}}},
            {"mark": {"type": "line", "strokeWidth": 1.5}},
            {"mark": marks, "encoding": {"shape": _EXACT, "tooltip": _told()}},
        ],
        x=commits,
        y=_figure("value"),
    )


def _layers() -> Spec:
    return _plot(
        {"step": 20},
        [
            {"mark": {"type": "bar", "opacity": 0.75}, "encoding": {"tooltip": _told()}},
            {
                "mark": {"type": "text", "align": "left", "dx": 4},
                "encoding": {"text": {"field": "share"}},
            },
        ],
        y=_names("layer", labelLimit=150, labelPadding=4),
        x=_quantity("count", scale={"domainMin": 0, "padding": 60}),
    )


def _change() -> Spec:
    """Bars to the right are more, to the left less; each says by how much."""
    return _plot(
        {"step": 20},
        [
            {"mark": {"type": "bar", "opacity": 0.75}, "encoding": {"tooltip": _told()}},
            {
                "mark": {"type": "text", "align": "left", "dx": 4},
                "encoding": {"text": {"field": "more"}},
            },
            {
                "mark": {"type": "text", "align": "right", "dx": -4},
                "encoding": {"text": {"field": "less"}},
            },
        ],
        y=_names("layer", labelLimit=150, labelPadding=4),
        x=_quantity("change", scale={"padding": 60}),
    )


def _roofline() -> Spec:
    log = {"scale": {"type": "log", "nice": False}, "axis": {"format": ".2~g"}}
    dots = {"type": "point", "filled": True, "size": 60, "opacity": 0.8}
    roof = {"type": "line", "strokeDash": [6, 4], "color": _INK, "strokeWidth": 1.5}
    return _plot(
        300,
        [
            {
                "transform": [{"filter": "datum.part == 'roof'"}],
                "mark": roof,
                "encoding": {"order": {"field": "x", "type": "quantitative"}},
            },
            {
                "transform": [{"filter": "datum.part == 'layer'"}],
                "mark": dots,
                "encoding": {"tooltip": _told()},
            },
            {
                "transform": [{"filter": "datum.part == 'layer'"}],
                "mark": {"type": "text", "align": "left", "dx": 6, "limit": 110},
                "encoding": {"text": {"field": "name"}},
            },
        ],
        x=_quantity("x", **log),
        y=_quantity("y", **log),
    )


def _pareto() -> Spec:
    standing = {
        "field": "standing",
        "type": "nominal",
        "title": None,
        "scale": {"domain": ["no other is better", "beaten"], "range": ["diamond", "circle"]},
    }
    steps = {"type": "line", "interpolate": "step-after", "strokeDash": [2, 3], "color": _INK}
    return _plot(
        320,
        [
            {
                "transform": [{"filter": "datum.standing != 'beaten'"}],
                "mark": steps,
                "encoding": {
                    "order": {"field": "cost", "type": "quantitative"},
                    "detail": {"field": "line", "type": "nominal"},
                },
            },
            {
                "mark": {"type": "point", "size": 90, "strokeWidth": 2, "opacity": 0.9},
                "encoding": {"shape": standing, "tooltip": _told()},
            },
            {
                "transform": [{"filter": "datum.standing != 'beaten'"}],
                "mark": {"type": "text", "align": "left", "dx": 9, "dy": -6, "limit": 170},
                "encoding": {"text": {"field": "name"}},
            },
        ],
        x=_figure("cost"),
        y=_figure("value"),
    )

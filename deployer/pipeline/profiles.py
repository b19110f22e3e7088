"""Memory over time as facts for programs."""

from __future__ import annotations

from typing import Any

from deployer.analysis.profile import Curve, Profile


def profile_facts(profile: Profile) -> dict[str, Any]:
    """Bytes alive at every step of the plain network; ``after`` is None where it is ``before``.

    ``in_pieces`` are first and last steps of regions.
    """
    return {
        "room": profile.room,
        "steps": profile.layers,
        "before": _curve_facts(profile.before),
        "after": _curve_facts(profile.after) if profile.after else None,
        "in_pieces": profile.spans,
    }


def _curve_facts(curve: Curve) -> dict[str, Any]:
    peak = {
        "step": curve.step,
        "bytes": curve.peak.bytes,
        "alive": {buffer.id: buffer.size for buffer in curve.peak.alive},
    }
    return {"what": curve.title, "alive_bytes": curve.alive, "peak": peak}

"""Mutants that do what the module does, judged by hand."""

from __future__ import annotations

from mutation.mutants import Mutant

# module, line before, line after: why nobody can tell them apart
REASONS: dict[tuple[str, str, str], str] = {}


def reason(mutant: Mutant) -> str:
    """Why ``mutant`` does what the module does; "" when it does not."""
    return REASONS.get((mutant.path, mutant.before, mutant.after), "")

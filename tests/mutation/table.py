"""The mutation table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mutation.mutants import Mutant

Verdict = tuple[Mutant, str]


def table(verdicts: Sequence[Verdict], reason: Callable[[Mutant], str]) -> str:
    """A row a package, then who survived. ``reason``: why a mutant does as the module does."""
    survived = [each for each, verdict in verdicts if not verdict]
    same = [each for each in survived if reason(each)]
    lines = ["", f"{'package':<14}{'mutants':>8}{'killed':>8}{'equivalent':>12}{'survived':>10}"]
    for package in sorted({each.package for each, _ in verdicts}):
        lines.append(_row(package, [v for v in verdicts if v[0].package == package], same))
    lines.append(_row("all", verdicts, same))
    lines += ["", "survived:", *(f"  {each}" for each in survived if each not in same)]
    lines += ["equivalent:", *(f"  {each}: {reason(each)}" for each in same)]
    return "\n".join(lines)


def _row(name: str, verdicts: Sequence[Verdict], same: Sequence[Mutant]) -> str:
    killed = sum(bool(verdict) for _, verdict in verdicts)
    equal = sum(each in same for each, _ in verdicts)
    survived = len(verdicts) - killed - equal
    share = f"{killed / max(1, len(verdicts) - equal):7.0%} killed"
    return f"{name:<14}{len(verdicts):8}{killed:8}{equal:12}{survived:10}{share}"

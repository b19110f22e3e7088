"""What ``deployer gate`` does: read both, compare, tell, or write the baseline anew."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from deployer.errors import ThresholdError, UsageError
from deployer.files import existing, write_file
from deployer.pipeline import commit_of, commits_between
from deployer.printed import printed
from deployer_hil import Results, gate

_MOST_COMMITS = 20
_MOST_LINES = 40


def carry_out(path: Path, baseline: Path, *, reason: str | None, junit: Path | None) -> None:
    """Raises ThresholdError naming what is worse."""
    with Results(existing(path, "file of results")) as results:
        rows = gate.rows_of(result.record for result in results.all())
    if not rows:
        raise UsageError(f"{path} holds no result yet", hints=["deployer run --results FILE"])
    if reason is not None:
        click.echo(update(baseline, rows, reason))
    else:
        click.echo(compare(baseline, rows, junit=junit))


def update(path: Path, rows: Sequence[gate.Row], reason: str) -> str:
    """Write ``rows`` into the baseline and say so; others of the file stay."""
    require_reason(reason)
    old = gate.read_baseline(path) if path.exists() else gate.Baseline()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    told = {"time": now, "commit": commit_of(Path.cwd()), "reason": reason.strip()}
    write_file(path, gate.with_rows(old, rows, told).to_json())
    return f"{len(rows)} rows in {printed(str(path))}"


def require_reason(reason: str) -> None:
    """Raise UsageError for one that says nothing."""
    if not reason.strip():
        raise UsageError("--update-baseline needs a reason", hints=["say why the figures change"])


def compare(path: Path, rows: Sequence[gate.Row], *, junit: Path | None = None) -> str:
    """What holds. Raises ThresholdError naming what is worse."""
    known = gate.read_baseline(existing(path, "baseline"))
    gate.require_comparable(known, rows)
    found = gate.findings(known, rows)
    if junit:
        write_file(junit, gate.junit_xml(found))
    _tell_unknown(known, rows)
    return _require_no_worse(found)


def _tell_unknown(known: gate.Baseline, rows: Sequence[gate.Row]) -> None:
    keys = {row.key for row in known.rows}
    for row in rows:
        if row.key not in keys:
            click.echo(printed(f"not in the baseline: {row.title}"), err=True)


def _require_no_worse(found: Sequence[gate.Finding]) -> str:
    worse = [each for each in found if each.worse]
    better = [each for each in found if each.layer and each.after < each.before]
    if not worse:
        return f"gate: {len(found)} figures hold, {len(better)} layers got faster"
    raise ThresholdError(
        f"{len(worse)} of {len(found)} figures are worse than in the baseline",
        why=[*_lines(worse), *_commits(worse)],
        hints=["mend it, or --update-baseline with the reason"],
    )


def _lines(worse: Sequence[gate.Finding]) -> list[str]:
    lines = [f"{each.row.title}: {each.text}" for each in worse[:_MOST_LINES]]
    return lines + [f"and {len(worse) - _MOST_LINES} more"] * (len(worse) > _MOST_LINES)


def _commits(worse: Sequence[gate.Finding]) -> list[str]:
    """Those between the baseline and the results, where this is their repository."""
    pairs = sorted({(each.since, each.row.commit) for each in worse})
    told: list[str] = []
    for since, until in pairs:
        commits = commits_between(Path.cwd(), since, until)
        more = [f"and {len(commits) - _MOST_COMMITS} more"] * (len(commits) > _MOST_COMMITS)
        told += [f"commit {line}" for line in commits[:_MOST_COMMITS]] + more
    return told

"""``--gate`` of benches: counted instructions held against a baseline as ``deployer gate`` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from deployer.cli.jobs.gate import compare, require_reason, update
from deployer.cli.progress import progress_view
from deployer.errors import UsageError
from deployer.files import existing
from deployer.pipeline import commit_of
from deployer.tools.bench import ModelTime, counted_rows
from deployer_hil import gate


@dataclass(frozen=True)
class Gate:
    """``path`` None lets everything pass; ``reason``: why the counts become the new measure."""

    path: Path | None
    reason: str | None = None

    def prepare(self) -> None:
        """Raise UsageError for a file that cannot serve, before anything is built."""
        if self.path is None:
            if self.reason is not None:
                raise UsageError("--update-baseline needs --gate FILE")
        elif self.reason is None:
            gate.read_baseline(existing(self.path, "baseline"))
        else:
            require_reason(self.reason)
            if not self.path.parent.is_dir():
                raise UsageError(f"there is no folder {self.path.parent}")

    def judge(self, board: str, timed: Sequence[ModelTime]) -> None:
        """Tell on standard error that the gate was passed or the file is written. Raises
        ThresholdError naming what takes more, UsageError where the file is of others."""
        if self.path is None:
            return
        rows = counted_rows(board, timed, commit_of(Path.cwd()))
        if self.reason is not None:
            said = update(self.path, rows, self.reason)
        else:
            said = compare(self.path, rows)
        with progress_view() as view:
            view.notice(said)

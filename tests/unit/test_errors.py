"""The form of error messages and the documented exit statuses."""

from __future__ import annotations

import pytest

from deployer import errors


def test_message_has_what_why_and_hints() -> None:
    error = errors.FitError(
        "net does not fit 'sram'", why=["needs 9 B of 8 B"], hints=["--ram", "a smaller input"]
    )
    assert str(error) == (
        "net does not fit 'sram'\n  needs 9 B of 8 B\n  try: --ram\n       a smaller input"
    )


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (errors.DeployerError, 1),
        (errors.UsageError, 2),
        (errors.ModelError, 3),
        (errors.FitError, 4),
        (errors.MismatchError, 5),
        (errors.BenchError, 6),
        (errors.ThresholdError, 7),
    ],
)
def test_exit_statuses(kind: type[errors.DeployerError], status: int) -> None:
    assert kind("x").exit_status == status

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
        (errors.LimitError, 4),
        (errors.MismatchError, 5),
        (errors.BenchError, 6),
        (errors.ThresholdError, 7),
    ],
)
def test_exit_statuses(kind: type[errors.DeployerError], status: int) -> None:
    assert kind("x").exit_status == status


def test_an_image_that_is_too_large_says_where_and_by_how_much() -> None:
    error = errors.ImageTooLarge("flash", 5904, board="nucleo")
    assert error.exit_status == 4
    assert (error.memory, error.excess) == ("flash", 5904)
    assert error.what == "the image takes 5,904 B more than flash of nucleo has"
    assert error.why == (
        "code, which is known only when it is compiled, takes more than was left for it",
    )
    assert error.hints == ("a smaller model, or a board with more memory for code",)


def test_names_in_an_error_cannot_act_on_the_terminal() -> None:
    error = errors.UsageError("no \x1b[2J", why=["a\nb"])
    assert str(error) == "no \\x1b[2J\n  a\\nb"


@pytest.mark.parametrize(
    ("name", "known", "hints"),
    [
        ("nucle", ["gap8", "nucleo"], ["did you mean nucleo?", "known: gap8, nucleo"]),
        ("zzzz", ["gap8", "nucleo"], ["known: gap8, nucleo"]),
        ("any", [], ["known: none"]),
    ],
)
def test_for_an_unknown_name_the_nearest_and_all_are_told(
    name: str, known: list[str], hints: list[str]
) -> None:
    assert errors.near_hints(name, known) == hints

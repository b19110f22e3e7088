"""A statement of generated C: which one is decided here, its text is a template's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """A group's ``field`` (``first`` or ``count``, in units) in channels of a value that has
    ``channels`` of them for ``unit``."""

    field: str
    channels: int
    unit: int


@dataclass(frozen=True)
class Statement:
    """``form``: the macro of firmware/templates/statements.j2 that writes it. ``given``: what the
    macro takes, in its order; texts are C expressions."""

    form: str
    given: tuple[str | int | Share, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether it depends on the tile ``t`` it is for."""
        return any("t->" in str(each) for each in self.given)


def statement(form: str, *given: str | int | Share) -> Statement:
    return Statement(form, given)

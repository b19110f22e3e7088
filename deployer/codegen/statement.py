"""Statements and expressions of generated C: which one is decided in Python, its text is a
template's."""

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
class Expression:
    """``form``: the macro of firmware/templates/expressions.j2 that writes it. ``given``: what the
    macro takes, in its order; texts are names and numbers of C."""

    form: str
    given: tuple[Term, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether it depends on the tile it is for."""
        return self.form.startswith("tile_") or any(map(_differs, self.given))

    @property
    def is_far(self) -> bool:
        """Whether it names what the tiling says lies in far memory."""
        return self.form.startswith("far") or any(map(_is_far, self.given))


Term = str | int | Expression


@dataclass(frozen=True)
class Statement:
    """``form``: the macro of firmware/templates/statements.j2 that writes it. ``given``: what the
    macro takes, in its order."""

    form: str
    given: tuple[Term | Share, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether it depends on the tile it is for."""
        return any(map(_differs, self.given))

    @property
    def is_far(self) -> bool:
        """Whether it names what the tiling says lies in far memory."""
        return any(map(_is_far, self.given))


def statement(form: str, *given: Term | Share) -> Statement:
    return Statement(form, given)


def expression(form: str, *given: Term) -> Expression:
    return Expression(form, given)


def _is_far(given: Term | Share) -> bool:
    return isinstance(given, Expression) and given.is_far


def _differs(given: Term | Share) -> bool:
    return isinstance(given, Expression) and given.differs

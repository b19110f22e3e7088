"""Names from models and files, as they may be printed: nothing in them acts on a terminal."""

from __future__ import annotations

import unicodedata

# control, format (bidirectional ones too), surrogate, private, line and paragraph separator
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def printed(text: str, *, keep: str = "") -> str:
    """``text`` with all that cannot be seen written out: ESC as ``\\x1b``, a line feed as ``\\n``.

    Characters in ``keep`` stay. What has nothing to hide comes back as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c in keep or not _hides(c) else _escaped(c) for c in text)


def printed_lines(text: str) -> str:
    """``printed``, but lines and tabs are the text's own."""
    return printed(text, keep="\n\t")


def label(text: str) -> str:
    """``text`` in one visible line without blanks at its ends, for names in tables and archives:
    texts that differ stay different."""
    shown = printed(text.replace("\\", r"\x5c"))
    if shown == shown.strip():
        return shown
    return "".join(f"\\u{ord(c):04x}" if c.isspace() else c for c in shown)


def _hides(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode()

"""What the last line of a reply must say."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deployer_hil.protocol import BadReply
from deployer_hil.trailer import Trailers, covered, fresh_nonce, give_nonce, parse_nonce, without

NONCE = 0x1F2E3D4C
BODY = ["m-x-layer-[0,123,00c0ffee]"]


def reply(command: str = "x-layers", number: int = 1, nonce: int = NONCE) -> list[str]:
    crc = zlib.crc32(covered(command, BODY))
    return [*BODY, f"m-x-end-[{nonce:08x},{number},{crc:08x}]"]


def test_a_sound_reply_is_given_without_its_trailer() -> None:
    trailers = Trailers(NONCE)
    assert trailers.strip("x-layers", reply()) == BODY
    trailers.sent(b"x-layers%%x-layers%")
    assert trailers.strip("x-layers", reply(number=4)) == BODY  # others got lost between


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([], "its last line is missing"),
        (BODY, "its last line is missing"),
        (reply(nonce=NONCE + 1), "of another start"),
        (reply("x-layers 1"), "its CRC does not fit"),
        (reply(number=0), "its last line is missing"),
    ],
)
def test_a_reply_that_cannot_be_believed_is_refused(lines: list[str], what: str) -> None:
    with pytest.raises(BadReply, match=what):
        Trailers(NONCE).strip("x-layers", lines)


def test_a_reply_is_read_once() -> None:
    trailers = Trailers(NONCE)
    trailers.strip("x-layers", reply())
    with pytest.raises(BadReply, match="read before"):
        trailers.strip("x-layers", reply())


def test_a_number_that_is_ahead_of_the_commands_is_damaged() -> None:
    """Believed, it would make the next replies look as if they had been read before."""
    trailers = Trailers(NONCE)
    trailers.sent(b"x-layers%")
    with pytest.raises(BadReply, match="not asked for"):
        trailers.strip("x-layers", reply(number=6))
    assert trailers.strip("x-layers", reply(number=2)) == BODY


@given(st.integers(0, 25), st.integers(0, 127))
def test_a_changed_character_is_seen(place: int, other: int) -> None:
    line = BODY[0]
    assume(chr(other) != line[place])
    changed = line[:place] + chr(other) + line[place + 1 :]
    with pytest.raises(BadReply):
        Trailers(NONCE).strip("x-layers", [changed, *reply()[1:]])


def test_a_nonce_is_told_with_and_without_a_trailer() -> None:
    assert give_nonce(NONCE) == "x-nonce 1f2e3d4c"
    assert parse_nonce(["m-x-nonce-[1f2e3d4c]"]) == NONCE
    assert parse_nonce(["m-x-nonce-[00000000]", reply()[-1]]) == 0
    assert 0 < fresh_nonce() < 1 << 32
    for lines in ([], ["m-x-nonce-[1f2e3d4]"], ["m-x-nonce-[1f2e3d4c]", "more"]):
        with pytest.raises(BadReply, match="no nonce"):
            parse_nonce(lines)


def test_a_trailer_is_dropped_only_at_the_end() -> None:
    assert without(reply()) == BODY
    assert without(BODY) == BODY
    assert without([*reply(), *BODY]) == [*reply(), *BODY]

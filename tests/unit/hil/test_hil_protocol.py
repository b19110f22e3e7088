"""Lines to facts: what is right is read, what is not is refused, nothing else happens."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer_hil import protocol
from deployer_hil.protocol import BadReply, Layer

PARSERS: dict[str, Callable[[list[str]], object]] = {
    "nothing": protocol.parse_nothing,
    "name": protocol.parse_name,
    "profile": protocol.parse_profile,
    "timestamp": protocol.parse_timestamp,
    "id": protocol.parse_id,
    "caps": protocol.parse_caps,
    "mem": protocol.parse_mem,
    "go": lambda lines: protocol.parse_go(lines, "x-load"),
    "loaded": lambda lines: protocol.parse_loaded(lines, "x-load"),
    "found": protocol.parse_found,
    "expecting": lambda lines: protocol.parse_expecting(lines, 7),
    "load_done": protocol.parse_load_done,
    "buffer": protocol.parse_buffer,
    "results": protocol.parse_results,
    "infer": lambda lines: protocol.parse_infer(lines, 1, 0),
    "mode": protocol.parse_mode,
    "layers": protocol.parse_layers,
    "out": protocol.parse_out,
}
# Every kind of line there is, and pieces that noise could make of them.
LINES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "m-name-dut-[toy]",
            "m-x-id-[0123456789abcdef]",
            "m-lap-us-12",
            "m-x-mode-[energy]",
            "m-x-layer-[0,5,00000000]",
            "m-x-out-[00ff]",
            "m-x-out-crc-[00000000]",
            "m-results-[1.0,e]",
            "m-results-[]",
            "m-x-caps-[port=x]",
            "m-x-mem-[arena=-1]",
            "m-buffer-0-1",
            "e-[no]",
        ]
    ),
)


@given(st.binary(max_size=200))
def test_output_bytes_survive_the_line(data: bytes) -> None:
    lines = [f"m-x-out-[{data[i : i + 32].hex()}]" for i in range(0, len(data), 32)]
    assert protocol.parse_out([*lines, f"m-x-out-crc-[{protocol.crc32(data):08x}]"]) == data


@given(st.binary(min_size=1, max_size=100))
def test_buffer_bytes_survive_the_line(data: bytes) -> None:
    assert protocol.parse_buffer(["m-buffer-" + data.hex("-")]) == data


@given(st.binary(min_size=1, max_size=3000))
def test_upload_commands_are_short_and_hold_every_byte(data: bytes) -> None:
    first, *parts = protocol.db_commands(data)
    assert first == f"db load {len(data)}"
    assert all(len(part) <= protocol.MAX_COMMAND_CHARACTERS for part in parts)
    assert bytes.fromhex("".join(part.removeprefix("db ") for part in parts)) == data


@given(st.binary(min_size=1, max_size=5000))
def test_frames_cover_the_data_once(data: bytes) -> None:
    cut = list(protocol.frames(data))
    assert b"".join(frame for _, frame in cut) == data
    assert [offset for offset, _ in cut] == list(range(0, len(data), protocol.MAX_FRAME_BYTES))
    crc = protocol.crc32(b"0" + cut[0][1])
    assert protocol.frame_header("x-load", *cut[0]).endswith(f" {crc:08x}")


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**32 - 1)), max_size=9))
def test_layer_numbers_survive_the_line(rows: list[tuple[int, int]]) -> None:
    kept = [(count, crc) for count, crc in rows if count < 10**19]
    lines = [f"m-x-layer-[{i},{count},{crc:08x}]" for i, (count, crc) in enumerate(kept)]
    expected = tuple(Layer(i, count, crc) for i, (count, crc) in enumerate(kept))
    assert protocol.parse_layers(lines, len(kept)) == expected


def test_crc_is_the_one_of_the_firmware() -> None:
    assert protocol.crc32(b"123456789") == 0xCBF43926


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS.keys())
@settings(max_examples=30)
@given(lines=st.lists(LINES, max_size=8))
def test_garbage_is_refused_and_nothing_worse(
    parser: Callable[[list[str]], object], lines: list[str]
) -> None:
    with suppress(BadReply):
        parser(lines)


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS.keys())
def test_an_error_line_is_quoted(parser: Callable[[list[str]], object]) -> None:
    with pytest.raises(BadReply, match="the device says: usage: name"):
        parser(["e-[usage: name]"])


@pytest.mark.parametrize(
    ("parse", "lines", "what"),
    [
        ("name", ["m-name-dut-[a]", "m-name-dut-[a]"], "a line too many"),
        ("name", [], "0 lines where 1 belong"),
        ("id", ["m-x-id-[0123456789ABCDEF]"], "does not belong"),
        ("layers", ["m-x-layer-[1,5,00000000]"], "step 1 where step 0 belongs"),
        ("out", ["m-x-out-[00]", "m-x-out-crc-[00000000]"], "CRC of the 1 bytes"),
        ("out", [], "no output"),
        ("mem", ["m-x-mem-[arena=12k]"], "not a number of bytes"),
        ("caps", [], "empty reply"),
        ("results", ["m-results-[1.000,,2.000]"], "does not belong"),
        ("results", ["m-results-[1,000]"], "does not belong"),
    ],
)
def test_damage_is_named(parse: str, lines: list[str], what: str) -> None:
    with pytest.raises(BadReply, match=what):
        PARSERS[parse](lines)


def test_a_missing_step_is_noticed() -> None:
    with pytest.raises(BadReply, match="1 steps, the bundle has 2"):
        protocol.parse_layers(["m-x-layer-[0,5,00000000]"], 2)


def test_a_clock_that_runs_backwards_is_refused() -> None:
    lines = ["m-warmup-start-0", "m-warmup-done", "m-infer-start-1", "m-lap-us-9", "m-lap-us-8"]
    with pytest.raises(BadReply, match="backwards"):
        protocol.parse_infer([*lines, "m-infer-done", "m-results-[0.000]"], 1, 0)


def test_energy_mode_has_two_times_or_none() -> None:
    lines = ["m-warmup-start-0", "m-warmup-done", "m-infer-start-1"]
    end = ["m-infer-done", "m-results-[0.000]"]
    assert protocol.parse_infer([*lines, *end], 1, 0).microseconds is None
    with pytest.raises(BadReply):
        protocol.parse_infer([*lines, "m-lap-us-9", *end], 1, 0)
    with pytest.raises(BadReply):
        protocol.parse_infer([*lines, "m-lap-us-x", *end], 1, 0)


@pytest.mark.parametrize("mode", protocol.MODES)
def test_a_mode_is_one_of_two(mode: str) -> None:
    assert protocol.parse_mode([f"m-x-mode-[{mode}]"]) == mode
    with pytest.raises(BadReply, match="does not belong"):
        protocol.parse_mode([f"m-x-mode-[{mode}s]"])


@pytest.mark.parametrize("command", ["", "x" * 81, "a%b", "näme", "a\nb"])
def test_what_no_device_may_be_sent_is_refused(command: str) -> None:
    with pytest.raises(ValueError, match="command"):
        protocol.encode(command)


def test_constants_are_told_by_place() -> None:
    lines = ["m-x-crc-[image,1200,00c0ffee,00c0ffee]", "m-x-crc-[dtcm,80,00c0ffee,deadbeef]"]
    image, copied = protocol.parse_constants(lines)
    assert (image.where, image.bytes, image.intact) == ("image", 1200, True)
    assert (copied.where, copied.built, copied.found) == ("dtcm", 0xC0FFEE, 0xDEADBEEF)
    assert not copied.intact
    with pytest.raises(protocol.BadReply, match="does not belong"):
        protocol.parse_constants(["m-x-crc-[image,1200,00c0ffee]"])


def test_a_fault_is_that_of_this_life() -> None:
    fault = b"\r\ne-[fault memmanage 4 pc=08001234]\r\n"
    boot = b"m-timestamp-mode-performance\r\nm-lap-us-0\r\nm-init-done\r\n"
    told = b"e-[fault before this start: bus 5]\r\nm-ready\r\n"
    assert protocol.device_fault(fault) == "memmanage 4 pc=08001234"
    assert protocol.device_fault(boot + fault) == "memmanage 4 pc=08001234"
    assert protocol.device_fault(fault + boot + b"m-ready\r\n") == ""
    assert protocol.device_fault(boot + told) == ""


def test_start_faults_are_those_of_the_last_start() -> None:
    boot = b"m-timestamp-mode-performance\r\nm-lap-us-0\r\nm-init-done\r\n"
    bad, good = boot + b"e-[clock: no HSE]\r\nm-ready\r\n", boot + b"m-ready\r\n"
    assert protocol.boot_faults(bad) == ("clock: no HSE",)
    assert protocol.boot_faults(bad + good) == ()
    assert protocol.boot_faults(good + b"e-[unknown command]\r\nm-ready\r\n") == ()


def test_limits_are_those_that_the_firmware_is_compiled_with(
    tool: Callable[[str], str], tmp_path: Path
) -> None:
    tool("gcc")
    core = Path(__file__).parents[3] / "firmware" / "core"
    source = tmp_path / "limits.c"
    source.write_text(
        '#include "frame.h"\n'
        f'_Static_assert(DPL_FRAME_MAX == {protocol.MAX_FRAME_BYTES}, "frame");\n'
        f'_Static_assert(DPL_COMMAND_MAX == {protocol.MAX_COMMAND_CHARACTERS}, "command");\n'
    )
    subprocess.run(["gcc", "-std=c11", f"-I{core}", "-fsyntax-only", source], check=True)

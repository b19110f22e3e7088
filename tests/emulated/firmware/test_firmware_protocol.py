"""docs/protocol.md on every port."""

from __future__ import annotations

import re
import zlib

import pytest

from deployer.board.load import load_board
from emulated.firmware.tiny_build import INPUT_BYTES, TARGETS, Device, known_stack

DATA = bytes(range(100, 100 + INPUT_BYTES))
EVERY = pytest.mark.parametrize("fresh", TARGETS, indirect=True)


def cores(device: Device) -> int:
    return int(device.pairs("x-caps")["cores"])


def shifted(data: bytes, count: int) -> bytes:
    """Step 0: core i adds i + 1 to its contiguous share."""
    bounds = [len(data) * core // count for core in range(count + 1)]
    owner = [core for core in range(count) for _ in range(bounds[core], bounds[core + 1])]
    return bytes((byte + 1 + core) % 256 for byte, core in zip(data, owner, strict=True))


def turned(data: bytes, count: int) -> bytes:
    return shifted(data, count)[::-1]


def results(turned_bytes: bytes) -> str:
    values = [(byte - 256 if byte > 127 else byte) + 4 for byte in turned_bytes]
    return f"m-results-[{','.join(f'{0.125 * value:.3f}' for value in values)}]"


@EVERY
def test_boot_lines(fresh: Device) -> None:
    lines = fresh.reply()
    assert lines[0] == "m-timestamp-mode-performance"
    assert re.fullmatch(r"m-lap-us-\d+", lines[1])
    assert lines[2:] == ["m-init-done"]


@EVERY
def test_exit_ends_the_device(fresh: Device) -> None:
    fresh.reply()
    assert fresh.ask("x-exit") == ["m-x-exit-[bye]"]
    assert fresh.end() == 0


@EVERY
def test_before_the_first_run_there_are_no_results(fresh: Device) -> None:
    fresh.reply()
    assert fresh.ask("results") == ["e-[no run yet]"]
    assert fresh.ask("x-out") == ["e-[no run yet]"]


def test_identity(device: Device) -> None:
    assert re.fullmatch(r"m-name-dut-\[[a-z0-9-]+\]", device.ask("name")[0])
    assert device.ask("profile") == ["m-profile-[mlperf-tiny]", "m-model-[tiny]"]
    assert device.ask("x-id") == ["m-x-id-[0123456789abcdef]"]


def test_help_names_every_verb(device: Device) -> None:
    text = " ".join(device.ask("help"))
    verbs = ["name", "profile", "timestamp", "help", "db load", "db print", "infer", "results"]
    ours = [
        "x-nonce",
        "x-id",
        "x-caps",
        "x-mem",
        "x-load",
        "x-l3",
        "x-crc",
        "x-layers",
        "x-runs",
        "x-out",
    ]
    assert [verb for verb in (*verbs, *ours, "x-mode", "x-exit") if verb not in text] == []


def test_a_nonce_puts_a_number_and_a_crc_behind_every_reply(device: Device) -> None:
    def end(command: str, number: int, *lines: str) -> str:
        crc = zlib.crc32((command + "".join(line + "\r\n" for line in lines)).encode())
        return f"m-x-end-[0badcafe,{number},{crc:08x}]"

    assert device.ask("x-nonce") == ["m-x-nonce-[00000000]"]
    lines = device.ask("x-nonce 0badcafe")
    assert lines == ["m-x-nonce-[0badcafe]", end("x-nonce 0badcafe", 1, lines[0])]
    lines = device.ask("x-id")
    assert lines == ["m-x-id-[0123456789abcdef]", end("x-id", 2, lines[0])]
    *body, last = device.ask("x-layers 1")
    assert last == end("x-layers 1", 3, *body)
    *body, last = device.ask("nonsense")
    assert last == end("nonsense", 4, *body)
    *body, last = device.ask("infer 1 0")
    assert body[-1].startswith("m-results-")
    assert last == end("infer 1 0", 5, *body)
    assert device.ask("x-nonce 00000000") == ["m-x-nonce-[00000000]"]
    assert device.ask("x-nonce 12")[0].startswith("e-[usage")


def test_time_runs_forward(device: Device) -> None:
    """Never back, and on in the end: two stamps may share a µs of 1,000 counted instructions."""
    stamps = [int(device.ask("timestamp")[0].removeprefix("m-lap-us-")) for _ in range(40)]
    assert stamps == sorted(stamps)
    assert 0 < stamps[0] < stamps[-1]


def test_load_and_print(device: Device) -> None:
    device.load(DATA)
    assert device.ask("db print") == ["m-buffer-" + DATA.hex("-")]


def test_load_in_pieces_answers_when_whole(device: Device) -> None:
    assert device.ask(f"db load {INPUT_BYTES}") == [f"m-[Expecting {INPUT_BYTES} bytes]"]
    assert device.ask(f"db {DATA[:5].hex().upper()}") == []
    assert device.ask(f"db {DATA[5:].hex()}") == ["m-load-done"]
    assert device.ask("db print") == ["m-buffer-" + DATA.hex("-")]


def test_infer(device: Device) -> None:
    device.load(DATA)
    lines = device.ask("infer 3 2")
    assert lines[:3] == ["m-warmup-start-2", "m-warmup-done", "m-infer-start-3"]
    begin, end = (int(line.removeprefix("m-lap-us-")) for line in lines[3:5])
    assert begin < end
    expected = results(turned(DATA, cores(device)))
    assert lines[5:] == ["m-infer-done", expected]
    assert device.ask("results") == [expected]


def test_infer_warms_up_ten_times_unless_told(device: Device) -> None:
    device.load(DATA)
    assert device.ask("infer 1")[0] == "m-warmup-start-10"
    assert device.ask("infer 1 0")[0] == "m-warmup-start-0"


def test_a_run_keeps_the_loaded_input(device: Device) -> None:
    """Step 2 overwrites the input in the arena; the next run must not see that."""
    device.load(DATA)
    first = device.layers()
    assert [crc for _, _, crc in device.layers()] == [crc for _, _, crc in first]
    assert device.ask("db print") == ["m-buffer-" + DATA.hex("-")]


def test_layers_carry_the_crc_of_each_output(device: Device) -> None:
    device.load(DATA)
    count = cores(device)
    outputs = [shifted(DATA, count), turned(DATA, count), b"\7", b"\11", b"\0"]
    expected = [(index, zlib.crc32(output)) for index, output in enumerate(outputs)]
    assert [(index, crc) for index, _, crc in device.layers()] == expected
    assert [(index, crc) for index, _, crc in device.layers("x-layers 2")] == expected


def test_outputs(device: Device) -> None:
    device.load(DATA)
    device.ask("infer 1 0")
    first = turned(DATA, cores(device))
    lines = [f"m-x-out-[{first.hex()}]", f"m-x-out-crc-[{zlib.crc32(first):08x}]"]
    assert device.ask("x-out") == lines
    assert device.ask("x-out 0") == lines
    assert device.ask("x-out 1") == [
        "m-x-out-[0709]",
        f"m-x-out-crc-[{zlib.crc32(bytes([7, 9])):08x}]",
    ]


def test_a_long_output_is_cut_into_lines_of_32_bytes(device: Device) -> None:
    device.load(DATA)
    device.ask("infer 1 0")
    lines = device.ask("x-out 2")
    sizes = [len(line.removeprefix("m-x-out-[").removesuffix("]")) // 2 for line in lines[:-1]]
    assert sizes == [32, 16]
    data = b"".join(bytes.fromhex(line[9:-1]) for line in lines[:-1])
    assert data.startswith(bytes([99]) + DATA[1:] + turned(DATA, cores(device)) + b"\7\11\0")
    assert lines[-1] == f"m-x-out-crc-[{zlib.crc32(data):08x}]"


def test_caps_name_the_machine(device: Device) -> None:
    caps = device.pairs("x-caps")
    board = load_board(caps["board"])
    assert caps["port"] == board.port
    assert int(caps["cores"]) == board.cores
    assert caps["counter"] in {"cycles", "instructions", "nanoseconds", "none"}
    assert float(caps["counter_per"]) > 0
    assert caps["placement"] == "+".join(dict.fromkeys(board.place.arena))


def test_constants_are_those_of_the_build(device: Device) -> None:
    crc = f"{zlib.crc32(bytes([1]) * 16):08x}"
    assert device.ask("x-crc") == [f"m-x-crc-[image,16,{crc},{crc}]"]
    assert device.ask("x-crc 1") == ["e-[usage: x-crc]"]


def test_memory_is_plausible(device: Device) -> None:
    device.load(DATA)
    device.ask("infer 1 0")
    memory = {key: int(value) for key, value in device.pairs("x-mem").items()}
    assert list(memory) == ["arena", "static", "stack_size", "stack_used"]
    assert memory["arena"] == 64
    assert memory["static"] < 4096
    known = known_stack(load_board(device.pairs("x-caps")["board"]))
    assert known < memory["stack_used"] < memory["stack_size"]


def test_empty_commands_are_silent(device: Device) -> None:
    device.send(b"%\r\n%%  %")
    assert device.silent()
    assert device.ask("\r\nna\r\nme")[0].startswith("m-name-dut-")


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("nonsense", "e-[unknown command, try help]"),
        ("names", "e-[unknown command, try help]"),
        ("name now", "e-[usage: name]"),
        ("x" * 80, "e-[unknown command, try help]"),
        ("x" * 81, "e-[command too long]"),
        ("x" * 5000, "e-[command too long]"),
        ("a b c d e f g h", "e-[unknown command, try help]"),
        ("infer", "e-[usage: infer N [W]]"),
        ("infer 0", "e-[usage: infer N [W]]"),
        ("infer -1", "e-[usage: infer N [W]]"),
        ("infer 4294967296", "e-[usage: infer N [W]]"),
        ("infer 1 x", "e-[usage: infer N [W]]"),
        ("db", "e-[usage: db load N | db HEX | db print]"),
        ("db load", "e-[usage: db load N]"),
        ("db load 0x10", "e-[usage: db load N]"),
        ("db load 17", "e-[db load: not the input size]"),
        ("db xyz0", "e-[db: not pairs of hex digits]"),
        ("db 012", "e-[db: not pairs of hex digits]"),
        ("db 00", "e-[db: no db load before]"),
        ("x-layers x", "e-[usage: x-layers [N]]"),
        ("x-out 9", "e-[x-out: no such output]"),
        ("x-out -1", "e-[usage: x-out [I]]"),
        ("x-load 0 4", "e-[usage: x-load OFFSET LENGTH CRC]"),
        ("x-load 0 4 12345", "e-[usage: x-load OFFSET LENGTH CRC]"),
        ("x-load 0 4 123456789", "e-[usage: x-load OFFSET LENGTH CRC]"),
        ("x-l3 4 00000000", "e-[x-l3: this network fetches no weights]"),
        ("x-load 0 0 00000000", "e-[x-load: length is 1 to 1024]"),
        ("x-load 0 1025 00000000", "e-[x-load: length is 1 to 1024]"),
        ("x-load 1 16 00000000", "e-[x-load: beyond the end]"),
        ("x-load 4294967295 2 00000000", "e-[x-load: beyond the end]"),
    ],
)
def test_errors_are_one_line_and_the_device_goes_on(
    device: Device, command: str, error: str
) -> None:
    device.load(DATA)
    device.ask("infer 1 0")
    assert device.ask(command) == [error]
    assert device.ask("db print") == ["m-buffer-" + DATA.hex("-")]


def test_bytes_beyond_the_input_are_refused_whole(device: Device) -> None:
    device.ask(f"db load {INPUT_BYTES}")
    device.ask(f"db {DATA[:15].hex()}")
    assert device.ask("db 0000") == ["e-[db: more bytes than db load said]"]
    assert device.ask(f"db {DATA[15:].hex()}") == ["m-load-done"]
    assert device.ask("db print") == ["m-buffer-" + DATA.hex("-")]


@pytest.mark.parametrize("command", ["infer 1 0", "x-layers"])
def test_a_half_loaded_input_is_not_run(device: Device, command: str) -> None:
    device.ask(f"db load {INPUT_BYTES}")
    device.ask(f"db {DATA[:8].hex()}")
    assert device.ask(command) == ["e-[input incomplete: finish db or load again]"]
    device.load(DATA)

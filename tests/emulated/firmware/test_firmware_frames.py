"""x-load: binary frames, damaged and cut short ones among them."""

from __future__ import annotations

import zlib

from emulated.firmware.tiny_build import INPUT_BYTES, Device

FRAME = bytes([0, 13, 10, 37, 255, 128, 1, 2])  # CR, LF and the end of a command are data here
OLD = bytes(INPUT_BYTES)


def crc_of(offset: int, data: bytes) -> int:
    return zlib.crc32(str(offset).encode() + data)


def send_frame(device: Device, offset: int, data: bytes, crc: int | None = None) -> list[str]:
    wanted = crc_of(offset, data) if crc is None else crc
    device.send(f"x-load {offset} {len(data)} {wanted:08x}%".encode())
    device.read_until(b"m-x-load-[go]\r\n")
    device.send(data)
    return device.reply()


def buffer(device: Device) -> bytes:
    return bytes.fromhex(device.ask("db print")[0].removeprefix("m-buffer-").replace("-", ""))


def test_frames_land_where_they_should(device: Device) -> None:
    device.load(OLD)
    assert send_frame(device, 5, FRAME) == ["m-x-load-[ok]"]
    assert buffer(device) == bytes(5) + FRAME + bytes(3)
    assert send_frame(device, 15, b"\x11") == ["m-x-load-[ok]"]
    assert buffer(device) == bytes(5) + FRAME + bytes(2) + b"\x11"


def test_a_damaged_frame_is_named_by_its_crc_and_dropped(device: Device) -> None:
    device.load(OLD)
    seen = crc_of(0, FRAME)
    assert send_frame(device, 0, FRAME, crc=seen ^ 1) == [f"e-[x-load crc {seen:08x}]"]
    assert buffer(device) == OLD
    assert send_frame(device, 0, FRAME) == ["m-x-load-[ok]"]


def test_a_frame_for_another_place_is_dropped(device: Device) -> None:
    device.load(OLD)
    (reply,) = send_frame(device, 1, FRAME, crc=crc_of(5, FRAME))
    assert reply == f"e-[x-load crc {crc_of(1, FRAME):08x}]"
    assert buffer(device) == OLD


def test_a_cut_frame_is_given_up_after_silence(device: Device) -> None:
    device.load(OLD)
    device.send(f"x-load 0 {len(FRAME)} {crc_of(0, FRAME):08x}%".encode() + FRAME[:3])
    assert device.reply() == ["m-x-load-[go]", "e-[x-load timeout]"]
    assert buffer(device) == OLD
    assert device.ask("name")[0].startswith("m-name-dut-")


def test_a_frame_replaces_a_half_finished_db(device: Device) -> None:
    device.ask(f"db load {INPUT_BYTES}")
    device.ask("db 0102")
    assert send_frame(device, 0, OLD) == ["m-x-load-[ok]"]
    assert device.ask("infer 1 0")[-1].startswith("m-results-")

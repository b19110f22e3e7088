"""Archives of arrays as numpy writes them, and as somebody might forge them."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deployer.npz import Npz, NpzError


def member(
    shape: object, dtype: str = "<f4", *, text: str = "", length: int | None = None
) -> bytes:
    """The beginning of an npy file that makes these claims."""
    text = text or repr({"descr": dtype, "fortran_order": False, "shape": shape})
    body = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", length or len(body)) + body


def packed(data: bytes, method: int = zipfile.ZIP_DEFLATED, *names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name in names or ("x.npy",):
            archive.writestr(name, data)
    return out.getvalue()


def forged_size(claimed: int) -> bytes:
    """An archive whose directory claims more bytes than the packed ones can hold."""
    data = bytearray(packed(member((claimed // 4,)) + bytes(64)))
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", claimed)
    return bytes(data)


FORGED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a shape without its bytes": (lambda: packed(member((10**12, 784))), "claims"),
    "bytes without their shape": (lambda: packed(member((4,)) + bytes(4000)), "claims"),
    "an extent that no integer holds": (lambda: packed(member((10**400,))), "claims"),
    "a negative extent": (lambda: packed(member((-4, 784))), "shape"),
    "a long header": (
        lambda: packed(b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30) + bytes(1 << 16)),
        "header of 1,073,741,824",
    ),
    "a header that ends": (lambda: packed(member((4,), length=9000)), "ends inside"),
    "deep nesting": (lambda: packed(member(0, text="(" * 5000)), "no array"),
    "no npy file": (lambda: packed(b"hello"), "no array"),
    "pickled objects": (lambda: packed(member((1,), "|O") + bytes(8)), "object"),
    "a size that cannot be": (lambda: forged_size(1 << 30), "can hold"),
    "no zip": (lambda: b"hello", "no npz archive"),
    "half a zip": (lambda: packed(member((64,)) + bytes(256))[40:], "'x'"),
    "lzma": (lambda: packed(member((64,)) + bytes(256), zipfile.ZIP_LZMA), "packed in a way"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_archive_is_refused_with_the_reason(name: str) -> None:
    make, said = FORGED[name]
    with pytest.raises(NpzError, match=said), Npz(make()) as file:
        file.array("x", limit=1 << 40)


def test_two_arrays_of_one_name_are_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = packed(member((0,)), zipfile.ZIP_STORED, "x.npy", "x.npy")
    with pytest.raises(NpzError, match="two arrays are called 'x'"):
        Npz(data)


def test_an_array_over_the_limit_is_not_read() -> None:
    out = io.BytesIO()
    np.savez_compressed(out, x=np.zeros((1000, 1000)))
    with Npz(out.getvalue()) as file, pytest.raises(NpzError, match="8,000,000 bytes"):
        file.array("x", limit=7_999_999)


def test_text_is_told_by_its_header_and_not_read() -> None:
    out = io.BytesIO()
    np.savez(out, names=np.array(["a", "bc"]))
    with Npz(out.getvalue()) as file:
        assert file.header("names").dtype.kind == "U"
        with pytest.raises(NpzError, match="not numbers"):
            file.array("names", limit=100)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 5), max_size=4),
    st.sampled_from(["<f4", ">f8", "|i1", "<u2", "|b1", "<f2"]),
    st.booleans(),
    st.booleans(),
    st.integers(1, 64),
)
def test_arrays_come_back_whole_and_in_pieces(
    shape: list[int], dtype: str, columns_first: bool, deflated: bool, chunk: int
) -> None:
    count = int(np.prod(shape))
    wanted = (np.arange(count) % 100).astype(dtype).reshape(shape)
    out = io.BytesIO()
    save = np.savez_compressed if deflated else np.savez
    save(out, x=np.asarray(wanted, order="F" if columns_first else "C"))
    with Npz(out.getvalue()) as file:
        found = file.array("x", limit=1 << 20)
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        assert np.array_equal(found, wanted)
        if shape and shape[0]:
            parts = list(file.rows("x", first=2, chunk=chunk))
            assert np.array_equal(np.concatenate(parts), wanted[:2])


def test_a_flipped_byte_is_found_by_the_archives_checksum(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.arange(1000))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[2000] ^= 1
    with Npz(bytes(data)) as file, pytest.raises(NpzError, match="CRC"):
        file.array("x", limit=1 << 20)

"""Archives of arrays as numpy writes them, and as somebody might forge them."""

from __future__ import annotations

import io
import re
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


# What each refusal says in full


def bare(text: bytes, length: int | None = None, version: int = 1) -> bytes:
    """An npy file of this header text, whose length is stated as ``length``."""
    form = "<H" if version == 1 else "<I"
    count = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(form, count) + text


def claimed(shape: object, dtype: object = "<f4", width: int = 0) -> bytes:
    text = repr({"descr": dtype, "fortran_order": False, "shape": shape}).encode()
    return text.ljust(width - 1) + b"\n" if width else text


SAID: dict[str, tuple[Callable[[], bytes], str]] = {
    "more bytes than there are": (
        lambda: packed(bare(claimed((5,))) + bytes(16)),
        "'x' claims 20 bytes, the archive has 16 of it",
    ),
    "a negative extent": (lambda: packed(bare(claimed((-4,)))), "'x' has the shape (-4,)"),
    "a truth for an extent": (
        lambda: packed(bare(claimed((True,))) + bytes(4)),
        "'x' has the shape (True,)",
    ),
    "objects": (
        lambda: packed(bare(claimed((1,), "|O")) + bytes(8)),
        "'x' holds object, which is not read",
    ),
    "elements of no bytes": (
        lambda: packed(bare(claimed((1,), "|S0"))),
        "'x' holds |S0, which is not read",
    ),
    "elements of several": (
        lambda: packed(bare(claimed((1,), ("<f4", (2,)))) + bytes(8)),
        "'x' holds ('<f4', (2,)), which is not read",
    ),
    "texts": (
        lambda: packed(bare(claimed((1,), "<U1")) + bytes(4)),
        "'x' holds <U1, not numbers",
    ),
    "moments": (
        lambda: packed(bare(claimed((1,), "<M8[s]")) + bytes(8)),
        "'x' holds datetime64[s], not numbers",
    ),
    "a header too long": (
        lambda: packed(bare(claimed((0,), width=10_001))),
        "'x' has a header of 10,001 bytes, 10,000 are read",
    ),
    "a header that ends": (lambda: packed(bare(b"{}", 3)), "'x' ends inside its header"),
    "a wide shape": (
        lambda: packed(bare(claimed((-1,) * 60))),
        f"'x' has the shape {str((-1,) * 60)[:100]}…",
    ),
    "bytes that cannot be": (
        lambda: forged_size(1 << 30),
        "'x' claims 1,073,741,824 bytes, more than 85 packed ones can hold",
    ),
    "no zip": (lambda: b"hello", "it is no npz archive: File is not a zip file"),
    "another way of packing": (
        lambda: packed(bytes(9), zipfile.ZIP_BZIP2),
        "'x' is packed in a way that numpy does not write",
    ),
    "over the limit": (
        lambda: packed(bare(claimed((30,))) + bytes(120)),
        "'x' takes 120 bytes, of which 119 are read",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_a_refusal_says_how_much_of_what(name: str) -> None:
    make, said = SAID[name]
    with pytest.raises(NpzError) as caught, Npz(make()) as file:
        file.array("x", limit=119)
    packed_bytes = r"more than \d+ packed"
    assert re.sub(packed_bytes, "", str(caught.value)) == re.sub(packed_bytes, "", said)


@pytest.mark.parametrize("version", [1, 2])
def test_headers_are_read_up_to_ten_thousand_bytes(version: int) -> None:
    data = packed(bare(claimed((2,), width=10_000), version=version) + bytes(8))
    with Npz(data) as file:
        assert file.array("x", limit=8).tolist() == [0, 0]
        assert (file.header("x").elements, file.header("x").bytes) == (2, 8)
        assert file.keys == ("x",)


def test_what_no_archive_has_is_named() -> None:
    with Npz(packed(member((0,)))) as file, pytest.raises(NpzError, match=r"^no array 'y'$"):
        file.array("y", limit=1)


def test_zeros_are_packed_as_well_as_deflate_can() -> None:
    """A byte of deflate holds up to 1032 of a file."""
    out = io.BytesIO()
    np.savez_compressed(out, x=np.zeros(10_000_000, np.int8))
    with Npz(out.getvalue()) as file:
        assert not file.array("x", limit=10_000_000).any()


def sized(method: int, claimed_bytes: int, held: int) -> bytes:
    """An archive whose only array says that ``held`` packed bytes become ``claimed_bytes``."""
    data = bytearray(packed(bytes(8), method))
    at = data.rindex(b"PK\x01\x02")
    data[at + 20 : at + 28] = struct.pack("<II", held, claimed_bytes)
    return bytes(data)


@pytest.mark.parametrize(
    ("method", "most"),
    [(zipfile.ZIP_STORED, 50 + 10_000), (zipfile.ZIP_DEFLATED, 50 * 1040 + 10_000)],
)
def test_packed_bytes_hold_so_much_and_no_more(method: int, most: int) -> None:
    for count, refused in ((most, False), (most + 1, True)):
        with pytest.raises(NpzError) as caught, Npz(sized(method, count, 50)) as file:
            file.array("x", limit=1 << 30)
        assert ("more than 50 packed ones can hold" in str(caught.value)) == refused


def test_an_archive_has_as_many_arrays_as_numpy_writes_without_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = packed(b"")
    for count in (65_535, 65_536):
        listed = [zipfile.ZipInfo(f"{number}.npy") for number in range(count)]
        monkeypatch.setattr(zipfile.ZipFile, "infolist", lambda self, listed=listed: listed)
        if count == 65_535:
            with Npz(data) as file:
                assert len(file.keys) == count
        else:
            with pytest.raises(NpzError, match=r"^65,536 arrays, of which 65,535 are read$"):
                Npz(data)


@pytest.mark.parametrize(("chunk", "counts"), [(1, [1] * 5), (16, [2, 2, 1]), (999, [5])])
def test_pieces_are_whole_rows_of_about_so_many_bytes(chunk: int, counts: list[int]) -> None:
    out = io.BytesIO()
    np.savez(out, x=np.arange(10, dtype=np.float32).reshape(5, 2), none=np.zeros((3, 0)))
    with Npz(out.getvalue()) as file:
        parts = list(file.rows("x", chunk=chunk))
        assert [len(part) for part in parts] == counts
        assert np.concatenate(parts).tolist() == np.arange(10).reshape(5, 2).tolist()
        assert sum(len(part) for part in file.rows("none", chunk=chunk)) == 3
        assert [len(part) for part in file.rows("x", first=9)] == [5]


def test_a_column_after_the_other_is_read_in_one_piece() -> None:
    out = io.BytesIO()
    np.savez(out, x=np.asfortranarray(np.arange(10).reshape(5, 2)))
    with Npz(out.getvalue()) as file:
        (part,) = file.rows("x", first=3, chunk=1)
    assert part.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_what_a_machine_cannot_hold_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise MemoryError

    out = io.BytesIO()
    np.savez(out, x=np.zeros(3, np.float32))
    with Npz(out.getvalue()) as file:
        monkeypatch.setattr(np, "empty", refuse)
        with pytest.raises(NpzError) as caught:
            file.array("x", limit=99)
    assert str(caught.value) == "'x': this machine has no memory for (3,) of float32"


def test_files_are_closed_whatever_happens(tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(b"hello")
    with pytest.raises(NpzError):
        Npz(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", x=np.zeros(3))
    with Npz(tmp_path / "b.npz") as file:
        assert file.size == (tmp_path / "b.npz").stat().st_size
    with pytest.raises(NpzError, match="closed"):
        file.array("x", limit=99)

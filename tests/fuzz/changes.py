"""Changes to bytes, JSON, tables of text and npz archives, each drawn from a generator."""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

Rng = np.random.Generator
_ODD: tuple[Any, ...] = (
    *(None, True, "", "x", "\x1b[31m\n", -1, 0, 1, 2, 3, 7, 255, 256, 65_536),
    *(2**31 - 1, 2**31, 2**40, 2**63, -(2**31), 10**30, 0.5, -0.0, 1e308, float("nan")),
    *(float("inf"), [], {}, [0], ["x"], {"$": "Graph"}, {"$map": {}}, {"$array": "0000"}),
)
_CELLS = ("", "-1", "0", "4", "1e3", "nan", "99999999999999999999", "x", '"', "\0", "é", "0x10")


def pick(rng: Rng, items: Any) -> Any:
    return items[int(rng.integers(len(items)))]


def in_bytes(data: bytes, rng: Rng) -> bytes:
    """Bits turned, a part cut out, doubled, or replaced by noise."""
    if not data:
        return b"\0"
    at, length = int(rng.integers(len(data))), int(rng.integers(1, 64))
    way = int(rng.integers(5))
    if way == 0:
        turned = bytearray(data)
        turned[at] ^= 1 << int(rng.integers(8))
        return bytes(turned)
    if way == 1:
        return data[:at]
    if way == 2:
        return data[:at] + data[at + length :]
    if way == 3:
        return data[:at] + data[at : at + length] + data[at:]
    return data[:at] + rng.bytes(length) + data[at + length :]


def in_json(data: bytes, rng: Rng) -> bytes:
    """One value, anywhere, becomes another, goes, comes twice or trades places."""
    body = json.loads(data)
    holder, key = _place(body, rng)
    _change(holder, key, rng)
    return json.dumps(body).encode()


def _place(body: Any, rng: Rng) -> tuple[Any, Any]:
    """A list or table in it, and one of its keys; the deeper ones are more."""
    places: list[tuple[Any, Any]] = []
    pending = [body]
    for item in pending:  # grows meanwhile
        keys = range(len(item)) if isinstance(item, list) else list(item)
        places += [(item, key) for key in keys]
        pending += [item[key] for key in keys if isinstance(item[key], list | dict) and item[key]]
    return pick(rng, places)  # type: ignore[no-any-return]


def _change(holder: Any, key: Any, rng: Rng) -> None:
    way, value = int(rng.integers(6)), holder[key]
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, list):
        holder.insert(int(rng.integers(len(holder) + 1)), value)
    elif way == 2 and len(holder) > 1:
        keys = range(len(holder)) if isinstance(holder, list) else list(holder)
        other = pick(rng, keys)
        holder[key], holder[other] = holder[other], value
    elif way == 3 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = pick(rng, (value + 1, value - 1, 2 * value, -value, value / 2, value + 4))
    elif way == 4 and isinstance(holder, dict):
        holder[pick(rng, ("x", f"{key}s", "$", key[:-1]))] = value
    else:
        holder[key] = pick(rng, _ODD)


def in_table(data: bytes, rng: Rng) -> bytes:
    """A cell, a row or a column of a CSV."""
    rows = [line.split(",") for line in data.decode().splitlines()]
    row, way = int(rng.integers(len(rows))), int(rng.integers(6))
    column = int(rng.integers(len(rows[row])))
    if way == 0:
        del rows[row]
    elif way == 1:
        rows.insert(row, rows[row])
    elif way == 2:
        del rows[row][column]
    elif way == 3:
        rows[row][column] = pick(rng, pick(rng, rows))
    elif way == 4 and rows[row][column].isdigit():
        number = int(rows[row][column])
        rows[row][column] = str(pick(rng, (number + 4, abs(number - 4), 2 * number, number + 1)))
    else:
        rows[row][column] = pick(rng, _CELLS)
    return "\n".join([*(",".join(cells) for cells in rows), ""]).encode()


def in_npz(data: bytes, rng: Rng) -> bytes:
    """An array changes its type, shape, numbers or name, goes, or claims what it is not."""
    arrays = dict(np.load(io.BytesIO(data)))
    name = pick(rng, list(arrays))
    way = pick(rng, list(_ARRAYS))
    out = io.BytesIO()
    if way == "forged":
        return _forged(arrays, name, rng)
    changed = _ARRAYS[way](arrays[name], rng)
    if way == "gone":
        del arrays[name]
    elif way == "named":
        arrays[pick(rng, ("x", "\x1b[31m", "../evil", "label"))] = arrays.pop(name)
    else:
        arrays[name] = changed
    (np.savez_compressed if rng.random() < 0.3 else np.savez)(out, **arrays)
    return out.getvalue()


def _typed(x: np.ndarray, rng: Rng) -> np.ndarray:
    with np.errstate(all="ignore"):
        return x.astype(
            pick(rng, ("f2", "f4", "f8", ">f4", "i1", "u1", "i8", "?", "c8", "U4", "O"))
        )


def _shaped(x: np.ndarray, rng: Rng) -> np.ndarray:
    ways: tuple[Callable[[], np.ndarray], ...] = (
        lambda: x.reshape(-1),
        lambda: x[..., None],
        lambda: x[:0],
        lambda: x[:1],
        lambda: np.moveaxis(x, -1, 0) if x.ndim else x,
        lambda: np.array(3, x.dtype),
        lambda: np.concatenate([x, x]) if x.ndim else x,
    )
    return pick(rng, ways)()  # type: ignore[no-any-return]


def _numbered(x: np.ndarray, rng: Rng) -> np.ndarray:
    """Other numbers of the same type; of floats NaN and infinity too."""
    x, odd = x.copy(), (0, 1, -1, 127, 200, -128, 2**31 - 1, -(2**31), 2**62)
    if not x.size:
        return x
    value = pick(rng, (*odd, np.nan, np.inf, -np.inf, 1e300) if x.dtype.kind == "f" else odd)
    with np.errstate(all="ignore"):
        number = np.array(value).astype(x.dtype)
    if rng.random() < 0.3:
        x[...] = number
    else:
        x.reshape(-1)[int(rng.integers(x.size))] = number
    return x


_ARRAYS: dict[str, Callable[[np.ndarray, Rng], Any]] = {
    "typed": _typed,
    "shaped": _shaped,
    "numbered": _numbered,
    "gone": lambda x, rng: x,
    "named": lambda x, rng: x,
    "forged": lambda x, rng: x,
}


def _forged(arrays: dict[str, np.ndarray], name: str, rng: Rng) -> bytes:
    """An archive whose member is no array, claims another size, unpacks to far more, or is there
    twice."""
    x, out = arrays[name], io.BytesIO()
    shape = pick(rng, ((10**12, *x.shape[1:]), (-1, 4), (2**31,), (2**62, 2**62), (True, 3)))
    head = repr({"descr": x.dtype.str, "fortran_order": False, "shape": shape}).encode()
    if rng.random() < 0.2:
        head = pick(rng, (b"(" * 9000, b"{" * 300, b"\xff" * 50, b"__import__('os')"))
    length = pick(rng, (len(head), len(head), 65_535, 0))
    body = b"\x93NUMPY\x01\x00" + struct.pack("<H", length) + head
    fill = pick(rng, (b"", x.tobytes(), bytes(64 << 20)))
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # a name that is there twice
        for _ in range(pick(rng, (1, 1, 1, 2))):
            archive.writestr(f"{name}.npy", body + fill)
    return out.getvalue()

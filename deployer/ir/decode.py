"""JSON to the classes of the IR: every field has the type that its annotation states."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from enum import Enum, StrEnum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

_PLAIN = (str, int, float, bool)
_KEY = "key"
_MAX_INTEGER = 1 << 62  # of an integer: sums of a few still fit 64 bits


class DecodeError(ValueError):
    """Where in the file a value is not what its field takes."""


def stored_as(key: str) -> Mapping[str, str]:
    """Metadata of a field whose key in files is not its name."""
    return {_KEY: key}


@cache
def stored_fields(cls: type) -> dict[str, str]:
    """The key in files of every field, by its name."""
    return {field.name: field.metadata.get(_KEY, field.name) for field in dataclasses.fields(cls)}


@dataclasses.dataclass(frozen=True)
class Decoder:
    """``classes`` and ``enums`` by the names in the file; ``arrays`` gives the array of a key."""

    classes: Mapping[str, type]
    enums: Mapping[str, type[Enum]]
    arrays: Callable[[str], np.ndarray]

    def decode(self, item: Any, kind: Any = Any, where: str = "artifact") -> Any:
        """``item`` as ``kind``, an annotation; Any takes what the file says it is."""
        if kind is Any:
            return self._untyped(item, where)
        origin = get_origin(kind)
        if origin in (Union, types.UnionType):
            return self._optional(item, kind, where)
        if origin is tuple:
            return self._tuple(item, get_args(kind), where)
        if origin is not None and issubclass(origin, Mapping):
            return self._mapping(item, get_args(kind)[1], where)
        if kind is np.ndarray:
            return self._array(item, where)
        if _is_named(kind):
            found = self._untyped(item, where)
            if not isinstance(found, kind):
                raise DecodeError(f"{where} is no {kind.__name__}")
            return found
        return _plain(item, kind, where)

    def _untyped(self, item: Any, where: str) -> Any:
        if isinstance(item, list):
            return tuple(self.decode(v, Any, f"{where}[{i}]") for i, v in enumerate(item))
        if not isinstance(item, dict):
            return _plain(item, type(item), where) if item is not None else None
        if "$array" in item:
            return self._array(item, where)
        if "$enum" in item:
            return self._enum(item, where)
        if "$map" in item:
            return self._mapping(item, Any, where)
        return self._object(item, where)

    def _object(self, item: dict[str, Any], where: str) -> Any:
        cls = self.classes.get(item.get("$", "")) if isinstance(item.get("$"), str) else None
        if cls is None:
            raise DecodeError(f"{where} names no known class")
        hints, keys = _hints(cls), stored_fields(cls)
        if wrong := (item.keys() - {"$"}) ^ set(keys.values()):
            raise DecodeError(f"{where}: {cls.__name__} and {sorted(wrong)[0]!r} do not agree")
        fields = {
            name: self.decode(item[key], hints[name], f"{where}.{key}")
            for name, key in keys.items()
        }
        return cls(**fields)

    def _optional(self, item: Any, kind: Any, where: str) -> Any:
        wanted = [each for each in get_args(kind) if each is not type(None)]
        if item is None and len(wanted) < len(get_args(kind)):
            return None
        return self.decode(item, wanted[0], where)

    def _tuple(self, item: Any, kinds: tuple[Any, ...], where: str) -> tuple[Any, ...]:
        if not isinstance(item, list):
            raise DecodeError(f"{where} is no list")
        if len(kinds) == 2 and kinds[1] is ...:
            kinds = (kinds[0],) * len(item)
        if len(kinds) != len(item):
            raise DecodeError(f"{where} has {len(item)} items, not {len(kinds)}")
        pairs = enumerate(zip(item, kinds, strict=True))
        return tuple([self.decode(each, kind, f"{where}[{i}]") for i, (each, kind) in pairs])

    def _mapping(self, item: Any, kind: Any, where: str) -> dict[str, Any]:
        inner = item.get("$map") if isinstance(item, dict) else None
        if not isinstance(inner, dict):
            raise DecodeError(f"{where} is no table")
        return {key: self.decode(each, kind, f"{where}.{key}") for key, each in inner.items()}

    def _array(self, item: Any, where: str) -> np.ndarray:
        key = item.get("$array") if isinstance(item, dict) else None
        if not isinstance(key, str):
            raise DecodeError(f"{where} is no array")
        return self.arrays(key)

    def _enum(self, item: dict[str, Any], where: str) -> Enum:
        try:
            return self.enums[item["$enum"]](item["value"])
        except (KeyError, ValueError, TypeError):
            raise DecodeError(f"{where} is no {item['$enum']}") from None


def _is_named(kind: Any) -> bool:
    """Whether the file names ``kind`` beside its value; a word is a mere text."""
    if not isinstance(kind, type) or issubclass(kind, StrEnum):
        return False
    return dataclasses.is_dataclass(kind) or issubclass(kind, Enum)


def _word(item: Any, kind: type[StrEnum], where: str) -> StrEnum:
    text = _plain(item, str, where)
    if text not in tuple(kind):
        raise DecodeError(f"{where} is none of {', '.join(kind)}")
    return kind(text)


def _plain(item: Any, kind: Any, where: str) -> Any:
    """A text, a number or a truth value of exactly that type; integers are floats too."""
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _word(item, kind, where)
    whole = type(item) is int
    if (type(item) is not kind and not (whole and kind is float)) or kind not in _PLAIN:
        raise DecodeError(f"{where} is no {getattr(kind, '__name__', 'value')}")
    if whole and abs(item) > _MAX_INTEGER:
        raise DecodeError(f"{where} is too large")
    return item


@cache
def _hints(cls: type) -> dict[str, Any]:
    named = {field.name for field in dataclasses.fields(cls)}
    return {name: kind for name, kind in get_type_hints(cls).items() if name in named}

"""Other libraries whose products bench gemm sets beside a board's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from deployer.errors import UsageError
from deployer.files import existing
from deployer.tools.bench.gemm_peer import GemmBench, GemmPeer
from deployer.tools.bench.gemm_ruy import Ruy
from deployer.tools.bench.gemm_xnnpack import Xnnpack

_Peer = Callable[[GemmBench], GemmPeer]
_HINTS = ("xnnpack=LIB.a", "ruy=LIB.a,INCLUDE")


def _xnnpack(file: str) -> _Peer:
    archive = existing(Path(file), "archive")
    return lambda bench: Xnnpack(archive, bench)


def _ruy(text: str) -> _Peer:
    file, _, folder = text.partition(",")
    archive = existing(Path(file), "archive")
    existing(Path(folder) / "ruy" / "ruy.h", "header")
    return lambda bench: Ruy(archive, Path(folder), bench)


_PEERS: Mapping[str, Callable[[str], _Peer]] = MappingProxyType({"xnnpack": _xnnpack, "ruy": _ruy})


def gemm_peer_of(text: str) -> _Peer:
    """``xnnpack=LIB.a`` or ``ruy=LIB.a,INCLUDE``: makes the peer of a bench. Raises UsageError when
    it is neither, or a file is not there."""
    name, _, given = text.partition("=")
    if name not in _PEERS or not given:
        raise UsageError(f"--against {text}", hints=_HINTS)
    return _PEERS[name](given)

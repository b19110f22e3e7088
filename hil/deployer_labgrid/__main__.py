"""What deployer starts in labgrid's environment.

    python …/deployer_labgrid places COORDINATOR
    python …/deployer_labgrid hold COORDINATOR REQUEST

Both print one line of JSON: what was found, or "error" with "why" and "held". ``hold`` takes a
place, and serves requests on a Unix socket until its standard input ends; then it gives the place
back. So the place is free again however the process ends that holds the other side of the pipe.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import selectors
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_READ_SECONDS = 10.0
_IDLE_SECONDS = 5.0
_MOST_BYTES = 1 << 20


def _become_package() -> None:
    """This folder is the package, and what lies beside it is not seen: it may be deployer's
    environment, whose serial library is another."""
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != folder]
    where = [str(folder)]
    spec = importlib.util.spec_from_file_location(
        "deployer_labgrid", folder / "__init__.py", submodule_search_locations=where
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["deployer_labgrid"] = package
    spec.loader.exec_module(package)


def _places(address: str) -> dict[str, Any]:
    from deployer_labgrid.places import Coordinator

    coordinator = Coordinator(address)
    try:
        return {"places": coordinator.places(), "me": coordinator.me}
    finally:
        coordinator.close()


def _hold(address: str, request: Mapping[str, Any]) -> None:
    """``request``: the "place", or "tags" of one, and seconds to "wait" for it."""
    from deployer_labgrid.places import Coordinator

    coordinator = Coordinator(address)
    name, token = request["place"], ""
    try:
        if not name:
            token, name = coordinator.reserve(request["tags"], request["wait"])
        coordinator.acquire(name, request["wait"])
        try:
            _serve(coordinator, name)
        finally:
            coordinator.release(name)
    finally:
        if token:
            coordinator.cancel(token)
        coordinator.close()


def _serve(coordinator: Any, name: str) -> None:
    from deployer_labgrid.holding import Holding

    holding = Holding(coordinator, name)
    try:
        described = holding.described()
        with tempfile.TemporaryDirectory(prefix="deployer-place-") as folder:
            path = os.path.join(folder, "socket")
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
                listener.bind(path)
                listener.listen()
                _say({**described, "place": name, "socket": path, "me": coordinator.me})
                _answer_until_let_go(coordinator, holding, listener)
    finally:
        holding.close()


def _answer_until_let_go(coordinator: Any, holding: Any, listener: socket.socket) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        selector.register(listener, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in selector.select(_IDLE_SECONDS)]
            if sys.stdin in ready:
                return
            if listener in ready:
                _answer(holding, listener.accept()[0])
            coordinator.rest(0.0)


def _answer(holding: Any, client: socket.socket) -> None:
    from deployer_labgrid.places import Refused

    with client:
        try:
            client.settimeout(_READ_SECONDS)
            with client.makefile("rwb") as line:
                request = json.loads(line.readline(_MOST_BYTES))
                try:
                    said = holding.answer(request)
                except Refused as refused:
                    said = _error(refused)
                line.write(json.dumps(said).encode() + b"\n")
        except (OSError, ValueError, KeyError) as error:  # it has hung up, or talks nonsense
            logging.warning("a request failed: %r", error)


def _error(refused: Any) -> dict[str, Any]:
    return {"error": refused.what, "why": list(refused.why), "held": refused.held}


def _say(answer: Mapping[str, Any]) -> None:
    os.write(_ANSWERS, json.dumps(answer).encode() + b"\n")


def _stop(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def main(words: list[str]) -> int:
    from deployer_labgrid.places import Refused

    signal.signal(signal.SIGTERM, _stop)
    try:
        if words[0] == "places":
            _say(_places(words[1]))
        else:
            _hold(words[1], json.loads(words[2]))
    except Refused as refused:
        _say(_error(refused))
        return 1
    return 0


if __name__ == "__main__":
    _ANSWERS = os.dup(1)
    os.dup2(2, 1)  # what labgrid prints must not stand among answers
    _become_package()
    sys.exit(main(sys.argv[1:]))

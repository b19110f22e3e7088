"""A real OpenSSH server on the loopback, with keys and known hosts of its own, for one test.

The remote machine is this one: ``bin`` comes first on its PATH, ``tmp`` is its TMPDIR. ``client``
is a folder with an ``ssh`` that reaches it as ``pi``, to be put first on the client's PATH.
"""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

_SERVER = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv PATH={folder}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin TMPDIR={folder}/tmp
"""
_CLIENT = """
Host pi
    HostName 127.0.0.1
    Port {port}
    User {user}
    IdentityFile {folder}/key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known
    StrictHostKeyChecking yes
    LogLevel ERROR
"""
_SECONDS = 10.0


class SshServer:
    """Started by entering it. ``sshd`` and ``ssh``: paths of the programs."""

    def __init__(self, sshd: str, ssh: str, folder: Path):
        self.folder = folder
        self.bin, self.tmp, self.client = (folder / name for name in ("bin", "tmp", "client"))
        for each in (self.bin, self.tmp, self.client):
            each.mkdir(parents=True)
        self._sshd = sshd
        self.port = _free_port()
        _keys(folder, self.port)
        _write(folder / "server", _SERVER.format(port=self.port, folder=folder))
        user = pwd.getpwuid(os.getuid()).pw_name
        _write(folder / "config", _CLIENT.format(port=self.port, folder=folder, user=user))
        _program(self.client / "ssh", f'exec {ssh} -F {folder}/config "$@"')

    def __enter__(self) -> Self:
        if os.getuid() == 0:  # where a server of root has its children without rights
            Path("/run/sshd").mkdir(exist_ok=True)
        command = [self._sshd, "-D", "-e", "-f", str(self.folder / "server")]
        with (self.folder / "log").open("w") as log:
            self._server = subprocess.Popen(command, stderr=log)
        _await_port(self.port)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.terminate()
        self._server.wait()

    def program(self, name: str, script: str) -> None:
        """A program of the remote machine, before any other of that name; "" for none."""
        if script:
            _program(self.bin / name, script)
        else:
            (self.bin / name).unlink()

    def left(self) -> list[str]:
        """What is there of images: files in its temporary folder, and command lines of processes
        that were given it."""
        files = [str(path) for path in self.tmp.iterdir()]
        return [*files, *_command_lines(f"TMPDIR={self.tmp}")]

    def left_after(self, seconds: float) -> list[str]:
        """What is still there after at most ``seconds``."""
        deadline = time.monotonic() + seconds
        while (found := self.left()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found


def _keys(folder: Path, port: int) -> None:
    for name in ("host", "key"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / name]
        subprocess.run([str(word) for word in command], check=True)
    (folder / "authorized").write_text((folder / "key.pub").read_text())
    _write(folder / "known", f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_port(port: int) -> None:
    deadline = time.monotonic() + _SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _command_lines(variable: str) -> list[str]:
    """Of processes with ``variable`` in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may have ended, or be another user's
            if variable.encode() in (path / "environ").read_bytes().split(b"\0"):
                line = (path / "cmdline").read_bytes()
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found


def _program(path: Path, script: str) -> None:
    _write(path, f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def _write(path: Path, text: str) -> None:
    path.write_text(text)

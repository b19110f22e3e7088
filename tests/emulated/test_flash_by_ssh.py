"""``deployer flash`` of a Raspberry Pi: a real OpenSSH server, the image in QEMU user mode behind
it, and nothing left there however the client ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import onnx
import pytest

from deployer.cli import main as cli_main
from deployer.pipeline.job import make_job
from deployer.pipeline.options import Options
from deployer.pipeline.stages import execute
from deployer.resources import data_root
from emulated.targets import BOARDS
from fakes.ssh_server import SshServer
from models import residual_net

QEMU = 'test "$1" = -x && exec qemu-aarch64 -cpu cortex-a53 "$2"'
FULL = "echo 'write error: No space left on device' >&2; exit 1"
GONE_SECONDS = 20.0  # on a machine that others use, too
Flash = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def words(tool: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command line of a flash whose image is built, and started by the program "launch"."""
    return built_for("rpi3", tool, tmp_path_factory.mktemp("flashed"))


def built_for(board: str, tool: Callable[[str], str], folder: Path) -> list[str]:
    for name in BOARDS[board][1]:
        tool(name)
    text = (data_root() / "boards" / f"{board}.toml").read_text()
    text = text.replace(f'"{board}"', '"pi-by-ssh"', 1)
    own = '[runners.ssh]\nlauncher = "launch -x"\n'
    (folder / "pi-by-ssh.toml").write_text(text.replace("[runners.ssh]\n", own))
    model = folder / "net.onnx"
    onnx.save(residual_net(), model)
    options = Options(golden_samples=2)
    execute(make_job(model, "pi-by-ssh", options=options, output=folder, board_dir=folder))
    more = ("--board-dir", folder, "-o", folder, "--host", "pi", "--from", "run", model)
    return [str(word) for word in ("flash", "-b", "pi-by-ssh", *more)]


@pytest.fixture
def pi(tool: Callable[[str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin")  # no user's, on Debian
    sshd, ssh, _ = (tool(name) for name in ("sshd", "ssh", "ssh-keygen"))
    with SshServer(sshd, ssh, tmp_path / "server") as server:
        server.program("launch", QEMU)
        monkeypatch.setenv("PATH", f"{server.client}:{os.environ['PATH']}")
        yield server


@pytest.fixture
def flash(words: list[str], capfd: pytest.CaptureFixture[str]) -> Flash:
    """flash(*more arguments): status, output and errors of the command."""

    def run(*more: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            cli_main.main([*words, *more])
        said = capfd.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return run


def test_the_image_is_sent_proved_and_removed(pi: SshServer, flash: Flash) -> None:
    pi.program("vcgencmd", "echo throttled=0x50000")
    status, out, errors = flash("--json")
    assert status == 0, errors
    report = json.loads(out)
    assert (report["runner"], report["image"]["of"]) == ("ssh", "board")
    assert report["golden"]["match"]
    assert all(layer["match"] for layer in report["layers"])
    assert report["counter"]["kind"] == "none", "an emulator's time passes for nobody's"
    told = report["device"]
    assert (told["throttled_before"], told["throttled_after"]) == ("0x50000", "0x50000")
    assert told["machine"] == os.uname().machine
    assert told["launcher"].endswith("/launch")
    assert pi.left_after(GONE_SECONDS) == []


def test_an_image_of_32_bits_is_sent_and_proved(
    pi: SshServer,
    tool: Callable[[str], str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    words = built_for("rpi3-32", tool, tmp_path)
    pi.program("launch", QEMU.replace("qemu-aarch64 -cpu cortex-a53", "qemu-arm -cpu cortex-a7"))
    with pytest.raises(SystemExit) as stop:
        cli_main.main([*words, "--json"])
    said = capfd.readouterr()
    assert stop.value.code in (0, None), said.err
    assert json.loads(said.out)["golden"]["match"]
    assert pi.left_after(GONE_SECONDS) == []


@pytest.mark.parametrize(
    ("program", "script", "told"),
    [
        ("df", "echo; echo /dev/x 9 8 1 90% /tmp", "pi has no room for the image"),
        ("head", f'[ "$1" = -c ] || exec /usr/bin/head "$@"; {FULL}', "has no room for the image"),
        ("mktemp", FULL, "pi has no room for the image"),
        ("launch", "kill -SEGV $$", "the image ended by SIGSEGV there"),
        ("launch", "exit 126", "is its folder mounted noexec?"),
        ("launch", "", "pi lacks the launcher"),
    ],
)
def test_what_the_machine_cannot_do_ends_with_status_6(
    program: str, script: str, told: str, pi: SshServer, flash: Flash
) -> None:
    pi.program(program, script)
    status, out, errors = flash()
    assert status == 6
    assert told in errors
    assert "Traceback" not in errors
    assert out == ""
    assert pi.left_after(GONE_SECONDS) == []


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("known", "connect once by hand, and look at what it says: ssh pi"),
        ("authorized", "ssh-copy-id pi"),
        ("config", "no ssh server answers there"),
    ],
)
def test_what_ssh_refuses_is_told_with_what_helps(
    trouble: str, told: str, pi: SshServer, flash: Flash
) -> None:
    file = pi.folder / trouble
    text = file.read_text().replace(f"Port {pi.port}", "Port 1") if trouble == "config" else ""
    file.write_text(text)
    status, _, errors = flash()
    assert status == 6
    assert told in errors


def test_without_ssh_its_package_is_named(
    pi: SshServer, flash: Flash, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    status, _, errors = flash()
    assert status == 6
    assert "apt-get install openssh-client" in errors


# one that ends with its console, one that waits for another program, one that looks at nothing
@pytest.mark.parametrize("launch", [QEMU, "sleep 1000", "while :; do :; done"])
@pytest.mark.parametrize("killed", ["deployer", "ssh"])
def test_a_client_killed_in_the_middle_leaves_nothing_there(
    launch: str, killed: str, words: list[str], pi: SshServer
) -> None:
    pi.program("launch", launch)
    client = subprocess.Popen(
        [sys.executable, "-m", "deployer", *words],
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        _await_image(pi, client)
        os.kill(client.pid if killed == "deployer" else _ssh_of(client), signal.SIGKILL)
        assert pi.left_after(GONE_SECONDS) == []
    finally:
        client.kill()
        client.communicate()


def _await_image(pi: SshServer, client: subprocess.Popen[bytes]) -> None:
    """Until the image runs there."""
    while not any(line.endswith("/firmware ") for line in pi.left()):
        assert client.poll() is None
        time.sleep(0.01)


def _ssh_of(client: subprocess.Popen[bytes]) -> int:
    children = Path(f"/proc/{client.pid}/task").glob("*/children")
    (pid,) = {pid for path in children for pid in path.read_text().split()}
    return int(pid)

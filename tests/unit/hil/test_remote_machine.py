"""What a machine reached by ssh tells, and what is made of it; its governor."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import deployer_hil.remote as remote
from deployer.board.load import load_board
from deployer.errors import BenchError, UsageError
from deployer_hil.conditions import uncounted
from deployer_hil.remote_trouble import died, refused, require_fit
from deployer_hil.runners.ssh import ssh_host

PI = {"machine": "aarch64", "memory_kib": "900000", "room_kib": "50000", "folder": "/tmp/x"}
CLOCK_HZ = 1_200_000_000


def script(cpus: Path) -> str:
    """The other side's, with another folder of processors."""
    text = Path(remote.__file__).with_name("remote.sh").read_text()
    assert "/sys/devices/system/cpu/" in text
    return text.replace("/sys/devices/system/cpu/", f"{cpus}/")


@pytest.fixture
def governors(tmp_path: Path) -> list[Path]:
    """Those of two processors that save power."""
    found = [tmp_path / f"cpu{i}" / "cpufreq" / "scaling_governor" for i in range(2)]
    for file in found:
        file.parent.mkdir(parents=True)
        file.write_text("ondemand\n")
    return found


@pytest.mark.parametrize("governor", ["performance", "powersave"])
def test_the_governor_is_set_for_the_image_and_put_back(
    governors: list[Path], tmp_path: Path, governor: str
) -> None:
    image = b"#!/bin/sh\ncat " + b" ".join(str(file).encode() for file in governors) + b"\n"
    words = ["sh", "-c", script(tmp_path), "deployer", str(len(image)), "1", "", governor]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shell:
        assert shell.stdin is not None
        assert shell.stdout is not None
        shell.stdin.write(image)
        shell.stdin.flush()
        said = shell.stdout.read().decode().splitlines()
    assert said[-2:] == [governor, governor], "as the image sees them"
    assert "remote governor_was=ondemand" in said
    assert [file.read_text() for file in governors] == ["ondemand\n", "ondemand\n"]
    (folder,) = (line.partition("=")[2] for line in said if line.startswith("remote folder="))
    assert not Path(folder).exists()


def test_an_image_that_does_not_arrive_whole_is_removed(tmp_path: Path) -> None:
    words = ["sh", "-c", script(tmp_path), "deployer", "1000", "1", "", "performance"]
    done = subprocess.run(
        words, input=b"x" * 999, capture_output=True, check=False, env={"TMPDIR": str(tmp_path)}
    )
    assert done.returncode == 1
    assert b"copied" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_machine_that_can_run_the_image_is_taken() -> None:
    require_fit(PI, "pi", ["aarch64"], 1 << 20, 1 << 20)
    require_fit({**PI, "machine": "x86_64", "launcher": "/bin/q"}, "pi", ["aarch64"], 0, 0)
    require_fit({"machine": "aarch64"}, "pi", ["aarch64"], 1 << 40, 1 << 40)


@pytest.mark.parametrize(
    "told", [{"machine": "armv7l", "machine_32": "armv7l"}, {"machine_32": "armv8l"}]
)
def test_a_kernel_of_64_bits_takes_an_image_of_32_where_it_says_so(told: dict[str, str]) -> None:
    machines = list(load_board("rpi3-32").runners["ssh"]["machines"])
    require_fit({**PI, **told}, "pi", machines, 1 << 20, 1 << 20)
    with pytest.raises(BenchError, match="pi is aarch64, the image is for armv7l, armv8l"):
        require_fit(PI, "pi", machines, 1 << 20, 1 << 20)


def test_what_a_kernel_runs_of_32_bits_is_told_where_it_tells_it(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    setarch = tmp_path / "bin" / "setarch"
    words = ["sh", "-c", script(tmp_path), "deployer", "1", "1", "", "performance"]
    env = {"TMPDIR": str(tmp_path), "PATH": f"{setarch.parent}:/usr/bin:/bin"}
    for answer, told in (
        ('test "$*" = "linux32 uname -m" && echo armv8l', True),
        ("exit 1", False),
    ):
        setarch.write_text(f"#!/bin/sh\n{answer}\n")
        setarch.chmod(0o755)
        done = subprocess.run(words, input=b"", capture_output=True, check=False, env=env)
        assert (b"remote machine_32=armv8l\n" in done.stdout) == told
        assert (b"machine_32" in done.stdout) == told


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"machine": "armv7l"}, "pi is armv7l, the image is for aarch64"),
        ({"memory_kib": "9000"}, "pi has too little free memory"),
        ({"room_kib": "1023"}, "pi has no room for the image"),
        ({"launcher": "missing"}, "pi lacks the launcher"),
    ],
)
def test_a_machine_that_cannot_is_refused(facts: dict[str, str], told: str) -> None:
    with pytest.raises(BenchError, match=told):
        require_fit({**PI, **facts}, "pi", ["aarch64"], 1 << 20, 1 << 20)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ssh: Could not resolve hostname pi: Name or service not known", "no machine has"),
        ("ssh: connect to host pi port 22: Connection refused", "no ssh server answers"),
        ("ssh: connect to host pi port 22: Connection timed out", "pi does not answer"),
        ("pi@pi: Permission denied (publickey,password).", "does not accept your key"),
        ("Host key verification failed.", "the key of pi is not the one"),
        ("whatever", "pi ended the connection before the image ran"),
    ],
)
def test_what_ssh_says_becomes_an_error_with_something_to_try(said: str, told: str) -> None:
    found = refused("pi", ["ssh ended with status 255", f"stderr: {said}"])
    assert told in found.what
    assert found.hints


@pytest.mark.parametrize(
    ("status", "told"),
    [("", ()), ("0", ()), ("139", ("the image ended by SIGSEGV there",))],
)
def test_how_an_image_ended_is_told(status: str, told: tuple[str, ...]) -> None:
    assert died(status) == told


@pytest.mark.parametrize(
    ("caps", "why"),
    [
        ({}, None),
        ({"throttled_before": "0x50000", "throttled_after": "50000"}, None),
        ({"throttled_after": "0x50004"}, "throttled after the run (0x50004)"),
        ({"clock_hz": "600000000"}, "the clock is 600000000, not 1200000000 Hz"),
    ],
)
def test_counts_of_a_chip_that_holds_itself_back_are_not_told(
    caps: dict[str, str], why: str | None
) -> None:
    assert uncounted({"clock_hz": str(CLOCK_HZ), **caps}, CLOCK_HZ).get("uncounted") == why


def test_the_host_of_the_command_line_comes_before_that_of_the_board_file() -> None:
    assert ssh_host("", {"host": "a"}, "rpi3", "m.onnx") == "a"
    assert ssh_host("b", {"host": "a"}, "rpi3", "m.onnx") == "b"
    for host in ("", "-oProxyCommand=x"):
        with pytest.raises(UsageError, match="host") as caught:
            ssh_host(host, {}, "rpi3", "m.onnx")
        assert caught.value.hints[0] == "deployer flash --board rpi3 --host pi@raspberrypi m.onnx"

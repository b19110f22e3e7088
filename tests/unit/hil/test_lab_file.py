"""The lab file: what it may hold, what is refused by key, and who has which bench."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployer.errors import UsageError
from deployer_hil import lab, locks, serial_ports
from deployer_hil.lab import Bench, Lab, Power, lab_file
from deployer_hil.locks import Locks
from deployer_hil.serial_ports import Port

WHOLE = """
schema = 1

[bench.nucleo-1]
board = "nucleo-f767zi"
runner = "pyocd"
probe = "066BFF51"
serial = "/dev/ttyACM0"
baud = 921_600
meter = "joulescope:1234"
trigger = "PF13"
power = { on = "uhubctl -a on -p 2", off = "sh -c 'uhubctl -a off -p 2'" }
tags = ["nightly", "meter"]

[bench.pi]
board = "rpi3"
runner = "ssh"
host = "pi@raspberrypi"

[bench.gap8-1]
board = "gap8"
runner = "gvsoc"
options = { tool = "/opt/gapy", limit = 600 }
"""
EMULATED = '[bench.a]\nboard = "gap8"\nrunner = "gap8_sim"\n'

Write = Callable[[str], Path]


@pytest.fixture(autouse=True)
def _own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def text(content: str) -> Path:
        path = tmp_path / "lab.toml"
        path.write_text(content)
        return path

    return text


def test_every_key_is_read(write: Write) -> None:
    found = lab.read_lab(write(WHOLE))
    nucleo, pi, gap8 = found.benches
    assert nucleo == Bench(
        name="nucleo-1",
        board="nucleo-f767zi",
        runner="pyocd",
        probe="066BFF51",
        serial="/dev/ttyACM0",
        baud=921_600,
        meter="joulescope:1234",
        trigger="PF13",
        power=Power(("uhubctl", "-a", "on", "-p", "2"), ("sh", "-c", "uhubctl -a off -p 2")),
        tags=("nightly", "meter"),
    )
    assert (pi.host, pi.power, pi.tags) == ("pi@raspberrypi", None, ())
    assert gap8.options == {"tool": "/opt/gapy", "limit": 600}
    assert found.bench("pi") is pi


def test_a_place_of_labgrid_is_named_or_has_tags(write: Write, tmp_path: Path) -> None:
    bench = '[bench.{}]\nboard = "toy"\nrunner = "pyocd"\nlabgrid = {}\n'
    text = '[labgrid]\npython = "env/bin/python"\ncoordinator = "lab:20408"\nwait = 60\n'
    text += bench.format("a", '"desk-3"') + bench.format("b", '{ board = "toy", name = "x" }')
    first, other = (each.labgrid for each in lab.read_lab(write(text)).benches)
    assert first is not None
    assert other is not None
    assert (first.name, first.tags, str(first)) == ("desk-3", {}, "place desk-3")
    assert (other.name, other.tags) == ("", {"board": "toy", "name": "x"})
    assert str(other) == "a place with board=toy, name=x"
    assert first.labgrid == other.labgrid
    assert first.labgrid.python == str(tmp_path / "env/bin/python")
    assert (first.labgrid.address, first.labgrid.wait) == ("lab:20408", 60)


@pytest.mark.parametrize(
    ("old", "new", "what", "hint"),
    [
        ("probe =", "prob =", "unknown key 'prob' in bench.nucleo-1", "did you mean 'probe'?"),
        ("[bench.pi]", "[benches.pi]", "unknown key 'benches'", "did you mean 'bench'?"),
        ('board = "rpi3"\n', "", "it lacks the key 'bench.pi.board'", ""),
        ('"pyocd"', '"pyocdd"', 'bench.nucleo-1.runner is "pyocdd"', "pyocd"),
        ("921_600", "12", "bench.nucleo-1.baud is 12", "an integer from 300"),
        ('"pi@raspberrypi"', '"-oProxyCommand=x"', "bench.pi.host is", "as ssh takes it"),
        ('host = "pi@raspberrypi"', 'probe = "1"', "bench.pi.probe is not for runner ssh", ""),
        ("limit = 600", "limits = 600", "runner gvsoc has no option 'limits'", "limit?"),
        ("limit = 600", "limit = 1979-05-27", "bench.gap8-1.options.limit is", "an integer"),
        ("limit = 600", "held = 1", "runner gvsoc has no option 'held'", "known: tool, limit"),
        ("off -p 2'", "off -p 2", "bench.nucleo-1.power.off is", "quoted as for a shell"),
        (", off = \"sh -c 'uhubctl -a off -p 2'\"", "", "lacks the key 'bench.nucleo-1.power", ""),
        ("[bench.pi]", '[bench."a b"]', 'bench: the name is "a b"', "letters, digits"),
        ('"joulescope:1234"', '"JS220"', 'bench.nucleo-1.meter is "JS220"', "joulescope:SERIAL"),
        ('"joulescope:1234"', '"replay:t.npz"', "bench.nucleo-1.meter is", "joulescope:SERIAL"),
        ("limit = 600 }", 'limit = 600 }\nmeter = "ppk2:x"', "gap8-1.meter is not for", ""),
        ('"meter"]', "7]", "bench.nucleo-1.tags[1] is 7", "a word"),
        ("schema = 1", "schema = 2", "schema is 2", "1"),
        ("limit = 600 }", 'limit = 600 }\nlabgrid = "desk"', "gvsoc takes no board", "pyocd, ssh"),
        ("baud =", 'labgrid = "desk"\nbaud =', "bench.nucleo-1.probe: the place", ""),
        ("baud =", "labgrid = {}\nbaud =", "bench.nucleo-1.labgrid is {}", "a table of tags"),
        ("baud =", "labgrid = { A = 'b' }\nbaud =", "bench.nucleo-1.labgrid is", "table of tags"),
        ("schema = 1", "[labgrid]\nwait = -1", "labgrid.wait is -1", "seconds, 0 or more"),
        ("schema = 1", '[labgrid]\npyhton = "x"', "unknown key 'pyhton'", "did you mean 'python'?"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(
    old: str, new: str, what: str, hint: str, write: Write
) -> None:
    assert old in WHOLE
    path = write(WHOLE.replace(old, new, 1))
    with pytest.raises(UsageError) as caught:
        lab.read_lab(path)
    assert caught.value.what.startswith(f"{path}: ")
    assert what in caught.value.what
    assert hint in " ".join(caught.value.hints)


def test_a_bench_that_is_not_there_gets_the_nearest_name(write: Write) -> None:
    with pytest.raises(UsageError, match="no bench 'nucleo1'") as caught:
        lab.read_lab(write(WHOLE)).bench("nucleo1")
    assert caught.value.hints[0] == "did you mean nucleo-1?"


def test_where_the_lab_is_looked_for(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEPLOYER_LAB", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no lab file") as caught:
        lab.find_lab(None)
    assert "$DEPLOYER_LAB" in caught.value.why[0]
    write(EMULATED)
    assert lab.find_lab(None) == Path("lab.toml")
    monkeypatch.setenv("DEPLOYER_LAB", "/desk/lab.toml")
    assert lab.find_lab(None) == Path("/desk/lab.toml")
    assert lab.find_lab(Path("mine.toml")) == Path("mine.toml")


def test_a_bench_is_held_with_its_probe_and_port(write: Write) -> None:
    nucleo = lab.read_lab(write(WHOLE)).bench("nucleo-1")
    with lab.hold(nucleo) as options:
        assert options.pop("held") == (
            "bench nucleo-1",
            "probe 066bff51",
            "port /dev/ttyACM0",
        )
        assert options == {"probe": "066BFF51", "port": "/dev/ttyACM0", "baud": 921_600}
        for claim in ("bench nucleo-1", "probe 066bff51", "port /dev/ttyACM0"):
            with pytest.raises(lab.BenchHeld), Locks() as other:
                other.take(claim)
    assert lab.holder_of(nucleo) is None


def test_a_machine_reached_by_ssh_is_held_by_its_name(write: Write) -> None:
    with lab.hold(lab.read_lab(write(WHOLE)).bench("pi")) as options:
        assert options["host"] == "pi@raspberrypi"
        with pytest.raises(lab.BenchHeld, match="host raspberrypi"), Locks() as other:
            other.take(locks.host("root@raspberrypi"))


def test_an_emulator_is_told_no_more_than_its_options(write: Write) -> None:
    with lab.hold(lab.read_lab(write(WHOLE)).bench("gap8-1")) as options:
        assert options == {"tool": "/opt/gapy", "limit": 600}


def test_a_console_by_its_usb_serial_number(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("n", "nucleo-f767zi", "pyocd", serial="AB12")
    monkeypatch.setattr(serial_ports, "ports", lambda: (Port("/dev/ttyACM7", "", "ab12", ""),))
    with lab.hold(bench) as options:
        assert options["port"] == "/dev/ttyACM7"
        assert lab.free_benches(Lab(Path("x"), (bench,)), bench.board) == ()


def test_free_benches_are_those_of_the_board_that_nobody_holds() -> None:
    twins = tuple(Bench(f"q-{i}", "nucleo-f767zi", "qemu_system") for i in range(3))
    own_probe = Bench("n", "nucleo-f767zi", "pyocd", probe="066B")
    whole = Lab(Path("lab.toml"), (*twins, own_probe, Bench("g", "gap8", "gap8_sim")))
    with lab.hold(twins[1]), Locks() as without_a_lab:
        without_a_lab.take("probe 066b")
        assert lab.free_benches(whole, "nucleo-f767zi") == (twins[0], twins[2])
    assert lab.free_benches(whole, "nucleo-f767zi") == (*twins, own_probe)
    assert lab.free_benches(whole, "rpi3") == ()


_KEYS = st.sampled_from(["board", "runner", "probe", "host", "tags", "power", "x"])
_VALUES = st.recursive(
    st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.sampled_from(["pyocd", "ssh"])),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=2),
    max_leaves=4,
)


@given(table=st.dictionaries(_KEYS, _VALUES, max_size=5))
def test_any_table_is_a_bench_or_refused_by_key(table: dict[str, object]) -> None:
    said, found = "", None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab_file, "read_toml", lambda path: {"bench": {"a": table}})
        try:
            (found,) = lab.read_lab(Path("lab.toml")).benches
        except UsageError as error:
            said = str(error)
    assert said.startswith("lab.toml: ") is (found is None)
    assert found is None or (found.board, found.runner) == (table["board"], table["runner"])

"""``deployer bench energy`` on recordings: from a trace to µJ an inference, or to why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from deployer.cli import main as cli_main
from deployer.tools.bench import board_energy
from deployer_hil import lab, locks
from deployer_hil.energy.meters.replay import keep_recordings
from deployer_hil.energy.trace import write_trace
from fakes.bundles import make_bundle
from fakes.traces import Scene, five, joined, recorded, waiting

LAB = """
[bench.desk]
board = "nucleo-f767zi"
runner = "pyocd"
options = {{ loader = "fakes.fake_loader:device" }}
{meter}

[bench.pc]
board = "host"
runner = "host"
"""
SCENE = Scene()
MICROJOULES = 1e6 * SCENE.joules / 1500
Run = Callable[..., int]


@pytest.fixture
def energy() -> Run:
    """energy("--meter", …): the exit status."""

    def call(*arguments: object) -> int:
        with pytest.raises(SystemExit) as stop:
            cli_main.main(["bench", "energy", *map(str, arguments)])
        return int(stop.value.code or 0)

    return call


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """All five windows in one file."""
    write_trace(tmp_path / "trace.npz", joined(five(SCENE)))
    return tmp_path / "trace.npz"


@pytest.fixture
def idle(tmp_path: Path) -> Path:
    write_trace(tmp_path / "idle.npz", waiting(SCENE))
    return tmp_path / "idle.npz"


def test_a_trace_becomes_microjoules_an_inference(
    energy: Run, trace: Path, idle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert energy("--meter", f"replay:{trace},idle={idle}", "--inferences", 1500) == 0
    head, *rest = capsys.readouterr().out.splitlines()
    assert head == (
        f"Energy: {MICROJOULES:.4g} µJ per inference, 2079 µJ of it beyond idle; "
        "measured, replay of trace.npz."
    )
    rows = [line for line in rest if line.startswith("| ") and "µJ" not in line]
    assert len(rows) == 1 + 5
    assert any("1,500 inferences: 7 ms and 0.33 W, 432.9 inferences a joule" in x for x in rest)
    assert any("Idle power: 0.033" in line for line in rest)


def test_json_has_figures_with_their_kinds(
    energy: Run, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert energy("--meter", f"replay:{trace}", "--inferences", 1500, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kinds"] == {"energy": "measured", "seconds": "measured"}
    assert facts["microjoules"] == pytest.approx(MICROJOULES, rel=1e-3)
    assert (facts["net_microjoules"], facts["idle_watts"]) == (None, None)
    assert facts["inferences_per_joule"] == pytest.approx(1e6 / facts["microjoules"])
    assert [window["seconds"] for window in facts["windows"]] == [10.5] * 5
    assert 0 < facts["edge_error"] < 1e-3


def test_a_table_goes_to_a_file(energy: Run, trace: Path, tmp_path: Path) -> None:
    to = tmp_path / "energy.md"
    assert energy("--meter", f"replay:{trace}", "--inferences", 1500, "-o", to) == 0
    assert "nothing is subtracted" in to.read_text()


def test_a_folder_that_was_kept_is_replayed(
    energy: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_recordings(tmp_path, five(SCENE), [waiting(SCENE)])
    assert energy("--meter", f"replay:{tmp_path}", "--inferences", 1500, "--json") == 0
    assert json.loads(capsys.readouterr().out)["net_microjoules"] == pytest.approx(2079, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "does not tell how many inferences"),
        (["--inferences", 0], 2, "inferences"),
        (["--inferences", 5, "-b", "gap8"], 2, "takes no board"),
        (["--inferences", 5, "--keep", "here", "net.onnx"], 2, "takes no model and no keep"),
    ],
)
def test_what_a_replay_cannot_use_is_refused(
    energy: Run,
    trace: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[object],
    status: int,
    said: str,
) -> None:
    assert energy("--meter", f"replay:{trace}", *arguments) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--meter", "assumed:3.5W"], "assumed power of 3.5 W needs a board"),
        (["--meter", "assumed:3.5W", "-b", "nucleo-f767zi"], "needs a model"),
        (["--meter", "assumed:3.5W", "-b", "qemu-mps2-an500", "net.onnx"], "qemu-mps2-an500"),
        (["--meter", "assumed:3.5W", "-b", "host", "net.onnx"], "host"),
        (["--meter", "thermometer"], "unknown meter 'thermometer'"),
    ],
)
def test_a_meter_needs_a_board(
    energy: Run, capsys: pytest.CaptureFixture[str], arguments: list[object], said: str
) -> None:
    assert energy(*arguments) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert "Traceback" not in told.err


def test_a_trace_without_five_windows_gives_no_figure(
    energy: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_trace(tmp_path / "one.npz", recorded(SCENE))
    to = tmp_path / "energy.json"
    assert energy("--meter", f"replay:{tmp_path / 'one.npz'}", "--inferences", 9, "-o", to) == 6
    told = capsys.readouterr()
    assert "the trigger gave 2 pulses, 10 bound the windows" in told.err
    assert "Traceback" not in told.err
    assert (told.out, to.exists()) == ("", False)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """desk(meter): a lab file whose board is the fake device, with nothing to build."""
    caps = {"icache": "on", "dcache": "on"}
    bundle = make_bundle(
        tmp_path / "bundle", target="toy", runners={"pyocd": {}}, caps=caps, inference_us=750_000
    )
    monkeypatch.setattr(board_energy, "alone", lambda job: nullcontext())
    monkeypatch.setattr(board_energy, "execute", lambda job: {board_energy.BUILD: bundle})
    monkeypatch.setenv(locks.FOLDER, str(tmp_path / "locks"))
    monkeypatch.setenv("DEPLOYER_LAB", str(tmp_path / "lab.toml"))

    def write(meter: str) -> None:
        (tmp_path / "lab.toml").write_text(LAB.format(meter=f'meter = "{meter}"' if meter else ""))

    return write


@pytest.mark.parametrize(
    ("stated", "words", "watts"),
    [
        ("assumed:3.5W", (), 3.5),
        ("assumed:3.5W", ("--meter", "assumed:2W"), 2),
        ("", ("--meter", "assumed:2W"), 2),
    ],
)
def test_a_bench_gives_board_port_and_meter(
    stated: str,
    words: tuple[str, ...],
    watts: float,
    energy: Run,
    desk: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    desk(stated)
    assert energy("--bench", "desk", *words, "--json", "net.onnx") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["board"], facts["meter"]) == (
        "nucleo-f767zi",
        f"assumed power of {watts:g} W",
    )
    assert facts["kinds"] == {"energy": "assumed", "seconds": "measured"}
    assert facts["microjoules"] == pytest.approx(750_000 * watts, rel=1e-3)
    assert locks.holder_of("bench desk") is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bench", "desk", "net.onnx"), "bench desk has no meter"),
        (("-b", "nucleo-f767zi", "net.onnx"), "--meter is missing"),
        (("net.onnx",), "bench energy needs a board or a bench"),
        (("--bench", "desk"), "bench energy needs a model"),
        (("--bench", "pc", "net.onnx"), "bench pc is reached by host, this command by"),
        (("--bench", "desk", "-b", "host", "net.onnx"), "--board: bench desk has its own"),
        (("-b", "nucleo-f767zi", "--lab", "lab.toml", "net.onnx"), "--lab is for --bench"),
    ],
)
def test_what_does_not_go_with_a_bench_is_refused(
    words: tuple[str, ...],
    said: str,
    energy: Run,
    desk: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    desk("")
    assert energy(*words) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert "Traceback" not in told.err


def test_a_replay_takes_no_bench(
    energy: Run, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--meter", f"replay:{trace}", "--inferences", 1500)
    assert energy(*words, "--bench", "desk") == 2
    assert "a replay takes no bench" in capsys.readouterr().err


def test_a_bench_in_use_is_not_measured(
    energy: Run, desk: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    desk("assumed:3.5W")
    with lab.hold(lab.read_lab(lab.find_lab(None)).bench("desk")):
        assert energy("--bench", "desk", "net.onnx") == 6
    assert "bench desk is held by process" in capsys.readouterr().err

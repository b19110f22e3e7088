"""What words on the command line become, and which status an end has."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from deployer.cli import main as cli_main
from deployer.cli.commands.allocate import command as allocate
from deployer.cli.commands.bench import BenchGroup, _default, _value
from deployer.cli.commands.run import command as run
from deployer.cli.option_sets import take_probe
from deployer.cli.option_types import RatioType, ShapeType, SizeType, WidthType
from deployer.cli.options import build_folder_option, model_argument, options_from
from deployer.cli.table_file import check_output, put_table
from deployer.errors import (
    BenchError,
    FitError,
    MismatchError,
    ModelError,
    ThresholdError,
    UsageError,
)
from deployer.files import existing
from deployer.pipeline.options import Options

GOOD: list[tuple[click.ParamType, Any, Any]] = [
    (ShapeType(), "a=1,3,96", ("a", (1, 3, 96))),
    (ShapeType(), "a=1", ("a", (1,))),
    (WidthType(), "a=b=16", ("a=b", 16)),
    (WidthType(), "c=8", ("c", 8)),
    (RatioType(), "1/255", 1 / 255),
    (RatioType(), "-0.5", -0.5),
    (RatioType(), 2.0, 2.0),
    (SizeType(), "300KiB", 300 << 10),
    (SizeType(), "4096", 4096),
    (SizeType(), 17, 17),
]
BAD: list[tuple[click.ParamType, str, str]] = [
    (ShapeType(), "a=1,x", "'a=1,x' is not NAME=D,D,…, such as input=1,3,96,96"),
    (ShapeType(), "a", "'a' is not NAME=D,D,…, such as input=1,3,96,96"),
    (WidthType(), "c=4", "'c=4' is not NAME=8 or NAME=16"),
    (WidthType(), "=8", "'=8' is not NAME=8 or NAME=16"),
    (WidthType(), "16", "'16' is not NAME=8 or NAME=16"),
    (RatioType(), "1/0", "'1/0' is not a number such as 0.5 or 1/255"),
    (RatioType(), "x", "'x' is not a number such as 0.5 or 1/255"),
    (SizeType(), "0", "nothing fits 0 bytes"),
]


@pytest.mark.parametrize(("kind", "word", "value"), GOOD)
def test_words_become_values(kind: click.ParamType, word: Any, value: Any) -> None:
    assert kind.convert(word, None, None) == value


@pytest.mark.parametrize(("kind", "word", "told"), BAD)
def test_other_words_are_refused(kind: click.ParamType, word: str, told: str) -> None:
    with pytest.raises(click.BadParameter) as caught:
        kind.convert(word, None, None)
    assert caught.value.message == told


ENDS: list[tuple[BaseException | None, int, str]] = [
    (None, 0, ""),
    (click.Abort(), 130, "interrupted\n"),
    (click.exceptions.Exit(7), 7, ""),
    (click.UsageError("no such thing"), 2, "Error: no such thing\n"),
    (UsageError("a"), 2, "error: a\n"),
    (ModelError("a"), 3, "error: a\n"),
    (FitError("a"), 4, "error: a\n"),
    (MismatchError("a"), 5, "error: a\n"),
    (BenchError("a", hints=["b"]), 6, "error: a\n  try: b\n"),
    (ThresholdError("a"), 7, "error: a\n"),
]


@pytest.mark.parametrize(("error", "status", "said"), ENDS)
@pytest.mark.parametrize("debug", [False, True])
def test_every_end_has_its_status(
    error: BaseException | None,
    status: int,
    said: str,
    debug: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def ran(args: list[str], prog_name: str, standalone_mode: bool) -> None:
        assert not standalone_mode
        if error:
            raise error

    monkeypatch.setattr(cli_main.cli, "main", ran)
    arguments = ["--debug", "ops"] if debug else ["ops"]
    if debug and isinstance(error, (UsageError, ModelError, FitError, MismatchError)):
        with pytest.raises(type(error)):
            cli_main.main(arguments)
        return
    if debug and isinstance(error, (BenchError, ThresholdError)):
        return
    with pytest.raises(SystemExit) as stop:
        cli_main.main(arguments)
    assert stop.value.code == status
    out = capsys.readouterr()
    assert (out.out, out.err) == ("", said)


def test_a_bug_is_said_to_be_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ran(**given: object) -> None:
        raise KeyError("a\x1b")

    monkeypatch.setattr(cli_main.cli, "main", ran)
    with pytest.raises(SystemExit) as stop:
        cli_main.main(["ops"])
    assert stop.value.code == 1
    assert capsys.readouterr().err == (
        "bug: KeyError: 'a\\x1b'\n"
        "  this is our fault, not yours\n"
        "  try: the same command with --debug before it, and report the traceback\n"
    )


def test_a_refusal_of_the_system_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ran(**given: object) -> None:
        raise PermissionError(13, "Permission denied", "there")

    monkeypatch.setattr(cli_main.cli, "main", ran)
    with pytest.raises(SystemExit) as stop:
        cli_main.main(["ops"])
    assert stop.value.code == 2
    assert "error: the system refuses what this needs" in capsys.readouterr().err


def test_streams_that_were_closed_go_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = io.StringIO()
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", kept)
    cli_main._open_streams()
    assert sys.stdout.name == "/dev/null"
    assert sys.stderr is kept
    sys.stdout.close()


GROUP = BenchGroup("bench", commands_of={"model": "", "tiles": ""}, prefix="")


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ([], False),
        (["model", "x.onnx"], False),
        (["--help"], False),
        (["-b", "gap8"], True),
        (["net.onnx"], True),
        (["nothing"], False),
    ],
)
def test_a_model_or_an_option_instead_of_a_command_is_told(words: list[str], model: bool) -> None:
    context = click.Context(GROUP, help_option_names=["--help"])
    assert GROUP._is_model(context, words) is model


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["-b", "gap8", "a.onnx"], "tiles"),
        (["a.onnx", "--board=gap8"], "tiles"),
        (["--board", "nucleo-f767zi", "a.onnx"], "model"),
        (["-b", "nothing"], "model"),
        (["a.onnx", "-b"], "model"),
    ],
)
def test_a_board_with_an_inner_memory_has_tiles(words: list[str], command: str) -> None:
    assert _default(words) == command


def test_an_option_s_value_is_read_before_click_does() -> None:
    assert _value(["--board-dir", "x", "-b=y"], "-b", "--board") == "y"
    assert _value(["--board-dir", "x"], "--board-dir") == "x"
    assert _value(["--board-dir"], "--board-dir") == ""
    assert _value(["a"], "-b") == ""


def test_what_was_given_of_a_probe_reaches_the_runner() -> None:
    given = {"probe": "1", "port": "", "baud": 0, "host": "", "tcp": "", "loader": "", "other": 3}
    assert take_probe(given, "net.onnx") == {"probe": "1", "model": "net.onnx"}
    assert given == {"other": 3}
    given = {"probe": "", "port": "p", "baud": 9600, "host": "", "tcp": "", "loader": "m:f"}
    found = take_probe(given, "n")
    assert found == {"port": "p", "baud": 9600, "loader": "m:f", "model": "n"}


@pytest.mark.parametrize(("name", "fine"), [("a.md", True), ("a.json", True), ("a.txt", False)])
def test_a_table_goes_to_markdown_or_json(name: str, fine: bool, tmp_path: Path) -> None:
    check_output(None)
    if fine:
        check_output(tmp_path / name)
        with pytest.raises(UsageError, match=f"there is no folder {tmp_path / 'no'}"):
            check_output(tmp_path / "no" / name)
        return
    with pytest.raises(UsageError, match=r"a\.txt is no table") as caught:
        check_output(tmp_path / name)
    assert caught.value.hints == ("give FILE.md or FILE.json",)


@pytest.mark.parametrize("name", [None, "a.md", "a.json"])
@pytest.mark.parametrize("as_json", [True, False])
def test_a_table_is_put_where_it_was_asked_for(
    name: str | None, as_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name if name else None
    put_table({"a": 1}, lambda facts: f"table {facts['a']}\n\n", output=path, as_json=as_json)
    text = '{\n "a": 1\n}\n'
    shown = text if as_json else "" if name else "table 1\n"
    assert capsys.readouterr().out == shown
    if path:
        assert path.read_text() == (text if name == "a.json" else "table 1\n\n")


@pytest.mark.parametrize("suffix", [".svg", ".HTML"])
def test_a_build_folder_is_no_picture(suffix: str, tmp_path: Path) -> None:
    @click.command()
    @model_argument()
    @build_folder_option("-o", "--output")
    def command(model: Path, output: Path) -> None: ...

    (tmp_path / f"there{suffix}").mkdir()
    command.main(["m", "-o", f"{tmp_path}/there{suffix}"], standalone_mode=False)
    for words in (["m.onnx", "-o", f"a{suffix}"], ["-o", f"a{suffix}", "m.onnx"]):
        with pytest.raises(UsageError, match="the build folder, not a picture") as caught:
            command.main(words, standalone_mode=False)
        assert caught.value.hints == (f"draw one: deployer inspect -o a{suffix} m.onnx",)
        assert caught.value.what.startswith(f"-o a{suffix}:")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert existing(tmp_path, "folder") == tmp_path
    with pytest.raises(UsageError, match=f"no such folder: {tmp_path}/a"):
        existing(tmp_path / "a", "folder")


def test_an_instance_is_not_overwritten_by_its_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,lower,upper,size\na,0,1,4\n")
    for words in (["--capacity", "-1"], ["--alignment", "0"]):
        with pytest.raises(click.BadParameter):
            allocate.main([str(path), "-o", "b.csv", *words], standalone_mode=False)
    with pytest.raises(UsageError, match="is the instance itself") as caught:
        allocate.main([str(path), "-o", str(path)], standalone_mode=False)
    assert caught.value.hints == ("another output",)
    allocate.main(
        [str(path), "-o", str(tmp_path / "b"), "--capacity", "4", "--alignment", "1"],
        standalone_mode=False,
    )
    assert (tmp_path / "b").read_text() == "id,offset\na,0\n"


def test_an_option_that_is_not_given_is_as_the_pipeline_has_it() -> None:
    context = run.make_context("run", ["-b", "host", "m.onnx"])
    assert options_from(dict(context.params)) == Options()

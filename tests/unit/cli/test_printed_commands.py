"""Commands that are printed or documented can be pasted: click takes every one of them."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from deployer.cli.jobs.tune import TuneRequest, use_line
from deployer.cli.main import cli
from deployer.pipeline.options import Options
from deployer.tools.train.options import install_line
from deployer.units import command_line

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^(?:    )?(deployer .*?)(?:\s+#.*)?$", re.MULTILINE)
_NAMED = re.compile(r"deployer ([a-z]+(?: [a-z]+)?)((?: (?!deployer)[^\s,;:()`]+)*)")


def parsed(words: list[str]) -> tuple[click.Command, click.Context]:
    """The command that ``words``, those behind deployer, reach; its arguments are taken."""
    command: click.Command = cli
    context = cli.make_context("deployer", list(words))
    while isinstance(command, click.Group):
        rest = [*context._protected_args, *context.args]
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command, context = found, found.make_context(name, rest, parent=context)
    return command, context


def documented() -> Iterator[tuple[str, str]]:
    """The lines of code blocks that call deployer, continued ones as one."""
    for page in PAGES:
        for match in _BLOCK.finditer(page.read_text().replace("\\\n", " ")):
            yield page.name, match[1]


@pytest.mark.parametrize(("page", "line"), sorted(set(documented())))
def test_a_documented_command_is_taken(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    parsed(words[1:])


def strings() -> Iterator[tuple[str, str]]:
    """Texts of pages and sources that name a command, with X in the place of what is filled in."""
    for page in PAGES:
        yield page.name, page.read_text().replace("\\\n", " ")
    for folder in ("deployer", "hil"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                text = _text(node)
                if "deployer " in text:
                    yield path.name, text


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return ""
    return "".join(_text(part) or "X" for part in node.values)


def named() -> dict[str, set[tuple[str, str]]]:
    """By file: names of commands, and the words behind them."""
    found: dict[str, set[tuple[str, str]]] = {}
    for file, text in strings():
        for match in _NAMED.finditer(text):
            if match[1].split()[0] in cli.list_commands(click.Context(cli)):
                found.setdefault(file, set()).add((match[1], match[2]))
    return found


NAMED = named()


def reached(names: str) -> click.Command:
    """The command behind ``names``, of which the second may be an ordinary word."""
    context, (first, *rest) = click.Context(cli), names.split()
    command = cli.get_command(context, first)
    assert command is not None
    if isinstance(command, click.Group) and rest:
        return command.get_command(click.Context(command), rest[0]) or command
    return command


@pytest.mark.parametrize("file", NAMED)
def test_options_of_commands_that_texts_name_exist(file: str) -> None:
    for names, rest in NAMED[file]:
        command = reached(names)
        known = {text for each in command.params for text in (*each.opts, *each.secondary_opts)}
        for word in rest.split():
            if word.startswith("-") and not isinstance(command, click.Group):
                assert word.partition("=")[0].rstrip("'\".") in known, (command.name, word)
        if "-" in rest and "MODEL" in rest:  # meant to be pasted as it is
            line = f"{names}{rest}".replace("BOARD", "host").partition("MODEL")[0]
            parsed(shlex.split(f"{line}MODEL"))


def test_the_command_that_deploys_a_tuned_network_is_taken() -> None:
    request = TuneRequest(Path("-my net.onnx"), Path("s 1.npz"), None, Path("o u t"), False, False)
    options = Options(cut=("a b",), input_scale=1 / 255)
    command, context = parsed(shlex.split(use_line(request, options))[1:])
    assert command.name == "run"
    assert context.params["model"] == request.model
    assert context.params["tuned"] == request.output
    assert context.params["calibration"] == request.samples
    assert context.params["cut"] == ("a b",)
    assert context.params["input_scale"] == 1 / 255


def test_a_file_with_any_name_is_one_argument() -> None:
    for name in ("net.onnx", "my net.onnx", "-net.onnx", "ü'\"$(x).onnx"):
        words = shlex.split(command_line(["check", "--board", "host"], name))
        assert parsed(words[1:])[1].params["model"] == Path(name)


def test_pytorch_is_installed_into_the_python_that_runs() -> None:
    words = shlex.split(install_line())
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert [word[:5] for word in words[4:]] == ["torch"]

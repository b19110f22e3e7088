"""Every option of every command with its default, type and help, and the lists that need no
network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from deployer.cli.main import cli, main
from planned import pinned

FOLDER = Path(__file__).parent / "pinned"
KNOWN = (
    *("required", "default", "multiple", "is_flag", "count", "hidden"),
    *("show_default", "metavar", "help"),
)
OF_TYPE = ("param_type", "min", "max", "min_open", "max_open", "clamp", "choices")


def test_the_options_are_those_pinned() -> None:
    pinned(FOLDER / "options.txt", "\n".join(_lines(cli, click.Context(cli), "deployer")))


def _lines(command: click.Command, context: click.Context, path: str) -> Iterator[str]:
    yield f"{path}: {' '.join((command.help or '').split())}"
    for parameter in command.params:
        facts = {name: getattr(parameter, name, None) for name in KNOWN}
        kind = parameter.type.to_info_dict()
        facts |= {name: kind[name] for name in OF_TYPE if name in kind}
        shown = (f"{name}={value!r}" for name, value in facts.items() if _told(value))
        names = "/".join([*parameter.opts, *parameter.secondary_opts])
        yield f"{path} {names}: {', '.join(shown)}"
    if isinstance(command, click.Group):
        for name in sorted(command.list_commands(context)):
            found = command.get_command(context, name)
            assert found is not None
            yield from _lines(found, context, f"{path} {name}")


def _told(value: object) -> bool:
    """Newer versions of click have a value of their own for a default that is not there."""
    return value not in (None, False, (), "") and "Sentinel" not in repr(value)


@pytest.mark.parametrize(
    "words",
    ["ops", "ops -b gap8", "ops -b nucleo-f767zi", "boards", "zoo"],
)
def test_a_list_prints_what_is_pinned(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(words.split())
    pinned(FOLDER / f"{words.replace(' ', '_')}.txt", capsys.readouterr().out)

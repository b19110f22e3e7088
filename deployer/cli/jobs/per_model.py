"""Options that say something of one network, for a command that takes several: NAME=VALUE.

NAME is what the network is called in C. One model alone needs none.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import click

from deployer.errors import UsageError

_OWN = ("calibration", "tuned", "cut", "input_shapes", "bits_of")  # mean nothing for another
_ALIKE = ("input_scale", "input_offset")  # without a name they are those of all
Originals = Mapping[str, click.Option]


def taken_raw(command: click.Command) -> Originals:
    """Make ``command`` take these options as text, as often as there are models. What they are
    otherwise, by name."""
    originals: dict[str, click.Option] = {}
    for index, option in enumerate(command.params):
        if isinstance(option, click.Option) and option.name in (*_OWN, *_ALIKE):
            originals[option.name] = option
            command.params[index] = _raw(option)
    return originals


def _raw(option: click.Option) -> click.Option:
    return click.Option(
        [*option.opts, str(option.name)],
        multiple=True,
        metavar=option.metavar or option.type.name.upper(),
        help=f"{option.help} Of one of several models: NAME=….",
    )


def options_by_model(
    originals: Originals, given: dict[str, Any], names: Sequence[str]
) -> list[dict[str, Any]]:
    """The options of each model; takes them out of ``given``.

    Raises UsageError when it is not clear which model is meant, or one gets two values.
    """
    texts = {name: given.pop(name) for name in originals}
    context = click.get_current_context()
    if len(names) == 1:
        single = {name: _last(option, texts[name]) for name, option in originals.items()}
        return [{name: _cast(originals[name], context, v) for name, v in single.items()}]
    shared = {name: _by_model(option, texts[name], names) for name, option in originals.items()}
    return [
        {
            name: _cast(option, context, _only(option, shared[name][model], model))
            for name, option in originals.items()
        }
        for model in names
    ]


def _last(option: click.Option, texts: Sequence[str]) -> Any:
    return tuple(texts) if option.multiple else (texts[-1] if texts else None)


def _by_model(
    option: click.Option, texts: Sequence[str], names: Sequence[str]
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in names}
    for text in texts:
        name, separator, value = text.partition("=")
        if separator and name in found:
            found[name].append(value)
        elif option.name in _ALIKE and not separator:
            for values in found.values():
                values.append(text)
        else:
            raise _unclear(option, text, names)
    return found


def _unclear(option: click.Option, text: str, names: Sequence[str]) -> UsageError:
    near = difflib.get_close_matches(text.partition("=")[0], names, n=1, cutoff=0.6)
    value = text.partition("=")[2] if near else text
    return UsageError(
        f"{option.opts[0]} {text}: of which of the {len(names)} networks?",
        why=[f"their names are {', '.join(names)}"],
        hints=[f"{option.opts[0]} {(near or names)[0]}={value}"],
    )


def _only(option: click.Option, values: Sequence[str], model: str) -> Any:
    if option.multiple:
        return tuple(values)
    if len(values) > 1:
        raise UsageError(
            f"{option.opts[0]}: {model} has {len(values)} of them",
            why=[f"{model}={value}" for value in values],
            hints=["give one"],
        )
    return values[0] if values else None


def _cast(option: click.Option, context: click.Context, value: Any) -> Any:
    if value is None and option.name in _ALIKE:
        value = option.default
    return value if value in (None, ()) else option.type_cast_value(context, value)

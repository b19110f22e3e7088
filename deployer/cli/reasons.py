"""Why nodes cannot be deployed, as text: unsupported operators first, then what breaks a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from deployer.cli.terminal import terminal

Reason = Mapping[str, str]

_NOT_SUPPORTED = "not supported"


def print_reasons(reasons: Sequence[Reason]) -> None:
    """Every node that cannot be deployed, under what is wrong and what to do about it.

    A node that breaks a rule within the module of an unsupported operator, such as the reshapes
    around an LSTM, is told with that operator: it goes when the operator goes.
    """
    out = terminal()
    for group in _groups(reasons):
        first = group[0]
        out.print(Text.assemble((first["operator"], "bold red"), f": {first['problem']}"))
        for reason in group:
            module = f"  in {reason['module']}" if reason["module"] else ""
            out.print(Text(f"    {reason['node'] or 'unnamed'}{module}"))
        along = [_named(reason) for reason in _along(group, reasons)]
        if along:
            out.print(Text(f"  goes with it: {', '.join(along)}"))
        out.print(Text.assemble(("  try: ", "bold"), first["hint"]))


def _groups(reasons: Sequence[Reason]) -> list[list[Reason]]:
    """Reasons of one operator, problem and hint together; unsupported operators first."""
    hosts = {scope(reason) for reason in reasons if _unsupported(reason)} - {""}
    groups: dict[tuple[str, str, str], list[Reason]] = {}
    for reason in reasons:
        if _unsupported(reason) or scope(reason) not in hosts:
            key = (reason["operator"], reason["problem"], reason["hint"])
            groups.setdefault(key, []).append(reason)
    return sorted(groups.values(), key=lambda group: not _unsupported(group[0]))


def _along(group: Sequence[Reason], reasons: Sequence[Reason]) -> Iterator[Reason]:
    """Nodes that break a rule in a module of ``group``, told with the first group there."""
    if not _unsupported(group[0]):
        return
    first = {scope(r): r["operator"] for r in reversed(reasons) if _unsupported(r)}
    own = {scope(reason) for reason in group} - {""}
    for reason in reasons:
        where = scope(reason)
        if not _unsupported(reason) and where in own and first[where] == group[0]["operator"]:
            yield reason


def scope(reason: Reason) -> str:
    """The module a node belongs to: the exporter's note, or the path in its name; "" if none."""
    return reason["module"] or reason["node"].rpartition("/")[0].strip("/")


def _unsupported(reason: Reason) -> bool:
    return reason["problem"] == _NOT_SUPPORTED


def _named(reason: Reason) -> str:
    return f"{reason['operator']} {reason['node']}"

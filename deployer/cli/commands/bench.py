"""``deployer bench``: tables over many runs."""

from __future__ import annotations

from pathlib import Path

import click

from deployer.cli.lazy import LazyGroup

COMMANDS = {
    "model": "Counted instructions and estimated time of models, without a board.",
    "board": "Cycles of a model measured on the board itself, cold and warm.",
    "energy": "Energy of an inference by a meter, or of recordings that it made before.",
    "blocks": "Estimated cycles of the loops in an object file, before anything runs.",
    "kernels": "The same for six reference networks; on a board of tiles its kernels one by one.",
    "threads": "A model on one to four threads, without a board: what sharing its layers gives.",
    "depth": "Depth networks in float32, int16 and int8, beside the published figures.",
    "gemm": "Matrix products on a board, beside XNNPACK and ruy.",
    "sweep": "Hundreds of drawn layers, each alone: the worst, and what runs on portable kernels.",
    "zoo": "Every reference network on every board: does it fit, is it exact, what does it cost.",
    "accuracy": "Float against every way to quantize a model, on your samples.",
    "restructuring": "Patches and row streaming on five networks, beside the published figures.",
    "cost": "What each kernel costs, counted on an emulated board: the model plans are chosen by.",
    "tiles": "Networks in tiles of an inner memory: every tiler and size, beside the estimate.",
    "fits": "MobileNets on a board, plain and restructured: RAM, flash, what fits.",
    "memory": "Allocators on public or zoo instances, beside the published figures.",
}
_DEFAULT, _TILED = "model", "tiles"


class BenchGroup(LazyGroup):
    """``bench -b BOARD MODEL`` is ``bench model -b BOARD MODEL``; on a board that cuts layers into
    tiles it is ``bench tiles``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(
            ctx, [_default(args), *args] if self._is_model(ctx, args) else args
        )

    def _is_model(self, ctx: click.Context, args: list[str]) -> bool:
        """Whether the first argument is an option, not of help, or looks like a file's name."""
        if not args or args[0] in COMMANDS or args[0] in ctx.help_option_names:
            return False
        return args[0].startswith("-") or "." in args[0] or Path(args[0]).is_file()


def _default(args: list[str]) -> str:
    from deployer.board import load_board
    from deployer.errors import DeployerError
    from deployer.tile import room_of

    folder = _value(args, "--board-dir")
    try:
        board = load_board(_value(args, "-b", "--board"), Path(folder) if folder else None)
    except DeployerError:
        return _DEFAULT  # which tells what is wrong with it
    return _TILED if room_of(board) else _DEFAULT


def _value(args: list[str], *names: str) -> str:
    """Of an option on a line that click has not read yet; "" when it is not there."""
    for index, arg in enumerate(args):
        name, equals, value = arg.partition("=")
        if name in names:
            return value if equals else "".join(args[index + 1 : index + 2])
    return ""


@click.group("bench", cls=BenchGroup, commands_of=COMMANDS, prefix="deployer.cli.commands.bench_")
def command() -> None:
    """Make tables: time of a model, the zoo on the boards, a model in every quantization.

    With options or a model instead of a command: bench model, or on a board with an inner memory
    bench tiles.
    """

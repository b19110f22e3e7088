"""The command line."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

import click

from deployer import __version__
from deployer.cli.lazy import LazyGroup
from deployer.errors import DeployerError
from deployer.printed import printed, printed_lines
from deployer.trouble import no_memory, trouble

_INTERRUPTED, _UNREAD = 130, 141  # as a shell tells of SIGINT and SIGPIPE

COMMANDS = {
    "run": "Build, run in an emulator or on the host, and prove every layer.",
    "flash": "Build, program the board, and prove every layer over serial.",
    "build": "Build the firmware, or the C library of a network.",
    "finetune": "Recover accuracy of the integer network by training (needs PyTorch).",
    "check": "Say whether a network fits a board; needs no toolchain.",
    "ops": "List the supported ONNX operators, and the kernels of a board.",
    "allocate": "Place the buffers of CSV instances, to compare allocators.",
    "inspect": "Show any artifact of a build folder, as text or as a picture.",
    "bench": "Make tables: time of a model, the zoo on the boards, every quantization.",
    "calibrate": "Fit the costs behind estimated times to a board's measurements.",
    "zoo": "List, count and write reference networks.",
    "lab": "Benches of a lab: list them, test them, run a matrix on them.",
    "results": "List the results in a file, and their serial logs.",
    "gate": "Fail when results are slower, bigger or less accurate than a baseline.",
    "report": "Write a site that shows a file of results, and opens without a server.",
    "boards": "List the boards.",
    "doctor": "List the tools, and what a missing one would enable.",
}


@click.group(
    cls=LazyGroup,
    commands_of=COMMANDS,
    prefix="deployer.cli.commands.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="deployer")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def cli(debug: bool) -> None:
    """Compile an ONNX network into firmware for a small board, and prove it.

    Exit status: 0 fine, 1 bug, 2 usage, 3 model not supported, 4 does not fit, 5 results differ,
    6 board or simulator trouble, 7 threshold missed, 130 interrupted, 141 nobody reads the output.
    """


def main(argv: list[str] | None = None) -> None:
    """Run a command and exit with the documented status."""
    # One thread: small products gain nothing from more, and sums do not depend on the core count.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_streams()
    arguments = sys.argv[1:] if argv is None else argv
    sys.exit(_status(arguments))


def _open_streams() -> None:
    """A stream that the caller has closed (``>&-``) is one that nobody reads."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  (open as long as the process)


def _status(arguments: list[str]) -> int:
    try:
        cli.main(args=arguments, prog_name="deployer", standalone_mode=False)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # click's answer to a broken pipe is to exit with 1
        return _unread()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except Exception as error:
        if "--debug" in arguments and not isinstance(error, click.ClickException | click.Abort):
            raise
        return _told(error)
    return 0


def _told(error: Exception) -> int:
    """Say what went wrong; returns the exit status."""
    if isinstance(error, click.Abort):
        _complain("interrupted")
        return _INTERRUPTED
    if isinstance(error, click.ClickException):
        said = io.StringIO()
        error.show(file=said)
        _complain(said.getvalue().rstrip("\n"))
        return error.exit_code
    if isinstance(error, OSError):
        _leave_unwritten()
        error = trouble(error, "the system refuses what this needs")
    if isinstance(error, MemoryError):
        error = no_memory(error)
    if isinstance(error, DeployerError):
        _complain(f"error: {error}")
        return error.exit_status
    _complain(_bug(error))
    return 1


def _unread() -> int:
    """Whoever read the output has closed it, as ``head`` does. Nothing is to be said."""
    _to_nowhere(sys.stdout, sys.stderr)
    return _UNREAD


def _leave_unwritten() -> None:
    """What a full disk has no room for is left out, and changes no status."""
    try:
        sys.stdout.flush()
    except OSError:
        _to_nowhere(sys.stdout)


def _to_nowhere(*streams: TextIO) -> None:
    """A stream's own flush at exit must find a place to write to."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream.fileno())


def _bug(error: Any) -> str:
    return (
        f"bug: {type(error).__name__}: {printed(str(error))}\n"
        "  this is our fault, not yours\n"
        "  try: the same command with --debug before it, and report the traceback"
    )


def _complain(text: str) -> None:
    click.echo(printed_lines(text), err=True)

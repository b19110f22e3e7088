"""Runners: what puts a bundle somewhere and gives back a byte stream. How to add one: README.md."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from types import TracebackType
from typing import Any, Protocol, Self

from deployer.bundle import Bundle
from deployer.errors import BenchError, UsageError, near_hints
from deployer.units import CounterUnit, FigureKind, command_line
from deployer_hil.stream import ByteStream

GROUP = "deployer.runners"
BUILTIN: Mapping[str, str] = {
    "host": "deployer_hil.runners.host:create",
    "qemu_user": "deployer_hil.runners.qemu_user:create",
    "qemu_system": "deployer_hil.runners.qemu_system:create",
    "gap8_sim": "deployer_hil.runners.gap8_sim:create",
    "pyocd": "deployer_hil.runners.pyocd:create",
    "gvsoc": "deployer_hil.runners.gvsoc:create",
    "pulp_open": "deployer_hil.runners.pulp_open:create",
    "openocd": "deployer_hil.runners.openocd:create",
    "ssh": "deployer_hil.runners.ssh:create",
    "tcp": "deployer_hil.runners.tcp:create",
    "register_model": "deployer_hil.runners.register_model:create",
}


@dataclass(frozen=True)
class Caps:
    """What a figure from this runner is worth.

    ``timing`` is the unit of its layer counts, none when there is nothing worth printing. ``slow``:
    how many times longer than another emulator's its answers may take. ``sends``: weights that are
    fetched come over the console, unless the device has them already. ``hosted``: an operating
    system has the clock, so that another clock than the board's takes the counts away, no more.
    ``hertz``: cycles a second that an emulator gets on where it shares its machine with others.
    """

    timing: CounterUnit = CounterUnit.NONE
    kind: FigureKind = FigureKind.NONE
    slow: int = 1
    sends: bool = False
    hosted: bool = False
    hertz: float = 20e6


class Runner(Protocol):
    """One way to run a bundle. A context manager: leaving it frees everything."""

    name: str

    @property
    def caps(self) -> Caps: ...

    @property
    def tool(self) -> str:
        """Program and version the image runs in, "" if none."""

    @property
    def surroundings(self) -> Mapping[str, str]:
        """What the machine around the image tells of itself, {} if nothing; the last of it comes
        when the stream is closed."""

    def load(self, bundle: Bundle) -> None:
        """Put the bundle's image where it will run. The same bundle again costs nothing."""

    def open(self) -> ByteStream:
        """A stream to the freshly started image; an earlier stream of this runner ends."""

    def reset(self) -> None:
        """Restart the image; ``open`` again to talk to it."""

    def close(self) -> None:
        """Free everything. Twice is harmless."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


Factory = Callable[..., Runner]


def create(name: str, bundle: Bundle, **options: Any) -> Runner:
    """The runner ``name`` for ``bundle``, not loaded yet.

    A factory is called with the bundle, whose ``runner_options`` tell what the board file says, and
    ``options``, what the user says. Raises UsageError for an unknown runner or option.
    """
    factory = find(name)
    known = [key for key in inspect.signature(factory).parameters if key != "bundle"]
    for key in options:
        if key not in known:
            hint = near_hints(key, known)
            raise UsageError(f"runner {name} has no option {key!r}", hints=hint)
    return factory(bundle, **options)


def names() -> list[str]:
    """Every runner that can be named."""
    return sorted({*BUILTIN, *(point.name for point in entry_points(group=GROUP))})


def find(name: str) -> Factory:
    """The factory registered as ``name``."""
    if name in BUILTIN:
        builtin: Factory = load_object(BUILTIN[name])
        return builtin
    for point in entry_points(group=GROUP, name=name):
        factory: Factory = load_object(point.value)
        return factory
    raise UsageError(f"unknown runner {name!r}", hints=near_hints(name, names()))


def load_object(spec: str) -> Any:
    """The object at ``module:name``. Raises UsageError when there is none."""
    module, _, attribute = spec.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"cannot load {spec!r}", why=[str(error)], hints=["module:name"]) from None


def emulated_by(bundle: Bundle, model: str | None) -> str:
    """The command that runs the network without the board; ``model`` as the user typed it."""
    given = model or bundle.manifest["model"]["file"]
    return command_line(["run", "--board", bundle.board], given)


def board_options(
    bundle: Bundle, runner: str, *, required: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """What the board file says to ``runner``. Raises UsageError for unknown or missing keys."""
    options = bundle.runner_options(runner)
    target = bundle.manifest["target"]
    if required and (not options or "twin" in options):
        raise UsageError(
            f"this bundle was built for {target}, which does not run in {runner}",
            hints=["deployer run picks the board's emulated twin by itself"],
        )
    where = f"[runners.{runner}] of board {target}"
    known = [*required, *optional]
    for key in options:
        if key not in known:
            raise UsageError(f"unknown key {key!r} in {where}", hints=near_hints(key, known))
    for key in required:
        if key not in options:
            raise UsageError(f"{where} lacks the key {key!r}")
    return options


def own_image(bundle: Bundle, runner: str) -> None:
    """Raises UsageError when the bundle's image is for an emulated twin, not for the board."""
    built_for = bundle.manifest["target"]
    if built_for != bundle.board:
        raise UsageError(
            f"this bundle was built for {built_for}, which does not run in {runner}",
            hints=[f"build for the board itself: {emulated_by(bundle, None)}"],
        )


def loaded(bundle: Bundle | None) -> Bundle:
    """The bundle a runner holds; BenchError when ``load`` was never called."""
    if bundle is None:
        raise BenchError("the runner holds no bundle", hints=["call load before open"])
    return bundle

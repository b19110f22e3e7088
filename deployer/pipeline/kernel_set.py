"""Which kernels a network gets: the board's, or before them those that call the user's library."""

from __future__ import annotations

from dataclasses import replace

from deployer.board import Board
from deployer.build import FAMILY, NAME, Library, library_of
from deployer.choices import KernelSet, RequantChoice, SchemeName
from deployer.errors import UsageError
from deployer.pipeline.options import Options

_CORES = "cortex_m"  # boards with its kernels have the instructions that scratch is stated for


def for_library(options: Options, target: Board) -> Options:
    """``options`` with the library found and the rule that it computes.

    A fine-tuned network and the power-of-two scheme keep their rules, nearly all of which single
    rounding computes as well. Raises UsageError for a board or a width that it is not for.
    """
    if options.kernels not in tuple(KernelSet):
        raise UsageError(
            f"unknown set of kernels {options.kernels!r}", hints=[f"sets: {', '.join(KernelSet)}"]
        )
    if _CORES not in target.kernels:
        raise UsageError(
            f"--kernels {NAME} is for Cortex-M cores, {target.name} has a {target.core}",
            why=["CMSIS-NN is built for one core, and the memory it needs is known for these"],
            hints=["leave --kernels out, or name a Cortex-M board: deployer boards"],
        )
    if options.bits == 16:
        raise UsageError(
            f"--kernels {NAME} is for int8 activations, --bits 16 leaves it none",
            hints=["leave one of them out; --bits-of and --mixed keep some layers int8"],
        )
    found = library_of(options.cmsis_nn_lib, options.cmsis_nn_include)
    forced = options.requant == RequantChoice.AUTO and options.scheme == SchemeName.MULTIPLY_SHIFT
    return replace(
        options,
        cmsis_nn_lib=found.archive,
        cmsis_nn_include=found.include,
        requant=RequantChoice.Q31 if forced and options.tuned is None else options.requant,
    )


def with_library(board: Board) -> Board:
    """``board`` with the kernels that call the library before its own."""
    return replace(board, kernels=(FAMILY, *board.kernels))


def library_in(options: Options) -> Library | None:
    """The library to link, None for the board's own kernels."""
    if options.kernels == KernelSet.BOARD:
        return None
    if not (options.cmsis_nn_lib and options.cmsis_nn_include):
        return None
    return Library(options.cmsis_nn_lib, options.cmsis_nn_include)

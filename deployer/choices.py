"""What a user chooses by a word: each option's values, stated once.

The command line offers them before any package that decides by them is loaded, so this module
imports nothing of the compiler. A member is its value: it prints, compares and is written as such.
"""

from __future__ import annotations

from enum import StrEnum


class SchemeName(StrEnum):
    """``--scheme``: how reals become integers (docs/arithmetic.md)."""

    MULTIPLY_SHIFT = "multiply-shift"
    POWER_OF_TWO = "power-of-two"


class RequantChoice(StrEnum):
    """``--requant``: the rule of the multiply-shift scheme, or each layer's best."""

    AUTO = "auto"
    I32 = "i32"
    Q16 = "q16"
    Q32 = "q32"
    Q31 = "q31"


class SoftmaxOn(StrEnum):
    """``--softmax``: who computes one that ends the network."""

    HOST = "host"
    DEVICE = "device"


class Calibration(StrEnum):
    """``--calibrate``: how ranges follow from samples. ``AUTO`` is the scheme's own method."""

    AUTO = "auto"
    MINMAX = "minmax"
    PERCENTILE = "percentile"
    MSE = "mse"
    ENTROPY = "entropy"


class Correction(StrEnum):
    """``--equalize`` and ``--bias-correction``. ``AUTO``: where held-out samples gain."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Restructuring(StrEnum):
    """``--restructure``. ``AUTO``: where the network does not fit otherwise; ``ALG3``: always, by
    Algorithm 3 (docs/restructuring.md)."""

    AUTO = "auto"
    OFF = "off"
    ALG3 = "alg3"


class Objective(StrEnum):
    """``--optimize``: least work that fits, least RAM for a little more work, or least RAM."""

    TIME = "time"
    BALANCED = "balanced"
    RAM = "ram"


class Sharing(StrEnum):
    """``--share``: whether values may lie in each other's bytes."""

    ON = "on"
    OFF = "off"


class KernelPolicy(StrEnum):
    """``--choose``: a layer's kernel by the board's cost table, or the first of its list."""

    COST = "cost"
    FIRST = "first"


class ConstantCopies(StrEnum):
    """``--place``: whether start-up copies constants to a faster memory."""

    AUTO = "auto"
    OFF = "off"


class HotCode(StrEnum):
    """``--hot-code``: whether start-up copies kernels to a memory for code."""

    ITCM = "itcm"
    OFF = "off"


class TilerName(StrEnum):
    """``--tiler``: fewest estimated cycles, DORY's objective, or the largest tiles."""

    COST = "cost"
    DORY = "dory"
    SIZE = "size"


class KernelSet(StrEnum):
    """``--kernels``: the board's own, or before them those that call the user's CMSIS-NN."""

    BOARD = "board"
    CMSIS_NN = "cmsis-nn"


class ArenaOwner(StrEnum):
    """``--arena`` of a library: an arena for each network, one for all, or the caller's."""

    OWN = "own"
    SHARED = "shared"
    CALLER = "caller"


class GraphStyle(StrEnum):
    """``--style`` of ``deployer zoo``: the exporter whose graphs a written network looks like."""

    PLAIN = "plain"
    TORCHSCRIPT = "torchscript"
    DYNAMO = "dynamo"

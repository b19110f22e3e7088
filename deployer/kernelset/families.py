"""The families of kernels. One entry here and its two folders, ``kernels/<name>`` and
``deployer/kernelset/<name>``, are all that a family consists of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WORD_BYTES = 4  # every kernel loads words


@dataclass(frozen=True)
class Family:
    """Kernels that need the same instructions.

    ``name`` is the folder of its C files under kernels/, the package of its entries beside this
    module, and the name in a board's ``kernels``. ``isa`` is how symbols call what the code needs:
    ``dpl_<op>_<types>__<isa>[_<variant>]``. ``alignment``: bytes at whose multiples tensors and
    weights lie, so that its loads are fast.
    """

    name: str
    isa: str
    alignment: int = WORD_BYTES

    def names(self, symbol: str) -> bool:
        """Whether ``symbol`` is that of one of its kernels."""
        suffix = symbol.partition("__")[2]
        return suffix == self.isa or suffix.startswith(f"{self.isa}_")


FAMILIES = (
    Family("ref", "ref"),
    Family("cortex_m", "armv7em"),
    Family("cmsis_nn", "cmsis_nn"),
    Family("pulp", "xpulpv2"),
    Family("neon", "armv8a", alignment=16),
    Family("fp32", "fp32"),
)


def family_of(symbol: str) -> Family:
    """The family whose ISA ``symbol`` names. Raises ValueError when there is none."""
    for family in FAMILIES:
        if family.names(symbol):
            return family
    known = ", ".join(family.isa for family in FAMILIES)
    raise ValueError(f"{symbol}: the name states no known ISA ({known})")


def alignment_of(names: Iterable[str]) -> int:
    """What tensors and weights need that kernels of the families ``names`` read."""
    wanted = {family.name: family.alignment for family in FAMILIES}
    return max((wanted.get(name, WORD_BYTES) for name in names), default=WORD_BYTES)

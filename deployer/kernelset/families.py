"""The families of kernels. One entry here and its two folders, ``kernels/<name>`` and
``deployer/kernelset/<name>``, are all that a family consists of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """Kernels that need the same instructions.

    ``name`` is the folder of its C files under kernels/, the package of its entries beside this
    module, and the name in a board's ``kernels``. ``isa`` is how symbols call what the code needs:
    ``dpl_<op>_<types>__<isa>[_<variant>]``. ``word_bytes``: of the largest word that loads take a
    cycle more for where it is not aligned.
    """

    name: str
    isa: str
    word_bytes: int = 4

    def names(self, symbol: str) -> bool:
        """Whether ``symbol`` is that of one of its kernels."""
        suffix = symbol.partition("__")[2]
        return suffix == self.isa or suffix.startswith(f"{self.isa}_")


FAMILIES = (
    Family("ref", "ref"),
    Family("cortex_m", "armv7em"),
    Family("cmsis_nn", "cmsis_nn"),
    Family("pulp", "xpulpv2"),
    Family("neon", "armv8a", word_bytes=8),
)


def family_of(symbol: str) -> Family:
    """The family whose ISA ``symbol`` names. Raises ValueError when there is none."""
    for family in FAMILIES:
        if family.names(symbol):
            return family
    known = ", ".join(family.isa for family in FAMILIES)
    raise ValueError(f"{symbol}: the name states no known ISA ({known})")
